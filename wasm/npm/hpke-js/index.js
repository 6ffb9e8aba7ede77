// The adapter, with the wasm of `pqseal`: whatever imports both has one copy.
import "../index.js";

export * from "./adapter.js";
