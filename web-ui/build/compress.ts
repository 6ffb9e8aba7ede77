// Each file beside itself as .br and .gz, so that servers send the smallest there is and spend nothing on it. What a first load weighs is
// seen here, and more than the budget fails the build.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** In bytes, all files together, however a server packs them. */
const budget = 410_000;

const brotli = (file: Buffer) =>
    brotliCompressSync(file, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
const gzip = (file: Buffer) => gzipSync(file, { level: 9, memLevel: 9 });
const packers = { br: brotli, gz: gzip };

export const compress = (): Plugin => ({
    name: "compress",
    apply: "build",
    writeBundle({ dir = "dist" }) {
        const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
        for (const [ending, pack] of Object.entries(packers)) {
            const sizes = files.map(({ parentPath, name }) => {
                const packed = pack(readFileSync(join(parentPath, name)));
                writeFileSync(join(parentPath, `${name}.${ending}`), packed);
                return packed.length;
            });
            const sum = sizes.reduce((a, b) => a + b);
            console.log(`first load as .${ending}: ${sum} bytes`);
            if (sum > budget) this.error(`the first load has ${sum} bytes as .${ending}, and may have ${budget}`);
        }
    },
});
