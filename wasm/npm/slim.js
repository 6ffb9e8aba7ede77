// Without the wasm: for those who serve `pqseal/core_bg.wasm` beside their page. Call `start` or `startSync` before all else.
import init, { initSync } from "./core.js";

export const start = async (wasm) => { await init({ module_or_path: wasm }); };
export const startSync = (wasm) => { initSync({ module: wasm }); };

export {
    KeyRing, PrivateKey, RecipientContext, SenderContext, Suite, derivePublicKey, generateKeyPair, inspect, open, seal, suites,
} from "./core.js";
