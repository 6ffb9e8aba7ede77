// What reads and opens records, and answers about their rows. It is loaded after the worker, which
// is ready before.
export { Explorer } from "./store/explorer.ts";
export { Expressions } from "./store/expression.ts";
export { writerOf } from "./export.ts";
export { Opening } from "./opening.ts";
export { mayBeOther } from "./refused-inputs.ts";
export { beginRun, endRun, receiveOpener } from "./pool.ts";
export { readerChunk, run } from "./run.ts";
