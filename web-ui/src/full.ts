// The module with every algorithm, in a chunk that is loaded after the worker. It includes its
// JavaScript, so that nothing is requested later.
import "pqseal/full";

export { HeldCalendar } from "./calendar.ts";
export { wasm } from "virtual:wasm-full";
