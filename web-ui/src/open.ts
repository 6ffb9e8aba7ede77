// Open: what was pasted, chosen or dropped goes to the worker; its rows, counts and files come back.
import { call } from "./client.ts";
import { clearCounts, mayOpenWithMoreKeys, showCounts, showProgress } from "./counts.ts";
import { attempt, button, byId, chosen, fields, fill, input, onClick, save } from "./dom.ts";
import { isAgeFile, takeFiles } from "./files.ts";
import { addKeyFiles, addTyped, isKeyFile, onKeysChanged, showOpenedBy } from "./keys.ts";
import { withdrawExample } from "./offer.ts";
import { showPanel } from "./panels.ts";
import type { Counts, Progress, Row, Run } from "./protocol.ts";
import { follow as followUser, reveal } from "./reveal.ts";
import { boundTo } from "./seal.ts";
import { chips } from "./shown.ts";

/** An input with what is asked of it. Exports are of this, whatever the fields of the page say by then. */
interface View {
    /** All files as one, with their names and lengths beside it. */
    source: Blob;
    files: Run["files"];
    /** A file's name, or that it was pasted. */
    name: string;
    fields: string[];
    options: Run["options"];
}

/** A separate chunk, which follows the page: the page is ready before. */
const exploring = import("./explore/explore.ts");
/** In milliseconds: how often what is shown follows a run, at most. */
const follow = 2000;

/** What the page shows. It is read again for each export. */
let view: View | undefined;
/** How it went, once it has ended. */
let counts: Counts | undefined;
let running: { output: Run["output"]; ended: Promise<unknown> } | undefined;
/** How the keys changed during a run that reads the input once more. */
let again: "added" | "removed" | undefined;
/** Opens files, or pasted text that the box does not show, once more: Open does so while the box is empty. */
let unshown: (() => Promise<void>) | undefined;
/** Opens what was asked for before a key was there: the one in the field is wrong, or its passphrase is not given yet. */
let waiting: (() => Promise<void>) | undefined;

const pasted = "Pasted text";
/** In UTF-16 code units. */
const largePaste = 1_000_000;

export function startOpen(): void {
    const file = byId<HTMLInputElement>("log-file");
    file.addEventListener("change", () => void asked(() => openFiles(chosen(file))));
    byId("open-form").addEventListener("submit", (event) => {
        event.preventDefault();
        void asked(openForm);
    });
    input("blobs").addEventListener("keydown", (event) => {
        const { key, ctrlKey, metaKey, repeat } = event as KeyboardEvent;
        if (key !== "Enter" || !(ctrlKey || metaKey)) return;
        event.preventDefault();
        if (!repeat) byId<HTMLFormElement>("open-form").requestSubmit();
    });
    onClick("cancel", "run-error", async () => void (await call("cancel", undefined)));
    onClick("save-ndjson", "run-error", () => exportAs("ndjson"));
    onClick("save-csv", "run-error", () => exportAs("csv"));
    input("blobs").addEventListener("paste", (event) => pasteLarge(event as ClipboardEvent));
    onKeysChanged((how) => {
        const due = how === "added" && waiting;
        void (due ? asked(due) : attempt("run-error", () => openAgain(how === "removed")));
    });
    startDrop();
    exploring.then(({ startExplore }) => startExplore(openRow), () => {
        byId("broken").textContent = "A file of the page is missing on the server: opened data cannot be shown.";
    });
}

export function clearOpen(): void {
    forget();
    byId("run-error").textContent = "";
}

function forget(): void {
    [view, counts, again, unshown, waiting] = [undefined, undefined, undefined, undefined, undefined];
    void exploring.then(({ clearExplore }) => clearExplore());
    clearCounts();
    byId("source").textContent = "";
    showRunning();
}

export const openBytes = (bytes: Uint8Array<ArrayBuffer>, name: string) => openUnshown(new Blob([bytes]), name);

/** Each time with the options of that moment. */
function openUnshown(source: Blob, name: string, files?: Run["files"]): Promise<void> {
    unshown = () => open(source, name, files);
    return unshown();
}

/** What the user asks for: its outcome comes into view. */
async function asked(action: () => Promise<void>): Promise<void> {
    const mine = followUser();
    await attempt("run-error", action);
    if (!waiting) reveal(mine);
}

/** What is in the box; if it is empty, what was opened without being shown there, again. */
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

/** A text field takes minutes for what a log export holds: it is opened and not shown. */
function pasteLarge(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text") ?? "";
    if (text.length < largePaste) return;
    event.preventDefault();
    input("blobs").value = "";
    withdrawExample();
    void asked(() => openUnshown(new Blob([text]), pasted));
}

