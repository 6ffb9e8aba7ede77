/// <reference lib="esnext.disposable" />
// Every type of core.d.ts, and of its values those that index.js has.
export type * from "./core.js";
export { @EXPORTS@ } from "./core.js";
