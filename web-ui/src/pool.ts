// The worker's helpers. Each opens a part of the records; what they give is taken in the records' order.
import type { OpenOptions } from "pqseal";
import type { Opened, Opening } from "./opening.ts";

/** What the page says of helpers: one began, with the port to it, or could not. */
export type ToPool = { kind: "opener"; number: number; port: MessagePort } | { kind: "no-opener"; number: number };

/** The helper's end of that port. */
export type ToOpener = { kind: "port"; port: MessagePort };

export type OpenerRequest =
    | { kind: "begin"; module: WebAssembly.Module | Uint8Array<ArrayBuffer>; isFull: boolean; keys: { kem: string; bytes: Uint8Array<ArrayBuffer> }[]; fields: string[]; options: OpenOptions }
    | { kind: "open"; id: number; records: string[] }
    | { kind: "end" };

export type OpenerReply = { id: number; opened: Opened[] } | { id: number; code: string; message: string };

interface Waiting {
    records: string[];
    resolve(opened: Opened[]): void;
    reject(error: Error): void;
}

interface Opener {
    number: number;
    port: MessagePort;
    waiting: Map<number, Waiting>;
}

let openers: Opener[] = [];
let here: Opening | undefined;
let lastId = 0;

export function receiveOpener(message: ToPool): void {
    if (message.kind === "opener") add(message.number, message.port);
    else remove(message.number);
}

/** How many batches may be on their way. */
export const mostBatches = () => 2 * openers.length;

/** What follows is opened so. `opening` is for what no helper can do. */
export function beginRun(opening: Opening, begin: Omit<Extract<OpenerRequest, { kind: "begin" }>, "kind">): void {
    here = opening;
    for (const { port } of openers) port.postMessage({ kind: "begin", ...begin } satisfies OpenerRequest);
    for (const { bytes } of begin.keys) bytes.fill(0);
}

export function endRun(): void {
    here = undefined;
    for (const { port } of openers) port.postMessage({ kind: "end" } satisfies OpenerRequest);
}

export async function openBatch(records: string[]): Promise<Opened[]> {
    const [idle] = openers.toSorted((a, b) => a.waiting.size - b.waiting.size);
    if (!idle) return openHere(records);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
        idle.waiting.set(id, { records, resolve, reject });
        idle.port.postMessage({ kind: "open", id, records } satisfies OpenerRequest);
    });
}

function openHere(records: string[]): Opened[] {
    const opening = here;
    if (!opening) throw new Error("The run has ended.");
    return records.map((record) => opening.open(record));
}

function add(number: number, port: MessagePort): void {
    const opener: Opener = { number, port, waiting: new Map() };
    port.onmessage = ({ data }: MessageEvent<OpenerReply>) => {
        const asked = opener.waiting.get(data.id);
        opener.waiting.delete(data.id);
        if ("opened" in data) asked?.resolve(data.opened);
        else asked?.reject(Object.assign(new Error(data.message), { code: data.code }));
    };
    openers.push(opener);
}

/** It did not start, or has no memory left: this thread does its part. */
function remove(number: number): void {
    const gone = openers.filter((opener) => opener.number === number);
    openers = openers.filter((opener) => opener.number !== number);
    for (const { waiting } of gone)
        for (const { records, resolve, reject } of waiting.values()) Promise.resolve(records).then(openHere).then(resolve, reject);
}
