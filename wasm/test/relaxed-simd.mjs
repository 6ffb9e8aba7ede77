// node test/relaxed-simd.mjs: prints the option by which this Node has relaxed SIMD. Version 20
// must be told, later ones have it.
import { pathToFileURL } from "node:url";

/** A module of one function, whose one instruction of note is f64x2.relaxed_madd. */
const module = Buffer.from(
    "0061736d0100000001080160037b7b7b017b030201000a0d010b00200020012002fd87020b",
    "hex",
);

export const hasRelaxedSimd = WebAssembly.validate(module);

if (import.meta.url === pathToFileURL(process.argv[1]).href && !hasRelaxedSimd)
    console.log("--experimental-wasm-relaxed-simd");
