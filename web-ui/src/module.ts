// The library's WebAssembly: `core` at once, and `full` in its place when an algorithm needs it. The single file has only `full`.
import { load, startSync } from "pqseal";
import { wasm as core } from "virtual:wasm";

/** What is in use, compiled, for the helpers. */
export let compiled: WebAssembly.Module;
export let isFull = false;

const chunk = import("./full.ts");
// It is asked for again where it is needed.
chunk.catch(() => undefined);

let loading: Promise<void> | undefined;

/** Every call waits for it. */
export const started: Promise<void> = core ? Promise.resolve(startCore(core())) : loadFull();

function startCore(wasm: Uint8Array<ArrayBuffer>): void {
    compiled = new WebAssembly.Module(wasm);
    startSync(compiled);
}

export function loadFull(): Promise<void> {
    loading ??= chunk.then(async ({ wasm }) => {
        const module = await WebAssembly.compile(wasm());
        await load(module);
        [compiled, isFull] = [module, true];
    }, () => {
        throw new Error("Only X25519 and X-Wing work, since a file of the page is missing on the server. Copy all files of the page there, and reload it.");
    });
    return loading;
}
