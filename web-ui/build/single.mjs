// npm run single: the page as one HTML file, to save and to open from disk. Prints its SHA-256.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { collect, licences } from "./licences.mjs";
import { alias, forSingle, stamped } from "./wasm.mjs";

/** @param {string} name */
const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
/** @param {string} text */
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * One entry and all it imports, as one text.
 * @param {string} entry
 * @param {import("vite").Plugin} plugin
 * @param {import("vite").LibraryFormats} format
 */
async function bundle(entry, plugin, format) {
    const built = await build({
        configFile: false,
        logLevel: "warn",
        resolve: { alias },
        plugins: [plugin, collect()],
        build: {
            write: false,
            target: "es2023",
            rolldownOptions: { output: { codeSplitting: false } },
            lib: { entry: path(entry), formats: [format], name: "pqseal", fileName: "part" },
        },
    });
    if (!Array.isArray(built)) throw new Error("a library is built into a list");
    const files = built.flatMap(({ output }) => output);
    const code = files.flatMap((file) => (file.type === "chunk" ? [file.code] : []))[0] ?? "";
    const css = files.flatMap((file) => (file.type === "asset" ? [file.source] : []))[0];
    return { code, css };
}

const searcher = await bundle("src/searcher.ts", forSingle(), "iife");
const opener = await bundle("src/opener.ts", forSingle(), "iife");
const worker = await bundle("src/worker.ts", forSingle(), "iife");
const page = await bundle("src/main.ts",
    forSingle({ worker: worker.code, opener: opener.code, searcher: searcher.code }), "es");
// Within <script> this would end it; in a JavaScript string it means the same.
const script = page.code.replaceAll("</script", "<\\/script");
const style = `${page.css}#licences pre { white-space: pre-wrap; overflow-wrap: anywhere; }`;
/** It may go from hand to hand, and the licences have to be with each copy. */
const withLicences =
    `<details id="licences"><summary>Licences of third-party code in this page</summary>
<pre>${licences().replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre></details>`;

// A policy in the page binds a worker that the page itself made; hashes in place of files: one
// changed byte and nothing runs.
const policy = [
    "default-src 'none'",
    `script-src ${hash(script)} 'wasm-unsafe-eval'`,
    "worker-src blob:",
    `style-src ${hash(style)}`,
    "img-src data:",
    "connect-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types worker",
].join("; ");

const html = stamped(readFileSync(path("index.html"), "utf8"))
    .replace(/content="default-src[^"]*"/, () => `content="${policy}"`)
    .replace(/<link rel="stylesheet"[^>]*>\n/, () => `<style>${style}</style>\n`)
    .replace(/<script type="module"[^>]*><\/script>\n/, () => "")
    .replace(/<p id="licences">.*<\/p>/, () => withLicences)
    .replace("</body>", () => `<script type="module">${script}</script>\n</body>`);

mkdirSync(path("dist-single"), { recursive: true });
writeFileSync(path("dist-single/pqseal.html"), html);
console.log(`${createHash("sha256").update(html).digest("hex")}  dist-single/pqseal.html`);
