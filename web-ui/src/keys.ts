// The private keys that open: handed to the worker as bytes, named here by their ids alone.
import { call } from "./client.ts";
import { attempt, byId, bytesOf, chosen, input, onSubmit } from "./dom.ts";
import type { KeyFacts } from "./protocol.ts";

let keys: KeyFacts[] = [];
let added = () => {};

/** Calls `tell` for each key that is new. */
export function onKeyAdded(tell: () => void): void {
    added = tell;
}

export function startKeys(): void {
    const files = byId<HTMLInputElement>("key-file");
    files.addEventListener("change", () => void addKeyFiles(chosen(files)));
    // The field has several lines for PEM, and Enter sends it all the same.
    input("key-text").addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key !== "Enter" || (event as KeyboardEvent).shiftKey) return;
        event.preventDefault();
        byId<HTMLFormElement>("key-form").requestSubmit();
    });
    onSubmit("key-form", "key-error", async () => {
        const field = input("key-text");
        await addKeyText(field.value);
        field.value = "";
    });
}

export function keyAdded(key: KeyFacts): void {
    if (keys.some(({ keyId }) => keyId === key.keyId)) return;
    keys.push(key);
    const names = keys.map(({ kem, keyId }) => `${kem} ${keyId}`).join(", ");
    byId("keys").textContent = keys.length === 1 ? `Ready: ${names}.` : `${keys.length} keys ready: ${names}.`;
    added();
}

export function clearKeys(why: string): void {
    keys = [];
    byId("keys").textContent = why;
    byId("key-error").textContent = "";
}

/** From the file field, or dropped. */
export function addKeyFiles(files: File[]): Promise<void> {
    return attempt("key-error", async () => {
        for (const file of files) await add(new Uint8Array(await file.arrayBuffer()));
    });
}

export const addKeyText = (text: string) => add(bytesOf(text.trim()));

/** In bytes: no key's file is longer. */
const longest = 65_536;

/** Whether a file that was dropped is a key's: only what is in it says so. */
export async function isKeyFile(file: File): Promise<boolean> {
    if (file.size > longest) return false;
    const bytes = new Uint8Array(await file.arrayBuffer());
    return call("isKey", { file: bytes }, { transfer: [bytes.buffer] });
}

/** The bytes are handed over: the page keeps none. */
async function add(file: Uint8Array<ArrayBuffer>): Promise<void> {
    keyAdded(await call("addKey", { file }, { transfer: [file.buffer] }));
}
