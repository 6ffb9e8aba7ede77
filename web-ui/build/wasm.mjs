// How wasm and worker get into the page. The page may fetch nothing, so the wasm travels within the worker's code.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const wasm = () => readFileSync(new URL("../../wasm/pkg/dist/core_bg.wasm", import.meta.url));

/** The characters of ASCII that a string between double quotes may hold as they are: UTF-8 has one byte for each. */
const ascii = Array.from({ length: 128 }, (_, code) => code).filter((code) => !/["\\\n\r]/.test(String.fromCharCode(code)));

/**
 * The code of the character that stands for each byte value. One character per byte leaves the server's compression something to find,
 * unlike base64: a third of the download. The most frequent bytes get ASCII, themselves where possible, which saves another 10 kB.
 */
const codes = () => {
    const counts = new Map(Array.from({ length: 256 }, (_, byte) => [byte, 0]));
    for (const byte of wasm()) counts.set(byte, (counts.get(byte) ?? 0) + 1);
    const ordered = [...counts.keys()].sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a - b);
    const frequent = ordered.slice(0, ascii.length);
    const free = ascii.filter((code) => !frequent.includes(code));
    const codeOf = new Map(frequent.map((byte) => [byte, ascii.includes(byte) ? byte : free.shift() ?? 0]));
    ordered.slice(ascii.length).forEach((byte, i) => codeOf.set(byte, 128 + i));
    return codeOf;
};

const asCharacters = () => {
    const codeOf = codes();
    return Array.from(wasm(), (byte) => String.fromCharCode(codeOf.get(byte) ?? 0)).join("");
};

/** The way back: at each code its byte. */
const table = () => {
    const bytes = Buffer.alloc(128 + 256 - ascii.length);
    for (const [byte, code] of codes()) bytes[code] = byte;
    return bytes.toString("base64");
};

/**
 * Stands for the characters until the code around them is minified: a minifier would escape a hundred thousand of them.
 * It has the wasm's hash, so that the file's name depends on that too.
 */
const place = () => `PQSEAL_WASM_${createHash("sha256").update(wasm()).digest("hex")}`;
const asPlace = () => `const bytes = atob("${table()}");
    export const wasm = () => Uint8Array.from("${place()}", (c) => bytes.charCodeAt(c.charCodeAt(0)));`;

/** HTML cannot carry every character, so the single file has base64. */
const asBase64 = () =>
    `export const wasm = () => Uint8Array.from(atob("${wasm().toString("base64")}"), (c) => c.charCodeAt(0));`;

/** @param {string} name */
const inPage = (name) => new URL(`../${name}`, import.meta.url);

/**
 * The page with its version and its build in it: a hash of the wasm and of all sources of the page, the same on every machine.
 * @param {string} html
 */
export function stamped(html) {
    const hash = createHash("sha256").update(wasm()).update(readFileSync(inPage("index.html")));
    const sources = readdirSync(inPage("src"), { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    for (const name of sources.map(({ parentPath, name }) => `${parentPath}/${name}`).sort()) hash.update(readFileSync(name));
    const version = /^version = "(.*)"$/m.exec(readFileSync(inPage("../Cargo.toml"), "utf8"))?.[1];
    if (!version) throw new Error("no version in Cargo.toml");
    return html.replace("@VERSION@", version).replace("@BUILD@", hash.digest("hex").slice(0, 16));
}

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
    transformIndexHtml: stamped,
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            // Minified, the quotes may be others.
            if (file.type === "chunk") file.code = file.code.replace(new RegExp(`(["\'\`])${place()}\\1`), () => `"${asCharacters()}"`);
        }
    },
});
export const forSingle = (code = "") => virtual({ "virtual:wasm": asBase64, "virtual:worker": () => workerText(code) });
