// The interface of @hpke/core and its modules over the Suite of `pqseal`.
export { CipherSuite } from "./suite.js";
export * from "./algorithms.js";
export * from "./errors.js";
