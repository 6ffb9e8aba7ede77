// Without the wasm: for those who serve `core_bg.wasm` of this folder beside their page. Call
// `start` or `startSync` before all else.
import init, { initSync } from "./core.js";

export const start = async (wasm) => { await init({ module_or_path: wasm }); };
export const startSync = (wasm) => { initSync({ module: wasm }); };

export { @EXPORTS@ } from "./core.js";
