// The private keys that open: handed to the worker as bytes. The page has only their ids, kinds and public keys.
import { call } from "./client.ts";
import { attempt, byId, bytesOf, chosen, copy, h, input, onSubmit, press } from "./dom.ts";
import type { KeyFacts } from "./protocol.ts";

/** A key with where it came from: its file's name, or how it was given. */
type Listed = KeyFacts & { label: string };

let keys: Listed[] = [];
let opened: Record<string, number> = {};
let changed = (_: "added" | "removed") => {};

/** Calls `tell` for each key that is new, and for each that is removed. */
export function onKeysChanged(tell: typeof changed): void {
    changed = tell;
}

/** How many fields each key has opened, by its id. */
export function showOpenedBy(byKey: Record<string, number>): void {
    opened = byKey;
    for (const { keyId } of keys) byId(`opened-${keyId}`).textContent = openedText(keyId);
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
        await addKeyText(field.value, "Pasted");
        field.value = "";
    });
}

export function keyAdded(key: KeyFacts, label: string): void {
    if (keys.some(({ keyId }) => keyId === key.keyId)) return;
    keys.push({ ...key, label });
    show();
    changed("added");
}

export function clearKeys(why: string): void {
    [keys, opened] = [[], {}];
    show();
    byId("keys").textContent = why;
    byId("key-error").textContent = "";
}

async function removeKey(keyId: string): Promise<void> {
    await call("removeKey", { keyId });
    keys = keys.filter((key) => key.keyId !== keyId);
    show();
    changed("removed");
}

function show(): void {
    const names = keys.map(({ kem, keyId }) => `${kem} ${keyId}`).join(", ");
    byId("keys").textContent = keys.length === 0 ? "No key." : keys.length === 1 ? `Ready: ${names}.` : `${keys.length} keys ready: ${names}.`;
    byId("key-list").hidden = keys.length === 0;
    byId("key-list").replaceChildren(...keys.map(entry));
}

function entry({ label, kem, keyId, publicKey }: Listed): HTMLLIElement {
    const remove = press("quiet", "Remove", () => void attempt("key-error", () => removeKey(keyId)), `Remove the key ${keyId}`);
    const copyPublic = press("quiet", "Copy", () => void copy(copyPublic, publicKey), `Copy the public key of ${keyId}`);
    const count = h("span", "hint", openedText(keyId));
    count.id = `opened-${keyId}`;
    return h("li", "",
        h("div", "row", h("strong", "", label), h("span", "hint", `${kem}, id ${keyId}`), count, remove),
        h("details", "", h("summary", "", "Public key, to compare with the dashboard"), h("code", "", publicKey), " ", copyPublic));
}

const openedText = (keyId: string) => (opened[keyId] ? `opened ${opened[keyId].toLocaleString("en")}` : "");

/** From the file field, or dropped. */
export function addKeyFiles(files: File[]): Promise<void> {
    return attempt("key-error", async () => {
        for (const file of files) await add(new Uint8Array(await file.arrayBuffer()), file.name);
    });
}

export const addKeyText = (text: string, label: string) => add(bytesOf(text.trim()), label);

/** In bytes: no key's file is longer. */
const longest = 65_536;

/** Whether a file that was dropped is a key's: only what is in it says so. */
export async function isKeyFile(file: File): Promise<boolean> {
    if (file.size > longest) return false;
    const bytes = new Uint8Array(await file.arrayBuffer());
    return call("isKey", { file: bytes }, { transfer: [bytes.buffer] });
}

/** The bytes are handed over: the page keeps none. */
async function add(file: Uint8Array<ArrayBuffer>, label: string): Promise<void> {
    keyAdded(await call("addKey", { file }, { transfer: [file.buffer] }), label);
}
