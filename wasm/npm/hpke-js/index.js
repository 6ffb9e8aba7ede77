// The adapter, with the wasm of `pqseal/full`: whatever imports both has one copy.
import "../full/index.js";

export * from "./adapter.js";
