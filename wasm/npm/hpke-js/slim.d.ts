export { start, startSync } from "../full/slim.js";
export * from "./index.js";
