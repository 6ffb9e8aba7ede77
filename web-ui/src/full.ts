// The module with every algorithm: a separate chunk, which follows the worker. Its JavaScript is here too, so that nothing is asked for later.
import "pqseal/full";

export { wasm } from "virtual:wasm-full";
