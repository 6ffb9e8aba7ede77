// The worker's helpers. Each opens a part of the records; results are taken in the order of the
// records.
import type { Batch } from "./batch.ts";
import type { Opening } from "./opening.ts";
import { isNotLoaded } from "./errors.ts";
import { Buffers } from "./recycle.ts";
import { release } from "./release.ts";
import { type Records, arraysOf, copyTo, sizeOf } from "./transfer.ts";
import type { OpenSettings } from "./values.ts";

/** A message of the page about helpers: one has started, with the port to it, or could not. */
export type ToPool = { kind: "opener"; number: number; port: MessagePort } | {
    kind: "no-opener";
    number: number;
};

/** The helper's end of that port. */
export type ToOpener = { kind: "port"; port: MessagePort };

/** The data that a helper needs for a run. */
export interface Begin {
    module: WebAssembly.Module | Uint8Array<ArrayBuffer>;
    isFull: boolean;
    /** The module that finds sealed values. */
    records: WebAssembly.Module | Uint8Array<ArrayBuffer>;
    /** Serialized private keys, and the texts of calendars, without a KEM. */
    keys: { kem?: string; bytes: Uint8Array<ArrayBuffer> }[];
    settings: OpenSettings;
}

/** Records, and a buffer for the results. */
export interface Open {
    kind: "open";
    id: number;
    records: Records;
    spare: ArrayBuffer;
}

export type OpenerRequest = ({ kind: "begin" } & Begin) | Open | { kind: "end" };

/**
 * An answer. `unready` is sent by a helper that is asked for records before it got what it needs,
 * as sometimes happens in Firefox 153.
 */
export type OpenerReply =
    | { kind: "ready" }
    | { kind: "unready" }
    /** The result, with the buffer of the records. */
    | { kind: "opened"; id: number; opened: Batch; used: ArrayBuffer }
    | { kind: "failed"; id: number; code: string | undefined; used: ArrayBuffer };

interface Waiting {
    /** A copy, in case the helper does not open them. */
    records: Records;
    late: ReturnType<typeof setTimeout>;
    resolve(opened: Batch): void;
    reject(error: Error): void;
}

interface Opener {
    number: number;
    port: MessagePort;
    waiting: Map<number, Waiting>;
}

/**
 * The helpers that run. A browser may take long to start one, or never do it without notice, so
 * none gets work before.
 */
let openers: Opener[] = [];
/** The time in milliseconds after which a helper is given up. A batch usually takes some ten. */
const patience = 30_000;
let here: { opening: Opening; begin?: () => Begin } | undefined;
let lastId = 0;
const buffers = new Buffers();
/** The size in bytes of the last batch's buffer. */
let usual = 0;

/** Returns the buffer of a batch for reuse. */
export const doneWith = ({ rows }: Batch): void => buffers.give(rows.buffer);

export function receiveOpener(message: ToPool): void {
    if (message.kind === "opener") listen(message.number, message.port);
    else remove(message.number);
}

/** The number of batches per helper: one in work, and one that waits. */
const most = 2;

/** Returns the number of batches that may be in transit. */
export const mostBatches = () => most * openers.length + 1;

/**
 * Begins a run. `opening` does what no helper can do, and `begin` makes what each helper needs; its
 * keys are overwritten. Without it no helper is used.
 */
export function beginRun(opening: Opening, begin?: () => Begin): void {
    here = { opening, ...(begin && { begin }) };
    for (const opener of openers) tellBegin(opener);
}

export function endRun(): void {
    here = undefined;
    buffers.clear();
    for (const { port } of openers) port.postMessage({ kind: "end" } satisfies OpenerRequest);
}

export async function openBatch(records: Records): Promise<Batch> {
    const [idle] = here?.begin ? openers.toSorted((a, b) => a.waiting.size - b.waiting.size) : [];
    // While all helpers are busy, this thread opens records too. Another helper would take tens of
    // megabytes.
    if (!idle || idle.waiting.size >= most) return openHere(records);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
        const late = setTimeout(() => remove(idle.number), patience);
        idle.waiting.set(id, { records, late, resolve, reject });
        const copy = copyTo(buffers.take(sizeOf(records)), records);
        const spare = buffers.take(usual);
        idle.port.postMessage({ kind: "open", id, records: copy, spare } satisfies OpenerRequest, [
            copy.bytes.buffer,
            spare,
        ]);
    });
}

async function openHere(records: Records): Promise<Batch> {
    if (!here) throw new Error("The run has ended.");
    const { opening } = here;
    const open = () => opening.open(records, (size) => buffers.take(size));
    // WebKit computes wrong now and then (SOUNDNESS.md), by which a module may trap.
    const batch = await open().catch((error: unknown) => {
        if (isNotLoaded(error)) throw error;
        return open();
    });
    release(...arraysOf(records));
    return batch;
}

function listen(number: number, port: MessagePort): void {
    const opener: Opener = { number, port, waiting: new Map() };
    port.onmessage = ({ data }: MessageEvent<OpenerReply>) => {
        if (data.kind === "ready") return add(opener);
        if (data.kind === "unready") return remove(number);
        buffers.give(data.used);
        // It may have a module that trapped, which is not used again.
        if (data.kind === "failed" && !isNotLoaded(data)) return remove(number);
        if (data.kind === "opened") usual = data.opened.rows.buffer.byteLength;
        const asked = opener.waiting.get(data.id);
        clearTimeout(asked?.late);
        opener.waiting.delete(data.id);
        if (!asked) return;
        // Helpers only open matched data.
        if (data.kind === "failed")
            return void openHere(asked.records).then(asked.resolve, asked.reject);
        release(...arraysOf(asked.records));
        asked.resolve(data.opened);
    };
}

/** Adds a helper, possibly during a run. */
function add(opener: Opener): void {
    openers.push(opener);
    tellBegin(opener);
}

function tellBegin({ port }: Opener): void {
    const begin = here?.begin?.();
    if (!begin) return;
    port.postMessage({ kind: "begin", ...begin } satisfies OpenerRequest);
    for (const { bytes } of begin.keys) bytes.fill(0);
}

/**
 * Removes a helper that did not start, is out of memory, or does not answer. This thread does its
 * part.
 */
function remove(number: number): void {
    const gone = openers.filter((opener) => opener.number === number);
    openers = openers.filter((opener) => opener.number !== number);
    for (const { port, waiting } of gone) {
        // It has keys, and may still answer, but nothing waits for it.
        port.onmessage = null;
        port.postMessage({ kind: "end" } satisfies OpenerRequest);
        for (const { records, late, resolve, reject } of waiting.values()) {
            clearTimeout(late);
            Promise.resolve(records).then(openHere).then(resolve, reject);
        }
        waiting.clear();
    }
}
