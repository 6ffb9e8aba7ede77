// Every type of core.d.ts, and of its values those that index.js has.
export type * from "./core.js";
export {
    KeyRing, PrivateKey, RecipientContext, SenderContext, Suite, derivePublicKey, generateKeyPair, inspect, open, seal, suites,
} from "./core.js";
