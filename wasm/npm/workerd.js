// For workerd (Cloudflare Workers), which compiles wasm ahead and not at run time: a .wasm file is
// imported as a module.
import { initSync } from "./core.js";
import module from "./core_bg.wasm";

initSync({ module });

export { @EXPORTS@ } from "./core.js";
