// node inline.mjs core_bg.wasm inline.js: writes a module whose function gives the bytes of a wasm file.
// Hexadecimal, and not base64: it is longer, but as a server compresses it a third shorter, since bytes stay where they were.
import { readFileSync, writeFileSync } from "node:fs";

const [wasmFile, moduleFile] = process.argv.slice(2);
writeFileSync(moduleFile, `const hex = "${readFileSync(wasmFile).toString("hex")}";

export function wasm() {
    const bytes = new Uint8Array(hex.length / 2);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    return bytes;
}
`);
