// How wasm and worker get into the page. The page may fetch nothing, so the wasm travels within the worker's code.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const wasm = () => readFileSync(new URL("../../wasm/pkg/dist/core_bg.wasm", import.meta.url));

/** One character a byte: unlike base64 it leaves the server's compression something to find, a third of the download. */
const asCharacters = () => wasm().toString("latin1").replace(/[\\"\n\r]/g, (c) => ({ "\n": "\\n", "\r": "\\r" })[c] ?? `\\${c}`);

/**
 * Stands for the characters until the code around them is minified: a minifier would escape a hundred thousand of them.
 * It has the wasm's hash, so that the file's name depends on that too.
 */
const place = () => `PQSEAL_WASM_${createHash("sha256").update(wasm()).digest("hex")}`;
const asPlace = () => `export const wasm = () => Uint8Array.from("${place()}", (c) => c.charCodeAt(0));`;

/** HTML cannot carry every character, so the single file has base64. */
const asBase64 = () =>
    `export const wasm = () => Uint8Array.from(atob("${wasm().toString("base64")}"), (c) => c.charCodeAt(0));`;

/** The site's worker is a file of its own; the single file's is made from a text. */
export const workerFile = `export { default as workerUrl } from "/src/worker.ts?worker&url"; export const workerType = "module";`;
/**
 * A page from disk has no origin, and a module of none is refused: this one is a plain script.
 * @param {string} code
 */
export const workerText = (code) =>
    `export const workerType = "classic"; export const workerUrl = URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: "text/javascript" }));`;

/**
 * A plugin for modules that the build makes: functions that give their code, by name.
 * @param {Record<string, () => string>} modules
 * @returns {import("vite").Plugin}
 */
const virtual = (modules) => ({
    name: "virtual",
    resolveId: (id) => (id in modules ? `\0${id}` : null),
    load: (id) => modules[id.slice(1)]?.() ?? null,
});

/** @returns {import("vite").Plugin} */
export const forSite = () => ({
    ...virtual({ "virtual:wasm": asPlace, "virtual:worker": () => workerFile }),
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            // Minified, the quotes may be others.
            if (file.type === "chunk") file.code = file.code.replace(new RegExp(`(["\'\`])${place()}\\1`), () => `"${asCharacters()}"`);
        }
    },
});
export const forSingle = (code = "") => virtual({ "virtual:wasm": asBase64, "virtual:worker": () => workerText(code) });
