import { createHash } from "node:crypto";
import { type Plugin, defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { served } from "./build/headers.ts";
import { besideThePage, collect } from "./build/licences.mjs";
import { alias, forSite } from "./build/wasm.mjs";

/**
 * Hashes of scripts and style in the page, so that a changed file next to it is refused. Workers
 * cannot have one. A chunk that the script imports later is loaded with the page by a link, which
 * has its hash: after that the page asks for nothing.
 */
const integrity = (): Plugin => ({
    name: "integrity",
    enforce: "post",
    // After Vite has written its imports into the script.
    generateBundle: {
        order: "post",
        handler(_, bundle) {
            const page = bundle["index.html"];
            if (page?.type !== "asset") throw new Error("no index.html");
            const later = Object.values(bundle).flatMap((
                file,
            ) => (file.type === "chunk" && file.isDynamicEntry ? [file.fileName] : []));
            const links = later.map((name) =>
                `<link rel="modulepreload" crossorigin href="./${name}">\n`
            ).join("");
            page.source = String(page.source).replace("</head>", () => `${links}</head>`).replace(
                /(?:src|href)="\.\/(assets\/[^"]+)"/g,
                (attribute, file: string) => {
                    const output = bundle[file];
                    if (!output) throw new Error(`no ${file}`);
                    const hash = createHash("sha384").update(
                        output.type === "chunk" ? output.code : output.source,
                    ).digest("base64");
                    return `${attribute} integrity="sha384-${hash}"`;
                },
            );
        },
    },
});

/**
 * WebKit runs a worker once more when a chunk imports it: keys would be added to one, and missing
 * in the other.
 */
const alone = (): Plugin => ({
    name: "alone",
    generateBundle(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const workers = chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName);
        const wrong = chunks.filter(({ imports }) => imports.some((name) => workers.includes(name)))
            .map(({ name }) => name);
        if (wrong.length)
            throw new Error(
                `the worker is imported by ${
                    wrong.join(", ")
                }: move what both need into a module that only one imports`,
            );
    },
});

/** Puts what the worker has in common with its chunks into a chunk, and nothing else. */
const shared = (): Plugin => {
    const both = /\/src\/(age|errors|recycle|release|slices)\.ts$/;
    let isWorker = false;
    return {
        name: "shared",
        options({ input }) {
            isWorker = JSON.stringify(input).includes("/worker.ts");
        },
        outputOptions: (options) => ({
            ...options,
            ...(isWorker && { codeSplitting: { groups: [{ name: "shared", test: both }] } }),
        }),
    };
};

/**
 * In place of Vite's own, which loads a chunk's style and what the chunk imports first: ours have
 * no style, and `integrity` links them all.
 */
const noPreload = (): Plugin => ({
    name: "no-preload",
    enforce: "pre",
    load: (
        id,
    ) => (id === "\0vite/preload-helper.js"
        ? "export const __vitePreload = (load) => load();"
        : undefined),
});

/**
 * Lets the bundler leave out the classes of the package that a worker does not use, in spite of
 * what the package does to each: `using`, a text for logs, and a registry of its memory.
 */
const onlyUsed = (): Plugin => ({
    name: "only-used",
    transform: (code, id) =>
        id.endsWith("/core.js")
            ? code.replace(/^(if \(Symbol\.dispose\) |describe\().*$/gm, "").replaceAll(
                ": new FinalizationRegistry(",
                ": /* @__PURE__ */ new FinalizationRegistry(",
            )
            : undefined,
});

// The mode `quick` is for tests: it packs nothing, and takes modules of any size.
export default defineConfig(({ mode }) => ({
    base: "./",
    resolve: { alias },
    plugins: [noPreload(), forSite(), integrity(), collect(), besideThePage(), served(),
        ...(mode === "quick" ? [] : [compress()])],
    build: {
        target: "es2023",
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
        chunkSizeWarningLimit: 3000,
    },
    worker: { format: "es", plugins: () => [forSite(), onlyUsed(), shared(), alone(), collect()] },
}));
