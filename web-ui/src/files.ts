// Files: a file in the age format is decrypted, any other is encrypted. The worker does it in
// slices; the result is saved.
import { ageBeginning, isAge } from "./age.ts";
import { call } from "./client.ts";
import { type Child, attempt, button, byId, bytesOf, chosen, fill, input, onClick,
    onSubmit } from "./dom.ts";
import { showPanel } from "./panels.ts";
import type { FileFacts, FileTask } from "./protocol.ts";
import { chips } from "./shown.ts";
import { type Sink, sinkFor } from "./sink.ts";

let file: File | undefined;
let isRunning = false;

/**
 * The number of bytes read to detect a file's kind. Headers with a hundred post-quantum recipients
 * are longer.
 */
const beginning = 1 << 18;

export function startFiles(): void {
    const field = byId<HTMLInputElement>("file");
    field.addEventListener("change",
        () => void attempt("file-error", () => takeFiles(chosen(field))));
    onSubmit("decrypt-form", "file-error", decrypt);
    onSubmit("encrypt-form", "file-error", encrypt);
    onClick("file-cancel", "file-error", async () => void (await call("cancelFile", undefined)));
}

export function clearFiles(): void {
    file = undefined;
    byId("file-error").textContent = "";
    show(["No file yet."], undefined);
}

export const isAgeFile = async (file: File) =>
    isAge(new Uint8Array(await file.slice(0, ageBeginning).arrayBuffer()));

/** Shows the options for the first file. */
export async function takeFiles(files: File[]): Promise<void> {
    showPanel("files");
    const [first, ...others] = files;
    if (!first) return;
    if (isRunning) throw new Error("A file is being saved: wait until it is complete, or cancel.");
    file = first;
    byId("file-done").textContent = "";
    const of = (facts: string) => [chips(first.name), `, ${size(first.size)}${facts}`];
    if (await isAgeFile(first)) {
        show(of("."), "decrypt-form");
        const bytes = new Uint8Array(await first.slice(0, beginning).arrayBuffer());
        show(
            of(`: ${
                inWords(
                    await call("inspectFile", { beginning: bytes, size: first.size }, {
                        transfer: [bytes.buffer],
                    }),
                )
            }`),
            "decrypt-form",
        );
    } else show(of(": not encrypted."), "encrypt-form");
    if (others.length)
        throw new Error(
            `One file at a time; these were skipped: ${others.map(({ name }) => name).join(", ")}.`,
        );
}

function inWords({ armored, passphrase, postQuantum, types }: FileFacts): string {
    const kinds = [...new Set(types)].join(", ");
    const to = passphrase
        ? "with a passphrase"
        : `to ${types.length} ${types.length === 1 ? "recipient" : "recipients"} (${kinds})`;
    const quantum = postQuantum === undefined
        ? ""
        : postQuantum
        ? ", post-quantum"
        : ", not post-quantum";
    return `encrypted ${to}${quantum}${armored ? ", armored" : ""}.`;
}

function show(facts: Child[], form: "decrypt-form" | "encrypt-form" | undefined): void {
    fill(byId("file-facts"), facts);
    for (const id of ["decrypt-form", "encrypt-form"]) byId(id).hidden = id !== form;
    if (!form) byId("file-done").textContent = "";
}

async function decrypt(): Promise<void> {
    const [identities, passphrase] = [bytesOf(input("file-identity").value),
        bytesOf(input("file-passphrase").value)];
    const name = file?.name.replace(/\.age$/i, "") ?? "";
    await run({ kind: "decrypt", identities, passphrase },
        name === file?.name ? `${name}.decrypted` : name);
    input("file-passphrase").value = "";
}

async function encrypt(): Promise<void> {
    const [recipients, passphrase] = [input("file-recipients").value,
        bytesOf(input("file-new-passphrase").value)];
    if (recipients.trim() === "" && !passphrase.length)
        throw new Error("Nobody could decrypt it: give a recipient or a passphrase.");
    await run({
        kind: "encrypt",
        recipients,
        passphrase,
        armor: byId<HTMLInputElement>("file-armor").checked,
    }, `${file?.name}.age`);
}

/** Encrypts or decrypts a file. If that fails or is cancelled, nothing is left. */
async function run(task: FileTask, name: string): Promise<void> {
    const source = file;
    if (!source || isRunning) return;
    showRunning(true);
    byId("file-done").textContent = "";
    try {
        const sink = await sinkFor(name, source.size);
        if (sink) fill(byId("file-done"), await into(sink, task, source, name));
    } finally {
        showRunning(false);
    }
}

async function into(sink: Sink, task: FileTask, source: File, name: string): Promise<Child[]> {
    /** Resolves once all output so far is written. Until then the worker gets no more input. */
    let written = Promise.resolve();
    let length = 0;
    try {
        const isWhole = await call("file", { ...task, size: source.size }, {
            source,
            transfer: [task.passphrase.buffer,
                ...(task.kind === "decrypt" ? [task.identities.buffer] : [])],
            ready: () => written,
            piece({ read, chunk }) {
                byId<HTMLProgressElement>("file-bar").value = read / (source.size || 1);
                length += chunk.length;
                written = written.then(() => sink.write(chunk));
                // The failure is reported at the end.
                written.catch(() => call("cancelFile", undefined));
            },
        });
        await written;
        if (!isWhole) {
            await sink.abort();
            return ["Cancelled. Nothing was saved."];
        }
        await sink.close();
        return ["Saved ", chips(name), `, ${size(length)}.`];
    } catch (error) {
        // The first failure is reported.
        await sink.abort().catch(() => undefined);
        throw error;
    }
}

function showRunning(running: boolean): void {
    isRunning = running;
    byId<HTMLProgressElement>("file-bar").value = 0;
    byId("file-progress").hidden = !running;
    byId("file-done").ariaBusy = String(running);
    for (const id of ["decrypt-go", "encrypt-go"]) button(id).disabled = running;
}

const size = (bytes: number) =>
    new Intl.NumberFormat("en", {
        notation: "compact",
        style: "unit",
        unit: "byte",
        unitDisplay: "narrow",
    }).format(bytes);
