// Make keys: the worker generates a pair; the public key is shown as text, the private key is saved
// as a file.
import type { Registry } from "pqseal";
import { call } from "./client.ts";
import { attempt, button, byId, copy, fill, h, input, onClick, onSubmit, save } from "./dom.ts";
import { keyAdded } from "./keys.ts";
import type { KeyFacts } from "./protocol.ts";
import { mayLose } from "./unsaved.ts";

/** Descriptions of the usual choices. Others are listed by name. */
const inPlainWords: Record<string, string> = {
    "mlkem768-x25519": "Post-quantum and classical, recommended (ML-KEM-768 + X25519)",
    x25519: "Compatible with today's matched data (X25519)",
};

/** Returns the formats of a KEM's keys, the default first. */
const formsOf = (kem: string): string[] => {
    if (kem === "x25519") return ["raw", "pem", "json", "line"];
    // PEM is not defined for hybrids; plain base64 would not show the KEM of the key.
    return kem.includes("-") ? ["line"] : ["line", "pem"];
};
const formNames: Record<string, string> = {
    raw: "Base64",
    pem: "PEM",
    json: "JSON",
    line: "Key line",
};
const endings: Record<string, string> = { raw: "key", pem: "pem", json: "json", line: "key" };

let made: KeyFacts | undefined;
/** Set if the private key is here and in no file. */
let unsaved = false;
let registry: Registry | undefined;

export function startMake(): void {
    void attempt("make-error", listKems);
    onSubmit("make-form", "make-error", async () => {
        if (await mayLoseMade()) show(await call("make", { kem: input("make-kem").value }));
    });
    onClick("copy-public", "make-error",
        () => copy(button("copy-public"), input("made-public").value));
    onClick("save-private", "make-error", savePrivate);
    onClick("show-private", "make-error",
        async () => showPrivate(input("made-private").value === ""));
    onClick("use-private", "make-error", async () => {
        keyAdded(await call("use", undefined), "Made here");
        byId("made-facts").textContent = `${facts()} Added. Go to Open.`;
    });
    experimental().addEventListener("change", showKems);
    input("make-kem").addEventListener("change", showCaution);
    input("made-form").addEventListener("change", hidePrivate);
}

export const hasUnsaved = () => unsaved;

/** Resolves to true if the new private key is saved, or the user gives it up. */
export const mayLoseMade = async () => !unsaved || (await mayLose(made?.keyId ?? "", savePrivate));

/** Returns the bytes of the private key that is not saved yet, for the next worker. */
export const takeUnsaved = () => call("save", { form: "line" });

export async function restoreUnsaved(file: Uint8Array<ArrayBuffer>): Promise<void> {
    await call("restore", { file }, { transfer: [file.buffer] });
}

async function savePrivate(): Promise<void> {
    const form = input("made-form").value;
    const file = await privateFile();
    save(`pqseal-${made?.keyId ?? ""}.${endings[form]}`, [file]);
    file.fill(0);
    unsaved = false;
}

export function clearMake(): void {
    [made, unsaved] = [undefined, false];
    byId("make-error").textContent = "";
    byId("made").hidden = true;
    hidePrivate();
}

async function listKems(): Promise<void> {
    registry = await call("suites", undefined);
    showKems();
    button("make-go").disabled = false;
}

/** Shows the usual choices, then the rest, and experimental ones if the user asks for them. */
function showKems(): void {
    if (!registry) return;
    const { kems, default: suite } = registry;
    const known = Object.keys(inPlainWords).flatMap((name) =>
        kems.filter((kem) => kem.name === name)
    );
    const others = kems.filter((kem) =>
        !known.includes(kem) && (kem.status !== "experimental" || experimental().checked)
    );
    const options = [...known, ...others].map((kem) => {
        const name = inPlainWords[kem.name] ?? kem.registeredName;
        const option = h("option", "",
            kem.status === "experimental" ? `Experimental: ${name}` : name);
        option.value = kem.name;
        option.selected = kem.id === suite.kem;
        return option;
    });
    fill(byId("make-kem"), options);
    showCaution();
}

function showCaution(): void {
    const chosen = registry?.kems.find(({ name }) => name === input("make-kem").value);
    byId("make-caution").textContent = chosen?.status === "experimental"
        ? (chosen.caution ?? noStandard)
        : "";
}

const experimental = () => byId<HTMLInputElement>("make-experimental");
const noStandard = "No standard defines it: for tests, not for data that matters.";

function show(key: KeyFacts): void {
    [made, unsaved] = [key, true];
    hidePrivate();
    byId("made-facts").textContent = facts();
    input("made-public").value = key.publicKey;
    const options = formsOf(key.kem).map((form) => {
        const option = h("option", "", formNames[form] ?? form);
        option.value = form;
        return option;
    });
    fill(byId("made-form"), options);
    byId("made").hidden = false;
}

const facts = () => (made ? `${made.kem}, key id ${made.keyId}.` : "");

const privateFile = () => call("save", { form: input("made-form").value as "line" });

export const hidePrivate = () => void showPrivate(false);

async function showPrivate(shown: boolean): Promise<void> {
    const [field, toggle] = [input("made-private"), button("show-private")];
    field.value = shown ? new TextDecoder().decode(await privateFile()).trim() : "";
    field.hidden = !shown;
    toggle.textContent = shown ? "Hide" : "Show";
    toggle.ariaExpanded = String(shown);
}
