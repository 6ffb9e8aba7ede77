/// <reference lib="esnext.disposable" />
export type * from "./core.js";

/**
 * Fetches and starts `core`: from a URL, a response to `fetch`, its bytes, or a compiled module.
 * Call it once, before anything else.
 */
export function start(wasm: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void>;

/** Starts `core` from its bytes or a compiled module, without waiting. */
export function startSync(wasm: BufferSource | WebAssembly.Module): void;

/**
 * Fetches and starts `full`, `pqseal/full/core_bg.wasm`, in place of `core`, which need not be
 * started then. Call it before keys are read: objects created before stay with `core`, and cannot
 * be used with those created later.
 */
export function load(wasm: string | URL | Request | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void>;

export { @EXPORTS@ } from "./core.js";
