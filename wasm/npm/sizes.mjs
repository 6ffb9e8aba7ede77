// node sizes.mjs pkg/dist: prints what the modules take with gzip, and fails if one takes more than
// it may. The READMEs have these figures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = process.argv[2];
const size = (...files) =>
    gzipSync(Buffer.concat(files.map((file) => readFileSync(join(dist, file)))), { level: 9 })
        .length;

/** Names, files and limits in bytes. JavaScript is not minified here: in a bundle it takes less. */
const parts = [
    ["core, the wasm", ["core_bg.wasm"], 176_500],
    ["pqseal, in a bundle", ["index.js", "current.js", "core.js", "inline.js"], 189_500],
    ["pqseal/slim, JavaScript", ["slim.js", "current.js", "core.js"], 12_000],
    ["hpke, the wasm", ["hpke/core_bg.wasm"], 110_500],
    ["pqseal/hpke, in a bundle", ["hpke/index.js", "hpke/core.js", "hpke/inline.js"], 120_000],
    ["full, the wasm", ["full/core_bg.wasm"], 386_500],
    ["sealed, the wasm", ["sealed/core_bg.wasm"], 520_000],
    ["jwe, the wasm", ["jwe/core_bg.wasm"], 393_500],
    ["files, the wasm", ["files/core_bg.wasm"], 340_500],
    ["records, the page's wasm", ["../records/core_bg.wasm"], 64_000],
];
for (const [name, files, limit] of parts) {
    const bytes = size(...files);
    console.log(`${name}: ${bytes} bytes with gzip, of at most ${limit}`);
    if (bytes > limit) process.exitCode = 1;
}
if (process.exitCode)
    console.error(
        "a module of the package is too large: what does it have that it did not have before?",
    );
