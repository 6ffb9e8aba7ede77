// node inline.mjs core_bg.wasm inline.js: writes a module whose function gives the bytes of a wasm
// file. A byte is a character, or two if it is rare, as base64 is not: so what repeats stays
// visible to a server's compression, and the text takes as little as the bytes themselves. All are
// ASCII, and none must be escaped within a string, a template or a script of HTML.
import { readFileSync, writeFileSync } from "node:fs";

const [wasmFile, moduleFile] = process.argv.slice(2);
const wasm = readFileSync(wasmFile);
const characters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).filter((
    character,
) => !"\"\\<$`".includes(character));
/** The first of two characters. */
const prefixes = characters.splice(0, 2);

const counts = new Array(256).fill(0);
for (const byte of wasm) counts[byte]++;
const byFrequency = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b);
const codes = [...characters,
    ...prefixes.flatMap((prefix) => characters.map((character) => prefix + character))];
const codeOf = new Map(byFrequency.map((byte, i) => [byte, codes[i]]));

writeFileSync(moduleFile, `const text = "${Array.from(wasm, (byte) => codeOf.get(byte)).join("")}";
const characters = "${characters.join("")}";
const prefixes = "${prefixes.join("")}";
const bytesOf = [${byFrequency}];

export function wasm() {
    const places = new Uint8Array(128);
    for (let i = 0; i < characters.length; i++) places[characters.charCodeAt(i)] = i;
    const bytes = new Uint8Array(${wasm.length});
    for (let i = 0, at = 0; i < bytes.length; i++) {
        const row = prefixes.indexOf(text[at]) + 1;
        if (row > 0) at++;
        bytes[i] = bytesOf[row * characters.length + places[text.charCodeAt(at++)]];
    }
    return bytes;
}
`);
