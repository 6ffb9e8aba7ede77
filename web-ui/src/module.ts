// The library's WebAssembly: `core` at once, replaced by `full` when an algorithm needs it. The
// single file only has `full`.
import { load, startSync } from "pqseal";
import { wasm as core } from "virtual:wasm";

/**
 * The module for helpers: compiled, or its bytes if the page is on disk, where Chromium cannot post
 * a compiled module.
 */
export let forHelpers: WebAssembly.Module | Uint8Array<ArrayBuffer>;
/** What only the module `full` has, once it is loaded. */
export let full: typeof import("./full.ts") | undefined;

const chunk = import("./full.ts");
// Requested again where it is needed.
chunk.catch(() => undefined);

let loading: Promise<void> | undefined;

/** Resolves when the module is started. Every call waits for it. */
export const started: Promise<void> = core ? Promise.resolve(startCore(core())) : loadFull();

function startCore(wasm: Uint8Array<ArrayBuffer>): void {
    const module = new WebAssembly.Module(wasm);
    startSync(module);
    forHelpers = module;
}

export function loadFull(): Promise<void> {
    loading ??= chunk.then(async (all) => {
        const bytes = all.wasm();
        const module = await WebAssembly.compile(bytes);
        await load(module);
        [forHelpers, full] = [core ? module : bytes, all];
    }, () => {
        throw new Error(
            "Only X25519 and X-Wing work, since a file of the page is missing on the server. Copy all files of the page there, and reload it.",
        );
    });
    return loading;
}
