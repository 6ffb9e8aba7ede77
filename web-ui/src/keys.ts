// The private keys that open: handed to the worker as bytes, named here by their ids alone.
import { call } from "./client.ts";
import { attempt, byId, bytesOf, input, onSubmit } from "./dom.ts";
import type { KeyFacts } from "./protocol.ts";

let keys: KeyFacts[] = [];

export function startKeys(): void {
    const files = byId<HTMLInputElement>("key-file");
    files.addEventListener("change", () => {
        void addKeyFiles(files.files);
    });
    // A field of one line would lose the line breaks of a PEM file.
    input("key-text").addEventListener("paste", (event) => {
        const text = (event as ClipboardEvent).clipboardData?.getData("text") ?? "";
        if (!text.trim().includes("\n")) return;
        event.preventDefault();
        void attempt("key-error", () => add(bytesOf(text)));
    });
    onSubmit("key-form", "key-error", async () => {
        const field = input("key-text");
        await add(bytesOf(field.value.trim()));
        field.value = "";
    });
}

export function keyAdded(key: KeyFacts): void {
    if (!keys.some(({ keyId }) => keyId === key.keyId)) keys.push(key);
    const names = keys.map(({ kem, keyId }) => `${kem} ${keyId}`).join(", ");
    byId("keys").textContent = keys.length === 1 ? `Ready: ${names}.` : `${keys.length} keys ready: ${names}.`;
}

export function clearKeys(why: string): void {
    keys = [];
    byId("keys").textContent = why;
    byId("key-error").textContent = "";
    input("key-text").value = "";
    input("key-file").value = "";
}

/** From the file field, or dropped. */
export function addKeyFiles(files: FileList | null): Promise<void> {
    return attempt("key-error", async () => {
        for (const file of [...(files ?? [])]) await add(new Uint8Array(await file.arrayBuffer()));
        // The same file may be chosen again after a clear.
        input("key-file").value = "";
    });
}

/** The bytes are handed over: the page keeps none. */
async function add(file: Uint8Array<ArrayBuffer>): Promise<void> {
    keyAdded(await call("addKey", { file }, undefined, [file.buffer]));
}
