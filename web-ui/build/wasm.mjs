// How wasm and worker get into the page. The page may fetch nothing, so each wasm travels within
// code of the worker.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @param {string} name */
const inPackage = (name) => new URL(`../../wasm/pkg/dist/${name}`, import.meta.url);
/** The wasm of each module that the build makes. */
const modules = {
    "virtual:wasm": "core_bg.wasm",
    "virtual:wasm-full": "sealed/core_bg.wasm",
    "virtual:wasm-files": "files/core_bg.wasm",
    "virtual:wasm-records": "../records/core_bg.wasm",
};
/** @param {string} file */
const wasm = (file) => readFileSync(inPackage(file));

/**
 * The entries of the package, without their wasm. Longer names first: another is their beginning.
 */
export const alias = {
    "pqseal/files": fileURLToPath(inPackage("files/slim.js")),
    "pqseal/records": fileURLToPath(inPackage("../records/slim.js")),
    "pqseal/sealed": fileURLToPath(inPackage("sealed/slim.js")),
    // What `load` takes: the page has the larger module in place of `full`.
    "./full/slim.js": fileURLToPath(inPackage("sealed/slim.js")),
    pqseal: fileURLToPath(inPackage("slim.js")),
};

/** What `suites()` says with every algorithm. */
const registry = async () => {
    const { suites } = await import(inPackage("full/index.js").href);
    return `export const registry = ${JSON.stringify(suites())};`;
};

/**
 * The characters of ASCII that a string between double quotes may hold as they are: UTF-8 has one
 * byte for each.
 */
const ascii = Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    !/["\\\n\r]/.test(String.fromCharCode(code))
);

/**
 * The code of the character that stands for each byte value. One character per byte leaves the
 * server's compression something to find, unlike base64: a third of the download. The most frequent
 * bytes get ASCII, themselves where possible, which saves another 10 kB.
 */
const codes = (/** @type {string} */ file) => {
    const counts = new Map(Array.from({ length: 256 }, (_, byte) => [byte, 0]));
    for (const byte of wasm(file)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
    const ordered = [...counts.keys()].sort((a, b) =>
        (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || a - b
    );
    const frequent = ordered.slice(0, ascii.length);
    const free = ascii.filter((code) => !frequent.includes(code));
    const codeOf = new Map(
        frequent.map((byte) => [byte, ascii.includes(byte) ? byte : free.shift() ?? 0]),
    );
    ordered.slice(ascii.length).forEach((byte, i) => codeOf.set(byte, 128 + i));
    return codeOf;
};

const asCharacters = (/** @type {string} */ file) => {
    const codeOf = codes(file);
    return Array.from(wasm(file), (byte) => String.fromCharCode(codeOf.get(byte) ?? 0)).join("");
};

/** The way back: at each code its byte. */
const table = (/** @type {string} */ file) => {
    const bytes = Buffer.alloc(128 + 256 - ascii.length);
    for (const [byte, code] of codes(file)) bytes[code] = byte;
    return bytes.toString("base64");
};

/**
 * Stands for the characters until the code around them is minified: a minifier would escape a
 * hundred thousand of them. It has the wasm's hash, so that the file's name depends on that too.
 */
const place = (/** @type {string} */ file) =>
    `PQSEAL_WASM_${createHash("sha256").update(wasm(file)).digest("hex")}`;
const asPlace = (/** @type {string} */ file) =>
    `const bytes = atob("${table(file)}");
    export const wasm = () => Uint8Array.from("${
        place(file)
    }", (c) => bytes.charCodeAt(c.charCodeAt(0)));`;

/** HTML cannot carry every character, so the single file has base64. */
const asBase64 = (/** @type {string} */ file) =>
    `export const wasm = () => Uint8Array.from(atob("${
        wasm(file).toString("base64")
    }"), (c) => c.charCodeAt(0));`;

/** @param {string} name */
const inPage = (name) => new URL(`../${name}`, import.meta.url);

/**
 * The page with its version and its build in it: a hash of each wasm and of all sources of the
 * page, the same on every machine.
 * @param {string} html
 */
export function stamped(html) {
    const hash = createHash("sha256");
    for (const file of Object.values(modules)) hash.update(wasm(file));
    hash.update(readFileSync(inPage("index.html")));
    const sources = readdirSync(inPage("src"), { recursive: true, withFileTypes: true }).filter((
        file,
    ) => file.isFile());
    for (const name of sources.map(({ parentPath, name }) => `${parentPath}/${name}`).sort())
        hash.update(readFileSync(name));
    const version = /^version = "(.*)"$/m.exec(readFileSync(inPage("../Cargo.toml"), "utf8"))?.[1];
    if (!version) throw new Error("no version in Cargo.toml");
    return html.replace("@VERSION@", version).replace("@BUILD@", hash.digest("hex").slice(0, 16));
}

/**
 * The site's workers are files of their own; those of the single file are made from a text.
 * @param {string} name
 */
const workerFile = (name) =>
    `export { default as ${name}Url } from "/src/${name}.ts?worker&url"; export const ${name}Type = "module";`;
/**
 * A page from disk has no origin, and a module of none is refused: this one is a plain script.
 * @param {string} name
 * @param {string} code
 */
const workerText = (name, code) =>
    `export const ${name}Type = "classic"; export const ${name}Url = URL.createObjectURL(new Blob([${
        JSON.stringify(code)
    }], { type: "text/javascript" }));`;

/**
 * The modules that say where the code of each worker is.
 * @param {(name: string) => string} write
 */
const withWorkers = (write) =>
    Object.fromEntries(
        ["worker", "opener", "searcher"].map((name) => [`virtual:${name}`, () => write(name)]),
    );

/**
 * A plugin for modules that the build makes: functions that give their code, by name.
 * @param {Record<string, () => string | Promise<string>>} modules
 * @returns {import("vite").Plugin}
 */
const virtual = (modules) => ({
    name: "virtual",
    resolveId: (id) => (id in modules ? `\0${id}` : null),
    load: (id) => modules[id.slice(1)]?.() ?? null,
});

/**
 * The modules that hold a wasm, each as `write` has it.
 * @param {(file: string) => string} write
 */
const withWasm = (write) =>
    Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, () => write(file)]));

/** @returns {import("vite").Plugin} */
export const forSite = () => ({
    ...virtual({ ...withWasm(asPlace), "virtual:registry": registry, ...withWorkers(workerFile) }),
    transformIndexHtml: stamped,
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            // Minified, the quotes may be others.
            if (file.type !== "chunk") continue;
            for (const name of Object.values(modules)) {
                file.code = file.code.replace(new RegExp(`(["\'\`])${place(name)}\\1`), () =>
                    `"${asCharacters(name)}"`);
            }
        }
    },
});
/**
 * The single file is opened from disk: `core` would spare nothing.
 * @param {Record<string, string>} code of each worker, if it is needed
 */
export const forSingle = (code = {}) =>
    virtual({
        ...withWasm(asBase64),
        "virtual:wasm": () => "export const wasm = undefined;",
        "virtual:registry": registry,
        ...withWorkers((name) => workerText(name, code[name] ?? "")),
    });
