// Without the wasm: for those who serve the .wasm files beside their page. Call `start`,
// `startSync` or `load` before all else.
import init, { initSync } from "./core.js";
import { use } from "./current.js";

export const start = async (wasm) => { await init({ module_or_path: wasm }); };
export const startSync = (wasm) => { initSync({ module: wasm }); };
export const load = async (wasm) => {
    const full = await import("./full/slim.js");
    await full.start(wasm);
    use(full);
};
export { @EXPORTS@ } from "./current.js";
