// The adapter for workerd, with the wasm of `pqseal`.
import "../workerd.js";

export * from "./adapter.js";
