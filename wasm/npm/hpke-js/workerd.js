// The adapter for workerd, with the wasm of `pqseal/full`.
import "../full/workerd.js";

export * from "./adapter.js";
