export { start, startSync } from "../slim.js";
export * from "./index.js";
