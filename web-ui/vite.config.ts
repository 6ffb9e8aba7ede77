import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { type Plugin, defineConfig } from "vite";
import { compress } from "./build/compress.ts";
import { headers } from "./build/headers.ts";
import { forSite } from "./build/wasm.mjs";

/** Hashes of script and style in the page, so that a changed file beside it is refused. Workers cannot have one. */
const integrity = (): Plugin => ({
    name: "integrity",
    enforce: "post",
    generateBundle(_, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("no index.html");
        page.source = String(page.source).replace(/(?:src|href)="\.\/(assets\/[^"]+)"/g, (attribute, file: string) => {
            const output = bundle[file];
            if (!output) throw new Error(`no ${file}`);
            const hash = createHash("sha384").update(output.type === "chunk" ? output.code : output.source).digest("base64");
            return `${attribute} integrity="sha384-${hash}"`;
        });
    },
});

export default defineConfig({
    base: "./",
    resolve: { alias: { pqseal: fileURLToPath(new URL("../wasm/pkg/dist/slim.js", import.meta.url)) } },
    plugins: [forSite(), integrity(), compress()],
    build: { target: "es2023", modulePreload: { polyfill: false }, assetsInlineLimit: 0, chunkSizeWarningLimit: 3000 },
    worker: { format: "es", plugins: () => [forSite()] },
    preview: { headers },
});
