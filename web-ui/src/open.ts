// Open: what was pasted or dropped goes to the worker; its rows, counts and files come back.
import { call } from "./client.ts";
import { attempt, button, byId, input, onClick, onSubmit, save } from "./dom.ts";
import { addKeyFiles } from "./keys.ts";
import type { Counts, Progress, Run } from "./protocol.ts";
import { addRows, clearRows } from "./rows.ts";
import { boundTo } from "./seal.ts";
import { clearCounts, showCounts } from "./counts.ts";

/** The input in hand. It is read anew for each search and export. */
let source: Blob | undefined;
let running = false;

export function startOpen(): void {
    const file = byId<HTMLInputElement>("log-file");
    file.addEventListener("change", () => file.files?.[0] && openFile(file.files[0]));
    onSubmit("open-form", "run-error", async () => {
        const text = input("blobs").value;
        if (text.trim() === "") throw new Error("Nothing to open: paste sealed data, or choose a log export.");
        await open(new Blob([text]));
    });
    onSubmit("search-form", "run-error", () => show());
    onClick("cancel", "run-error", async () => void (await call("cancel", undefined)));
    onClick("save-ndjson", "run-error", () => exportAs("ndjson"));
    onClick("save-csv", "run-error", () => exportAs("csv"));
    startDrop();
}

export function clearOpen(): void {
    source = undefined;
    for (const id of ["blobs", "search", "log-file"]) input(id).value = "";
    byId("run-error").textContent = "";
    clearRows();
    clearCounts();
    setRunning(false);
}

function openFile(file: File): void {
    void attempt("run-error", () => open(file));
}

async function open(blob: Blob): Promise<void> {
    source = blob;
    input("search").value = "";
    await show();
}

async function show(): Promise<void> {
    clearRows();
    const search = input("search").value;
    const counts = await run("rows", ({ rows }) => addRows(rows, search));
    showCounts(counts, search);
}

async function exportAs(output: "ndjson" | "csv"): Promise<void> {
    const parts: BlobPart[] = [];
    // A browser moves large Blobs to disk: each part becomes one at once.
    const counts = await run(output, ({ chunk }) => chunk && parts.push(new Blob([chunk])));
    showCounts(counts, input("search").value);
    if (!counts.cancelled) save(`opened.${output}`, parts, output === "csv" ? "text/csv" : "application/x-ndjson");
}

async function run(output: Run["output"], progress: (progress: Progress) => void): Promise<Counts> {
    if (!source || running) throw new Error("Wait until it has ended, or cancel it.");
    setRunning(true);
    try {
        const ask: Run = { source, fields: fields(), search: input("search").value, output, options: boundTo("open") };
        return await call("run", ask, (part) => {
            showCounts(part.counts, ask.search);
            progress(part);
        });
    } finally {
        setRunning(false);
    }
}

const fields = () => input("fields").value.split(",").map((name) => name.trim()).filter((name) => name !== "");

function setRunning(now: boolean): void {
    running = now;
    // Screen readers say how it went, not every step of it.
    byId("counts").ariaBusy = String(now);
    button("cancel").disabled = !now;
    for (const id of ["search-go", "save-ndjson", "save-csv"]) button(id).disabled = now || !source;
    input("search").disabled = !source;
}

/** A file dropped on the key's card is a key, and anywhere else the log export. Left to the browser, it would take the page's place. */
function startDrop(): void {
    const veil = byId("drop");
    const isKey = (event: DragEvent) => byId("key-card").contains(event.target as Node);
    addEventListener("dragover", (event) => {
        event.preventDefault();
        veil.hidden = isKey(event);
    });
    addEventListener("dragleave", (event) => (veil.hidden ||= event.relatedTarget === null));
    addEventListener("drop", (event) => {
        event.preventDefault();
        veil.hidden = true;
        const files = event.dataTransfer?.files;
        if (!files?.[0]) return;
        if (isKey(event)) void addKeyFiles(files);
        else if (!running) openFile(files[0]);
    });
}
