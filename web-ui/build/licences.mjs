// The licences of third-party code in the page: of the crates in the wasm, as wasm/build.sh wrote
// them, and of the packages of npm.
import { readFileSync } from "node:fs";
import { npmPackage, sections } from "../../wasm/npm/licences.mjs";

/** The folders of the packages that were seen in bundles. */
const folders = new Set();

/**
 * Sees what is in a bundle: of the page, or of a worker.
 * @returns {import("vite").Plugin}
 */
export const collect = () => ({
    name: "collect-licences",
    generateBundle(_, bundle) {
        for (const file of Object.values(bundle)) {
            for (const id of file.type === "chunk" ? file.moduleIds : []) {
                const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
                if (folder) folders.add(folder);
            }
        }
    },
});

/** Of all bundles that were made. */
export function licences() {
    const ofModules = readFileSync(new URL("../../wasm/pkg/licences.txt", import.meta.url), "utf8");
    return ofModules + sections([...folders].sort().map(npmPackage));
}

/**
 * Beside the page: it follows only the link. The mark at its beginning says that it is UTF-8, which
 * a server may not.
 * @returns {import("vite").Plugin}
 */
export const besideThePage = () => ({
    name: "licences",
    generateBundle: {
        order: "post",
        handler() {
            this.emitFile({
                type: "asset",
                fileName: "licences.txt",
                source: `\ufeff${licences()}`,
            });
        },
    },
});
