// The library's WebAssembly: `core` at once, replaced by `full` when an algorithm needs it. The
// single file only has `full`.
import { load, startSync } from "pqseal";
import { wasm as core } from "virtual:wasm";
import type { HeldCalendar } from "./calendar.ts";

/**
 * The module for helpers: compiled, or its bytes if the page is on disk, where Chromium cannot post
 * a compiled module.
 */
export let forHelpers: WebAssembly.Module | Uint8Array<ArrayBuffer>;
export let isFull = false;
/** The calendars of `full`, the only module that has any. */
export let Calendars: typeof HeldCalendar | undefined;

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
    loading ??= chunk.then(async ({ HeldCalendar, wasm }) => {
        const bytes = wasm();
        const module = await WebAssembly.compile(bytes);
        await load(module);
        [forHelpers, isFull, Calendars] = [core ? module : bytes, true, HeldCalendar];
    }, () => {
        throw new Error(
            "Only X25519 and X-Wing work, since a file of the page is missing on the server. Copy all files of the page there, and reload it.",
        );
    });
    return loading;
}
