// The private keys that open data. They are transferred to the worker as bytes. The page only keeps
// ids, kinds and public keys.
import { isAge, isCalendar } from "./age.ts";
import { call } from "./client.ts";
import { attempt, button, byId, bytesOf, chosen, copy, fields, fill, h, input, isCleared, onClick,
    onSubmit, press, setText } from "./dom.ts";
import { withdrawExample } from "./offer.ts";
import { isEncryptedPem } from "./pem.ts";
import type { KeyFacts } from "./protocol.ts";
import { chips } from "./shown.ts";
import { unwrapped } from "./unwrap.ts";
import { visible } from "./visible.ts";

/** A key with its source: the name of its file, or how it was given. */
type Listed = KeyFacts & { label: string };

let keys: Listed[] = [];
/** The files under a passphrase, unchanged. The passphrase of the first is asked for. */
let locked: { file: Uint8Array<ArrayBuffer>; label: string }[] = [];
let opened: Record<string, number> = {};
/** The name of the key that is not the user's own. */
export const exampleLabel = "Example";
let changed = (_: "added" | "removed") => {};

/** Calls `tell` for each key that is new, and for each that is removed. */
export function onKeysChanged(tell: typeof changed): void {
    changed = tell;
}

/** Shows how many fields each key has opened, by its id. */
export function showOpenedBy(byKey: Record<string, number>): void {
    opened = byKey;
    for (const key of keys) setText(byId(`opened-${key.keyId}`), openedText(key));
}

export function startKeys(): void {
    const files = byId<HTMLInputElement>("key-file");
    files.addEventListener("change", () => void addKeyFiles(chosen(files)));
    // The field has several lines for PEM, but Enter submits it.
    input("key-text").addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key !== "Enter" || (event as KeyboardEvent).shiftKey) return;
        event.preventDefault();
        byId<HTMLFormElement>("key-form").requestSubmit();
    });
    onSubmit("key-form", "key-error", addField);
    onSubmit("unlock-form", "key-error", unlock);
    onClick("unlock-skip", "key-error", () => showLocked(locked.slice(1)));
}

async function addField(): Promise<void> {
    const field = input("key-text");
    const text = field.value;
    try {
        await addKeyText(text, "Pasted");
    } catch (failure) {
        if (isCleared(failure)) throw failure;
        const isSealed = await call("inspect", { blob: unwrapped(text), fields: fields() }).then(
            () => true,
            () => false,
        );
        throw isSealed
            ? new Error(
                "This looks like encrypted data, not a private key: paste it under 2. Sealed data.",
            )
            : (failure as { code?: string }).code === "bad_key"
            ? new Error(
                `This is no private key in base64, PEM, JWK, the JSON of matched-data-cli or pqseal's line. ${
                    (failure as Error).message
                }`,
            )
            : failure;
    }
    field.value = "";
}

/**
 * Adds the key in the field. Returns false if it is invalid, which is shown next to it, or needs
 * its passphrase first.
 */
export async function addTyped(): Promise<boolean> {
    if (input("key-text").value.trim() === "") return true;
    const [error, before] = [byId("key-error"), locked.length];
    error.textContent = "";
    try {
        await addField();
        return locked.length === before;
    } catch (failure) {
        if (isCleared(failure)) throw failure;
        error.textContent = visible((failure as Error).message);
        input("key-text").focus();
        error.scrollIntoView({ block: "nearest" });
        return false;
    }
}

export function keyAdded(key: KeyFacts, label: string): void {
    if (label !== exampleLabel) withdrawExample();
    const same = keys.find(({ keyId }) => keyId === key.keyId);
    if (same && same.opens === key.opens) return;
    keys = [...keys.filter((other) => other !== same), { ...key, label }];
    show();
    changed("added");
}

export function clearKeys(why: string): void {
    [keys, opened] = [[], {}];
    show();
    showLocked([]);
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
    byId("keys").textContent = keys.length === 0
        ? "No key."
        : keys.length === 1
        ? `Ready: ${names}.`
        : `${keys.length} keys ready: ${names}.`;
    byId("key-list").hidden = keys.length === 0;
    fill(byId("key-list"), keys.map(entry));
}

