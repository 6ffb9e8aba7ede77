// A whole entry in one: the wasm is inlined and started when this module is loaded, so that every
// function is ready at once. No top-level await: Node can `require` it.
import { initSync } from "./core.js";
import { wasm } from "./inline.js";

initSync({ module: wasm() });

export { @EXPORTS@ } from "./core.js";
