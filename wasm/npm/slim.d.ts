export type * from "./core.js";
export {
    default as start, initSync as startSync,
    KeyRing, PrivateKey, RecipientContext, SenderContext, Suite, derivePublicKey, generateKeyPair, inspect, open, seal, suites,
} from "./core.js";