function entry(key: Listed): HTMLLIElement {
    const { label, kem, keyId, publicKey, calendar, opens } = key;
    const remove = press("quiet", "Remove", () => void attempt("key-error", () => removeKey(keyId)),
        `Remove the key ${keyId}`);
    const copyPublic = press("quiet", "Copy", () => void copy(copyPublic, publicKey),
        `Copy the public key of ${keyId}`);
    const count = h("span", "hint", openedText(key));
    count.id = `opened-${keyId}`;
    return h("li", "",
        h("div", "row", h("strong", "", chips(label)), h("span", "hint", `${kem}, id ${keyId}`),
            count, remove), calendar
        ? h("div", "hint", "Calendar ", chips(calendar.name), ` reads ${calendar.readable}`)
        : opens
        ? h("div", "hint", `Opens only ${opens}.`)
        : h("details", "", h("summary", "", "Public key, to compare with the dashboard"),
            h("code", "", publicKey), " ", copyPublic));
}

function openedText({ keyId, calendar }: Listed): string {
    const ids = calendar?.keyIds ?? [keyId];
    const count = ids.reduce((sum, id) => sum + (opened[id] ?? 0), 0);
    return count ? `opened ${count.toLocaleString("en")}` : "";
}

/** Adds keys from the file field, or dropped ones. */
export function addKeyFiles(files: File[]): Promise<void> {
    return attempt("key-error", async () => {
        for (const file of files) await add(new Uint8Array(await file.arrayBuffer()), file.name);
    });
}

/** Adds keys in a text. The last line of a calendar needs its line end. */
export const addKeyText = (text: string, label: string) => add(bytesOf(`${text.trim()}\n`), label);

/** The maximum length of a key file in bytes. */
const longest = 65_536;
/**
 * That of a dropped encrypted one: two years of days of a calendar as text. A longer one is chosen
 * as a key, or dropped on the keys.
 */
const longestLocked = 250_000;

/** Reports whether a dropped file is a key file, which only its content shows. */
export async function isKeyFile(file: File): Promise<boolean> {
    if (isCalendar(new Uint8Array(await file.slice(0, 19).arrayBuffer()))) return true;
    if (file.size > longestLocked) return false;
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (file.size > longest && !isAge(bytes) && !isEncryptedPem(bytes)) return false;
    return call("isKey", { file: bytes }, { transfer: [bytes.buffer] });
}

/**
 * Adds keys. The bytes are transferred: the page keeps none, unless it must ask for a passphrase.
 */
async function add(file: Uint8Array<ArrayBuffer>, label: string): Promise<void> {
    if (isAge(file)) await refuseRecipients(file);
    if (isAge(file) || isEncryptedPem(file)) return showLocked([...locked, { file, label }]);
    for (const key of await call("addKey", { file }, { transfer: [file.buffer] }))
        keyAdded(key, label);
}

/** Refuses an age file that is encrypted to a key: only those with a passphrase are opened here. */
async function refuseRecipients(file: Uint8Array<ArrayBuffer>): Promise<void> {
    const { passphrase } = await call("inspectFile", { beginning: file, size: file.length });
    if (!passphrase)
        throw new Error(
            "This key file is encrypted to a key, and not with a passphrase. Decrypt it under Files, and choose the result.",
        );
}

/** Asks for the passphrase of the first. */
function showLocked(files: typeof locked): void {
    if (files[0] !== locked[0]) input("key-passphrase").value = "";
    // Other keys in them may not be encrypted.
    for (const { file } of locked) if (!files.some((kept) => kept.file === file)) file.fill(0);
    locked = files;
    byId("unlock-form").hidden = !locked[0];
    if (!locked[0]) return;
    byId("unlock-label").textContent = `Passphrase of ${visible(locked[0].label)}`;
    input("key-passphrase").focus();
}

async function unlock(): Promise<void> {
    const [first, passphrase] = [locked[0], bytesOf(input("key-passphrase").value)];
    if (!first) return;
    if (!passphrase.length) throw new Error("Give the passphrase of the key file.");
    button("unlock").disabled = true;
    try {
        const added = await call("addKey", { file: first.file, passphrase }, {
            transfer: [passphrase.buffer],
        });
        showLocked(locked.filter((file) => file !== first));
        for (const key of added) keyAdded(key, first.label);
    } finally {
        button("unlock").disabled = false;
    }
}
