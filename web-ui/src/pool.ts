// The worker's helpers: as many as there are processors. Each opens a part of the records; what they give is taken in the records' order.
import { openerType, openerUrl } from "virtual:opener";
import type { OpenOptions } from "pqseal";
import type { Opened, Opening } from "./opening.ts";

/** Beyond it one thread that splits the input and keeps what was opened is what the others wait for. */
const mostOpeners = 8;

export type OpenerRequest =
    | { kind: "begin"; module: WebAssembly.Module; isFull: boolean; keys: { kem: string; bytes: Uint8Array<ArrayBuffer> }[]; fields: string[]; options: OpenOptions }
    | { kind: "open"; id: number; records: string[] }
    | { kind: "end" };

export type OpenerReply = { id: number; opened: Opened[] } | { id: number; code: string; message: string };

interface Waiting {
    records: string[];
    resolve(opened: Opened[]): void;
    reject(error: Error): void;
}

interface Opener {
    worker: Worker;
    waiting: Map<number, Waiting>;
}

let openers: Opener[] = [];
let here: Opening | undefined;
let lastId = 0;

/** Before anything is opened: what is loaded is loaded with the page. */
export function startPool(): void {
    const url = trusted();
    const count = Math.min(navigator.hardwareConcurrency || 1, mostOpeners);
    // One helper would do what this thread does as well.
    for (let i = 0; i < count && count > 1; i++) start(url);
}

/** How many batches may be on their way. */
export const mostBatches = () => 2 * openers.length;

/** What follows is opened so. `opening` is for what no helper can do. */
export function beginRun(opening: Opening, begin: Omit<Extract<OpenerRequest, { kind: "begin" }>, "kind">): void {
    here = opening;
    for (const { worker } of openers) worker.postMessage({ kind: "begin", ...begin } satisfies OpenerRequest);
    for (const { bytes } of begin.keys) bytes.fill(0);
}

export function endRun(): void {
    here = undefined;
    for (const { worker } of openers) worker.postMessage({ kind: "end" } satisfies OpenerRequest);
}

export async function openBatch(records: string[]): Promise<Opened[]> {
    const [idle] = openers.toSorted((a, b) => a.waiting.size - b.waiting.size);
    if (!idle) return openHere(records);
    const id = ++lastId;
    return new Promise((resolve, reject) => {
        idle.waiting.set(id, { records, resolve, reject });
        idle.worker.postMessage({ kind: "open", id, records } satisfies OpenerRequest);
    });
}

function openHere(records: string[]): Opened[] {
    const opening = here;
    if (!opening) throw new Error("The run has ended.");
    return records.map((record) => opening.open(record));
}

function start(url: string): void {
    const opener: Opener = { worker: new Worker(url, { type: openerType }), waiting: new Map() };
    opener.worker.onmessage = ({ data }: MessageEvent<OpenerReply>) => {
        const asked = opener.waiting.get(data.id);
        opener.waiting.delete(data.id);
        if ("opened" in data) asked?.resolve(data.opened);
        else asked?.reject(Object.assign(new Error(data.message), { code: data.code }));
    };
    // It did not start, or has no memory left: this thread does its part.
    opener.worker.onerror = () => {
        openers = openers.filter((other) => other !== opener);
        for (const { records, resolve, reject } of opener.waiting.values()) Promise.resolve(records).then(openHere).then(resolve, reject);
    };
    openers.push(opener);
}

/** Trusted Types: the one URL that the worker may run code from. */
function trusted(): string {
    const rules = { createScriptURL: (asked: string) => (asked === openerUrl ? asked : "") };
    return (self.trustedTypes?.createPolicy("worker", rules) ?? rules).createScriptURL(openerUrl);
}
