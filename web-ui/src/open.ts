// Open: pasted text or files go to the worker; its rows, counts and files come back.
import { call } from "./client.ts";
import { clearCounts, mayOpenWithMoreKeys, showCounts, showProgress } from "./counts.ts";
import { attempt, button, byId, chosen, fields, fill, input, onClick, save } from "./dom.ts";
import { isAgeFile, takeFiles } from "./files.ts";
import { addKeyFiles, addTyped, isKeyFile, onKeysChanged, showOpenedBy } from "./keys.ts";
import { withdrawExample } from "./offer.ts";
import { showPanel } from "./panels.ts";
import { type Preset, fieldsOf, kindOf, presetOf } from "./presets.ts";
import type { Counts, Progress, Row, Run } from "./protocol.ts";
import { follow, reveal } from "./reveal.ts";
import { boundTo } from "./seal.ts";
import { chips } from "./shown.ts";
import { hideSummary, showSummary } from "./summary.ts";

/** An input with its options. Exports use these, even if the fields of the page change. */
interface OpenInput {
    /** All files as one blob, next to their names and lengths. */
    source: Blob;
    files: Run["files"];
    /** The name of a file, or a note that it was pasted. */
    name: string;
    fields: string[];
    options: Run["options"];
}

/** A chunk that is loaded after the page, which is ready before. */
const exploring = import("./explore/explore.ts");
/** The minimum time, in milliseconds, between updates during a run. */
const updateInterval = 2000;

/** The input that is shown. Each export reads it again. */
let current: OpenInput | undefined;
/** The outcome, once it has ended. */
let counts: Counts | undefined;
let running: { output: Run["output"]; ended: Promise<unknown> } | undefined;
/** The change of keys during a run that reads the input again. */
let again: "added" | "removed" | undefined;
/**
 * Opens again the files or pasted text that the box does not show. Open does so while the box is
 * empty.
 */
let unshown: (() => Promise<void>) | undefined;
/**
 * Opens what was requested before there was a key: the one in the field is invalid, or needs its
 * passphrase.
 */
let waiting: (() => Promise<void>) | undefined;

const pasted = "Pasted text";
/** The length of a large paste, in UTF-16 code units. */
const largePaste = 1_000_000;

export function startOpen(): void {
    const file = byId<HTMLInputElement>("log-file");
    file.addEventListener("change", () => void perform(() => openFiles(chosen(file))));
    byId("open-form").addEventListener("submit", (event) => {
        event.preventDefault();
        void perform(openForm);
    });
    input("blobs").addEventListener("keydown", (event) => {
        const { key, ctrlKey, metaKey, repeat } = event as KeyboardEvent;
        if (key !== "Enter" || !(ctrlKey || metaKey)) return;
        event.preventDefault();
        if (!repeat) byId<HTMLFormElement>("open-form").requestSubmit();
    });
    const preset = input("sealed-by");
    preset.addEventListener("change",
        () => (input("fields").value = fieldsOf(preset.value as Preset)));
    input("fields").addEventListener("input", () => (preset.value = presetOf(fields()) ?? ""));
    onClick("cancel", "run-error", async () => void (await call("cancel", undefined)));
    onClick("save-ndjson", "run-error", () => exportAs("ndjson"));
    onClick("save-csv", "run-error", () => exportAs("csv"));
    input("blobs").addEventListener("paste", (event) => pasteLarge(event as ClipboardEvent));
    onKeysChanged((how) => {
        const due = how === "added" && waiting;
        void (due ? perform(due) : attempt("run-error", () => openAgain(how === "removed")));
    });
    startDrop();
    exploring.then(({ startExplore }) => startExplore(openRow, fold), () => {
        byId("broken").textContent =
            "A file of the page is missing on the server: opened data cannot be shown.";
    });
}

/**
 * Folds the steps before the records while these are a table, if any data was opened. The records
 * stay where they are in the window.
 */
function fold(isTable: boolean): void {
    const top = () => byId("results-title").getBoundingClientRect().top;
    const before = top();
    if (current && isTable && (counts?.opened ?? 0) > 0) showSummary(current.name);
    else if (!counts || !isTable) hideSummary();
    scrollBy(0, top() - before);
}

export function clearOpen(): void {
    forget();
    byId("run-error").textContent = "";
}

