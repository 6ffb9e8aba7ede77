// The wasm of `core` is inlined and started when this module is loaded, so that every function is
// ready at once. `full` is another chunk. No top-level await: Node can `require` it.
import { initSync } from "./core.js";
import { use } from "./current.js";
import { wasm } from "./inline.js";

initSync({ module: wasm() });

export const load = async () => use(await import("./full/index.js"));
export { @EXPORTS@ } from "./current.js";
