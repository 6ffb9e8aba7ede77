// Without the wasm: for those who serve `pqseal/core_bg.wasm` beside their page. Call `start` or `startSync` before all else.
export {
    default as start, initSync as startSync,
    KeyRing, PrivateKey, RecipientContext, SenderContext, Suite, derivePublicKey, generateKeyPair, inspect, open, seal, suites,
} from "./core.js";
