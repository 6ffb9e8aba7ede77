// The module with every algorithm, in a chunk that is loaded after the worker.

// Used by nobody: it brings the module's JavaScript with this chunk, so that the server does not see
// when it is needed.
export { inspectSealed, start } from "pqseal/sealed";
export { HeldCalendar } from "./calendar.ts";
export { keysIn, sealedKeys } from "./other-keys.ts";
export { wasm } from "virtual:wasm-full";
