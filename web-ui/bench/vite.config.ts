import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { forSite } from "../build/wasm.mjs";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
    root: path("."),
    base: "./",
    resolve: { alias: { pqseal: path("../../wasm/pkg/dist/slim.js") } },
    plugins: [forSite()],
    build: {
        target: "es2023",
        outDir: path("../dist-bench"),
        emptyOutDir: true,
        chunkSizeWarningLimit: 3000,
    },
});
