// The page's end of the worker. To clear is to end the worker: its memory, with keys and opened data, goes with it.
import { workerType, workerUrl } from "virtual:worker";
import type { Calls, Name, Progress, Reply } from "./protocol.ts";

/** What the worker refused, with its stable code. */
export class Failure extends Error {
    constructor(readonly code: string, message: string) {
        super(message);
    }
}

interface Waiting {
    resolve(result: unknown): void;
    reject(error: Failure): void;
    progress?: ((progress: Progress) => void) | undefined;
}

let url: string | undefined;
let worker = start();
let waiting = new Map<number, Waiting>();
let lastId = 0;

export function call<N extends Name>(
    name: N,
    ask: Calls[N]["ask"],
    progress?: (progress: Progress) => void,
    transfer: Transferable[] = [],
): Promise<Calls[N]["get"]> {
    const id = ++lastId;
    return new Promise((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject, progress });
        worker.postMessage({ id, name, ask }, transfer);
    });
}

/** Ends the worker with all that it holds; a new one takes its place. */
export function clear(): void {
    worker.terminate();
    for (const { reject } of waiting.values()) reject(new Failure("cleared", "Cleared."));
    waiting = new Map();
    worker = start();
}

/** On leaving the page there is no use for a new one. */
export function end(): void {
    worker.terminate();
}

function start(): Worker {
    const started = new Worker(trusted(), { type: workerType });
    started.onmessage = ({ data }: MessageEvent<Reply>) => receive(data);
    started.onerror = () => fail("worker", "The worker did not start: this browser is too old, or a file of the page is missing.");
    return started;
}

/** Trusted Types: the one URL that this page may run code from. */
function trusted(): string {
    const rules = { createScriptURL: (asked: string) => (asked === workerUrl ? asked : "") };
    url ??= (window.trustedTypes?.createPolicy("worker", rules) ?? rules).createScriptURL(workerUrl);
    return url;
}

function receive(reply: Reply): void {
    const asked = waiting.get(reply.id);
    if (reply.kind === "progress") return asked?.progress?.(reply);
    waiting.delete(reply.id);
    if (reply.kind === "done") asked?.resolve(reply.result);
    else asked?.reject(new Failure(reply.code, reply.message));
}

function fail(code: string, message: string): void {
    for (const { reject } of waiting.values()) reject(new Failure(code, message));
    waiting.clear();
}
