// For workerd (Cloudflare Workers), which compiles wasm ahead and not at run time: a .wasm file is
// imported as a module.
import { initSync } from "./core.js";
import module from "./core_bg.wasm";
import { use } from "./current.js";

initSync({ module });

export const load = async () => use(await import("./full/workerd.js"));
export { @EXPORTS@ } from "./current.js";