async function open(source: Blob, name: string, files = [{ name, size: source.size }]): Promise<void> {
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
    else if (view && (isRemoved || running || !counts || mayOpenWithMoreKeys(counts))) await show(view);
}

async function show(next: View): Promise<void> {
    const { refresh, resetExplore } = await exploring;
    while (running) await stop();
    [view, counts] = [next, undefined];
    resetExplore();
    clearCounts();
    fill(byId("source"), [chips(next.name), `, ${size(next.source.size)}`]);
    let due = 0;
    const showMore = async () => {
        const begun = performance.now();
        due = Infinity;
        await refresh(true);
        if (view === next && !byId("explore").hidden) reveal();
        // A tenth of the time at most goes into this.
        due = performance.now() + Math.max(follow, 10 * (performance.now() - begun));
    };
    try {
        const ended = await run(next, "rows", [], () => {
            if (view === next && performance.now() >= due) void attempt("search-error", showMore);
        });
        if (view !== next) return;
        counts = ended;
        tell(ended);
    } finally {
        if (view === next) await refresh();
    }
}

/** What was read is shown or saved, and what was not is named. */
function tell({ problems }: Counts): void {
    if (problems.length) throw new Error(problems.join("\n"));
}

/** Opened data that the worker had no room to keep. */
async function openRow(row: number): Promise<Row | undefined> {
    if (!view || running) throw new Error("Wait until the run has ended, then choose the record again.");
    let found: Row | undefined;
    await run(view, { row }, [], (part) => (found ??= part.row)).finally(catchUp);
    return found;
}

/** Opens the input again if the keys changed during such a run. */
async function catchUp(): Promise<void> {
    const due = again;
    again = undefined;
    if (due) await openAgain(due === "removed");
}

async function exportAs(output: "ndjson" | "csv"): Promise<void> {
    const { refresh, exportedColumns } = await exploring;
    // So that the current filters apply.
    await refresh();
    const columns = exportedColumns();
    if (!view || running) return;
    const parts: BlobPart[] = [];
    const focused = document.activeElement as HTMLElement | null;
    // A browser moves large Blobs to disk: each part becomes one at once.
    try {
        const ended = await run(view, output, columns, ({ chunk }) => chunk && parts.push(new Blob([chunk])));
        if (!ended.cancelled) save(`opened.${output}`, parts, output === "csv" ? "text/csv" : "application/x-ndjson");
        tell(ended);
    } finally {
        // A button that is off for a while loses it.
        if (document.activeElement === document.body) focused?.focus();
        await catchUp();
    }
}

/** Ends a run that shows rows, for another in its place. A file that is being written is not given up for it. */
async function stop(): Promise<void> {
    while (running) {
        if (typeof running.output === "string" && running.output !== "rows") throw new Error("A file is being saved: wait until it has ended, or cancel it.");
        await Promise.all([call("cancel", undefined), running.ended]);
    }
}

async function run(asked: View, output: Run["output"], columns: string[], progress: (progress: Progress) => void): Promise<Counts> {
    const { source, name: _, ...rest } = asked;
    const show = output === "rows" ? showOutcome : showProgress;
    const ending = call("run", { ...rest, output, columns }, {
        source,
        progress(part) {
            // What an export says is how far it is.
            if (view === asked) show(part.counts);
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
    new Intl.NumberFormat("en", { notation: "compact", style: "unit", unit: "byte", unitDisplay: "narrow" }).format(bytes);

function showRunning(): void {
    // Screen readers say how it went, not every step of it.
    byId("counts").ariaBusy = String(running !== undefined);
    byId("progress").hidden = !running;
    button("cancel").disabled = !running;
    for (const id of ["save-ndjson", "save-csv"]) button(id).disabled = running !== undefined || !view;
}

/** A key file is told from data by what is in it. Left to the browser, a dropped file would take the page's place; text may be dropped. */
function startDrop(): void {
    const veil = byId("drop");
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") === true;
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
    for (const file of dropped) sorted[(await isKeyFile(file)) ? "keys" : (await isAgeFile(file)) ? "age" : "data"].push(file);
    if (sorted.age.length) await attempt("file-error", () => takeFiles(sorted.age));
    await addKeyFiles(sorted.keys);
    if (sorted.data.length) await asked(() => openFiles(sorted.data));
}

async function openFiles(files: File[]): Promise<void> {
    const [first] = files;
    if (!first) return;
    withdrawExample();
    const name = files.length === 1 ? first.name : `${first.name} and ${files.length - 1} more`;
    await openUnshown(new Blob(files), name, files.map(({ name, size }) => ({ name, size })));
}
