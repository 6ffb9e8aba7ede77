// Each file next to itself as .br and .gz, so that servers send the smallest there is and spend
// nothing on it. Prints the size of a first load, and of Explore, of all algorithms, of files, of
// records and of Zstandard, which follow it; more than the budget fails the build. The Cargo
// profile `wasm` compiles code that no message waits for to be small, and all of it with vectors.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/**
 * In bytes, however a server packs them: what there has to be until the page is ready, the chunk
 * that shows opened data, with what the worker needs to open records, the worker that searches in
 * them and the example, the one with the other algorithms and the JavaScript around them, the one
 * for files and the one for records, each with its wasm, the one that unpacks Zstandard, and the
 * licences, which are loaded only by their link.
 */
const budget = {
    page: 226_000,
    explore: 42_000,
    full: 545_000,
    files: 357_000,
    records: 70_000,
    zstd: 7_000,
    licences: 30_000,
};
/** The part of a file, by the beginning of its name; all others are the page's. */
const partOf = (name: string): keyof typeof budget =>
    parts.find(([beginning]) => name.startsWith(beginning))?.[1] ?? "page";
const parts: [string, keyof typeof budget][] = [["explore-", "explore"], ["later-", "explore"], [
    "samples-",
    "explore",
], ["searcher-", "explore"], ["full-", "full"], ["slim-", "full"], ["crypt-", "files"], ["reader-",
    "records"], ["zstd-", "zstd"], ["licences.", "licences"]];

const brotli = (file: Buffer) =>
    brotliCompressSync(file, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
    });
const gzip = (file: Buffer) => gzipSync(file, { level: 9, memLevel: 9 });
const packers = { br: brotli, gz: gzip };

export const compress = (): Plugin => ({
    name: "compress",
    apply: "build",
    writeBundle({ dir = "dist" }) {
        const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) =>
            file.isFile()
        );
        for (const [ending, pack] of Object.entries(packers)) {
            const sizes = {
                page: 0,
                explore: 0,
                full: 0,
                files: 0,
                records: 0,
                zstd: 0,
                licences: 0,
            };
            for (const { parentPath, name } of files) {
                const packed = pack(readFileSync(join(parentPath, name)));
                writeFileSync(join(parentPath, `${name}.${ending}`), packed);
                sizes[partOf(name)] += packed.length;
            }
            console.log(
                `first load as .${ending}: ${sizes.page} bytes, ${sizes.explore} for Explore, ${sizes.full} for all algorithms, ${sizes.files} for files, ${sizes.records} for records and ${sizes.zstd} for Zstandard`,
            );
            for (const part of Object.keys(budget) as (keyof typeof budget)[])
                if (sizes[part] > budget[part])
                    this.error(
                        `${part} has ${sizes[part]} bytes as .${ending}, and may have ${
                            budget[part]
                        }`,
                    );
        }
    },
});
