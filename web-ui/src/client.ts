// The page's end of the worker. Clearing ends the worker, and with it its memory, with keys and
// opened data.
import type { Calls, Name, Piece, Progress, Read, Reply, Slice } from "./protocol.ts";
import { endWorkers, startSearcher, startWorkers } from "./workers.ts";

/** A refusal by the worker, with its stable code. */
export class Failure extends Error {
    constructor(readonly code: string, message: string) {
        super(message);
    }
}

/** The options of a call besides its question. */
interface CallOptions {
    progress?: (progress: Progress) => void;
    /** Receives the pieces of a file's output. */
    piece?: (piece: Piece) => void;
    /** The blob that the worker reads from. */
    source?: Blob;
    /** Resolves when the next read may start, which keeps memory small. */
    ready?: () => Promise<void>;
    transfer?: Transferable[];
}

interface Waiting extends CallOptions {
    resolve(result: unknown): void;
    reject(error: Failure): void;
}

/** The reason why the worker answers no calls, if it does not. */
let broken: Failure | undefined;
let onBroken = (_: string) => {};
let onReply = () => {};
let worker = start();
let waiting = new Map<number, Waiting>();
let lastId = 0;

export function call<N extends Name>(name: N, ask: Calls[N]["ask"],
    more: CallOptions = {}): Promise<Calls[N]["get"]>
{
    const id = ++lastId;
    return new Promise((resolve, reject) => {
        if (broken) return reject(broken);
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject, ...more });
        worker.postMessage({ kind: "call", id, name, ask }, more.transfer ?? []);
    });
}

/** Ends the worker and all that it holds, and starts a new one. */
export function clear(): void {
    endWorkers(worker);
    failAll(new Failure("cleared", "Cleared."));
    broken = undefined;
    worker = start();
}

/** Ends the worker without starting a new one, on leaving the page. */
export function end(): void {
    endWorkers(worker);
}

/** Calls `tell` with the reason when the worker cannot be used. */
export function watchWorker(tell: (message: string) => void): void {
    onBroken = tell;
    if (broken) tell(broken.message);
}

/** Calls `tell` on each message from the worker, such as progress or output. */
export function watchReplies(tell: () => void): void {
    onReply = tell;
}

function start(): Worker {
    const started = startWorkers();
    started.onmessage = ({ data }: MessageEvent<Reply>) => receive(data);
    started.onerror = () => {
        broken = new Failure(
            "worker",
            "This page cannot work here: its worker did not start. Either the browser is too old (it needs WebAssembly with SIMD, "
                + "which browsers have had since 2023), or a file of the page is missing on the server.",
        );
        failAll(broken);
        onBroken(broken.message);
    };
    return started;
}

function receive(reply: Reply): void {
    onReply();
    if (reply.kind === "end-searcher") return startSearcher(worker);
    const asked = waiting.get(reply.id);
    if (reply.kind === "progress") return asked?.progress?.(reply);
    if (reply.kind === "piece") return asked?.piece?.(reply);
    if (reply.kind === "read")
        return void (asked?.source
            && send(worker, reply, asked.source.slice(reply.from, reply.to), asked.ready));
    waiting.delete(reply.id);
    if (reply.kind === "done") asked?.resolve(reply.result);
    else asked?.reject(new Failure(reply.code, reply.message));
}

async function send(to: Worker, { id, read, buffer }: Read, part: Blob,
    ready?: () => Promise<void>): Promise<void>
{
    const post = (slice: Slice, transfer: Transferable[] = []) => to.postMessage(slice, transfer);
    try {
        await ready?.();
        const bytes = await readInto(buffer, part);
        post({ kind: "slice", id, read, bytes }, [bytes.buffer]);
    } catch {
        post({ kind: "unreadable", id, read });
    }
}

/**
 * Readers of Blobs in use. Chromium 156 collects one that only its pending read refers to, and that
 * read never ends.
 */
const readers = new Set<ReadableStreamBYOBReader>();

/**
 * Reads into the buffer if it is large enough and the browser can. Other buffers of a Blob would be
 * collected late.
 */
async function readInto(buffer: ArrayBuffer, part: Blob): Promise<Uint8Array<ArrayBuffer>> {
    const reader = byteReader(part);
    if (!reader) return new Uint8Array(await part.arrayBuffer());
    readers.add(reader);
    try {
        return await filled(buffer.byteLength < part.size ? new ArrayBuffer(part.size) : buffer,
            reader, part.size);
    } finally {
        await reader.cancel().catch(() => undefined);
        readers.delete(reader);
    }
}

async function filled(buffer: ArrayBuffer, reader: ReadableStreamBYOBReader,
    size: number): Promise<Uint8Array<ArrayBuffer>>
{
    let to = buffer;
    for (let at = 0; at < size;) {
        const { value } = await reader.read(new Uint8Array(to, at, size - at));
        if (!value?.length) throw new Error("The file is shorter than it was.");
        [to, at] = [value.buffer, at + value.length];
    }
    return new Uint8Array(to, 0, size);
}

/** Returns a reader of bytes. Safari has none for a Blob. */
function byteReader(part: Blob): ReadableStreamBYOBReader | undefined {
    try {
        return part.stream().getReader({ mode: "byob" });
    } catch {
        return undefined;
    }
}

function failAll(error: Failure): void {
    for (const { reject } of waiting.values()) reject(error);
    waiting = new Map();
}
