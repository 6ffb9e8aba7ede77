// The adapter without the wasm: call `start` or `startSync` before all else.
export { start, startSync } from "../full/slim.js";

export * from "./adapter.js";
