/// <reference lib="esnext.disposable" />
export type * from "./core.js";

/**
 * Fetches and starts the wasm: from a URL, a response to `fetch`, its bytes, or a compiled module.
 * Call it once, before anything else.
 */
export function start(wasm: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void>;

/** Starts the wasm from its bytes or a compiled module, without waiting. */
export function startSync(wasm: BufferSource | WebAssembly.Module): void;

export { @EXPORTS@ } from "./core.js";
