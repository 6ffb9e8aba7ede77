/// <reference lib="esnext.disposable" />
// Every type of core.d.ts, and of its values those that index.js has.
export type * from "./core.js";
export { @EXPORTS@ } from "./core.js";

/**
 * Replaces the module `core` by `full`, which has every algorithm. Call it before keys are read:
 * keys, rings, suites and contexts created before stay with `core`, and cannot be used with those
 * created later.
 */
export function load(): Promise<void>;