function forget(): void {
    [current, counts, again, unshown, waiting] = [undefined, undefined, undefined, undefined,
        undefined];
    void exploring.then(({ clearExplore }) => clearExplore());
    clearCounts();
    hideSummary();
    byId("source").textContent = "";
    showRunning();
}

export const openBytes = (bytes: Uint8Array<ArrayBuffer>, name: string) =>
    openUnshown(new Blob([bytes]), name);

/** Opens an input that the box does not show, each time with the current options. */
function openUnshown(source: Blob, name: string, files?: Run["files"]): Promise<void> {
    unshown = () => open(source, name, files);
    return unshown();
}

/** Runs what the user asked for, and brings its outcome into view. */
async function perform(action: () => Promise<void>): Promise<void> {
    const mine = follow();
    await attempt("run-error", action);
    if (!waiting) reveal(mine);
}

/** Opens the text in the box; if it is empty, opens again what was opened without being shown. */
export async function openForm(): Promise<void> {
    const text = input("blobs").value;
    if (text.trim() !== "") {
        unshown = undefined;
        return open(new Blob([text]), pasted);
    }
    if (unshown) return unshown();
    if (running) await stop();
    forget();
    throw new Error("Nothing to open: paste sealed data, or choose a log export.");
}

/** Opens a large paste without showing it, since a text field takes minutes for a log export. */
function pasteLarge(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.length < largePaste) return;
    event.preventDefault();
    input("blobs").value = "";
    withdrawExample();
    void perform(() => openUnshown(new Blob([text]), pasted));
}

async function open(source: Blob, name: string,
    files = [{ name, size: source.size }]): Promise<void>
{
    waiting = undefined;
    if (!(await addTyped())) {
        waiting = () => open(source, name, files);
        return;
    }
    await stop();
    await show({ source, files, name, fields: fields(), options: boundTo("open") });
}

/** Opens the same input once more if a new key may open more of it, or if a key was removed. */
async function openAgain(isRemoved = false): Promise<void> {
    if (running && running.output !== "rows") again = isRemoved ? "removed" : (again ?? "added");
    else if (current && (isRemoved || running || !counts || mayOpenWithMoreKeys(counts)))
        await show(current);
}

async function show(next: OpenInput): Promise<void> {
    const { refresh, resetExplore } = await exploring;
    while (running) await stop();
    [current, counts] = [next, undefined];
    resetExplore();
    clearCounts();
    fill(byId("source"), [chips(next.name), `, ${size(next.source.size)}`]);
    let due = 0;
    const showMore = async () => {
        const begun = performance.now();
        due = Infinity;
        await refresh(true);
        if (current === next && !byId("explore").hidden) reveal();
        // Updates take at most a tenth of the time.
        due = performance.now() + Math.max(updateInterval, 10 * (performance.now() - begun));
    };
    try {
        const ended = await run(next, "rows", [], () => {
            if (current === next && performance.now() >= due)
                void attempt("search-error", showMore);
        });
        if (current !== next) return;
        counts = ended;
        throwProblems(ended);
    } finally {
        if (current === next) await refresh();
    }
}

/** Throws problems. What was read is shown or saved all the same. */
function throwProblems({ problems }: Counts): void {
    if (problems.length) throw new Error(problems.join("\n"));
}

/** Opens a row whose data the worker had no room to keep. */
async function openRow(row: number): Promise<Row | undefined> {
    if (!current || running)
        throw new Error("Wait until the run has ended, then choose the record again.");
    let found: Row | undefined;
    await run(current, { row }, [], (part) => (found ??= part.row)).finally(catchUp);
    return found;
}

/** Opens the input again if the keys changed during the run. */
async function catchUp(): Promise<void> {
    const due = again;
    again = undefined;
    if (due) await openAgain(due === "removed");
}

async function exportAs(output: "ndjson" | "csv"): Promise<void> {
    const { refresh, exportedColumns, exportName } = await exploring;
    // Applies the current filters.
    await refresh();
    const columns = exportedColumns();
    if (!current || running) return;
    const name = exportName(current.name);
    const parts: BlobPart[] = [];
    const focused = document.activeElement as HTMLElement | null;
    // Browsers move large Blobs to disk, so each part becomes one at once.
    try {
        const ended = await run(current, output, columns, ({ chunk }) =>
            chunk && parts.push(new Blob([chunk])));
        if (!ended.cancelled)
            save(`${name}.${output}`, parts,
                output === "csv" ? "text/csv" : "application/x-ndjson");
        throwProblems(ended);
    } finally {
        // A button loses the focus while it is disabled.
        if (document.activeElement === document.body) focused?.focus();
        await catchUp();
    }
}

