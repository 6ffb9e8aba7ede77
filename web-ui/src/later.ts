// What the worker needs once there are rows: answers about them, and files of them. It is loaded
// after the worker, which is ready before.
export { Explorer } from "./store/explorer.ts";
export { writerOf } from "./export.ts";