/** Ends a run that shows rows, for another one. A run that saves a file is not ended. */
async function stop(): Promise<void> {
    while (running) {
        if (typeof running.output === "string" && running.output !== "rows")
            throw new Error("A file is being saved: wait until it is complete, or cancel.");
        await Promise.all([call("cancel", undefined), running.ended]);
    }
}

/**
 * Returns the memory for opened data in bytes, if it is known: a part of the device's, which is
 * given as at most 8 GB or so.
 */
function roomBytes(): number | undefined {
    const [chosen, { deviceMemory }] = [Number(input("room").value), navigator];
    if (chosen) return chosen * 1e6;
    return deviceMemory && Math.min(1e9, Math.max(64e6, deviceMemory * 64e6));
}

/** Reports whether there is opened data, which leaving the page would lose. */
export const hasOpened = (): boolean => current !== undefined;

async function run(next: OpenInput, output: Run["output"], columns: string[],
    progress: (progress: Progress) => void): Promise<Counts>
{
    const { source, name: _, ...rest } = next;
    const room = roomBytes();
    const show = output === "rows" ? showOutcome : showProgress;
    const sealedAs = kindOf(rest.fields);
    const more = { ...(room && { room }), ...(sealedAs && { sealedAs }) };
    const ending = call("run", { ...rest, ...more, output, columns }, {
        source,
        progress(part) {
            // During an export only the progress is shown.
            if (current === next) show(part.counts);
            progress(part);
        },
    });
    const mine = { output, ended: ending.catch(() => undefined) };
    running = mine;
    showRunning();
    try {
        return await ending;
    } finally {
        if (running === mine) running = undefined;
        showRunning();
    }
}

function showOutcome(counts: Counts): void {
    showCounts(counts);
    showOpenedBy(counts.byKey);
}

const size = (bytes: number) =>
    new Intl.NumberFormat("en", {
        notation: "compact",
        style: "unit",
        unit: "byte",
        unitDisplay: "narrow",
    }).format(bytes);

function showRunning(): void {
    // Screen readers announce the outcome, not every step.
    byId("counts").ariaBusy = String(running !== undefined);
    byId("progress").hidden = !running;
    button("cancel").disabled = !running;
    for (const id of ["save-ndjson", "save-csv"])
        button(id).disabled = running !== undefined || !current;
}

/**
 * Handles dropped files. Key files are recognized by content. By default a browser would replace
 * the page by the file; text may be dropped.
 */
function startDrop(): void {
    const veil = byId("drop");
    const hasFiles = ({ dataTransfer }: DragEvent) =>
        dataTransfer?.types.includes("Files") === true;
    addEventListener("dragover", (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        veil.hidden = false;
    });
    addEventListener("dragleave", (event) => (veil.hidden ||= event.relatedTarget === null));
    addEventListener("drop", (event) => {
        veil.hidden = true;
        if (!hasFiles(event)) return;
        event.preventDefault();
        const files = [...(event.dataTransfer?.files ?? [])];
        if (!byId("files").hidden) return void attempt("file-error", () => takeFiles(files));
        showPanel("open");
        const isKey = byId("key-card").contains(event.target as Node);
        void (isKey ? addKeyFiles(files) : attempt("run-error", () => openDropped(files)));
    });
}

async function openDropped(dropped: File[]): Promise<void> {
    const sorted: Record<"keys" | "age" | "data", File[]> = { keys: [], age: [], data: [] };
    for (const file of dropped)
        sorted[(await isKeyFile(file)) ? "keys" : (await isAgeFile(file)) ? "age" : "data"].push(
            file,
        );
    if (sorted.age.length) await attempt("file-error", () => takeFiles(sorted.age));
    await addKeyFiles(sorted.keys);
    if (sorted.data.length) await perform(() => openFiles(sorted.data));
}

async function openFiles(files: File[]): Promise<void> {
    const [first] = files;
    if (!first) return;
    withdrawExample();
    const name = files.length === 1 ? first.name : `${first.name} and ${files.length - 1} more`;
    await openUnshown(new Blob(files), name, files.map(({ name, size }) => ({ name, size })));
}
