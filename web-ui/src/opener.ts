// A helper of the worker, which opens records in batches. Its wasm comes from the worker.
import * as core from "pqseal";
import * as full from "pqseal/full";
import type { KeyRing } from "pqseal";
import { Opening } from "./opening.ts";
import type { Open, OpenerReply, OpenerRequest, ToOpener } from "./pool.ts";
import { bufferOf } from "./recycle.ts";

let started = { core: false, full: false };
let ring: KeyRing | undefined;
let opening: Opening | undefined;

self.onmessage = ({ data: { port } }: MessageEvent<ToOpener>) => {
    port.onmessage = ({ data }: MessageEvent<OpenerRequest>) => {
        if (data.kind === "begin") begin(data);
        else if (data.kind === "end") end();
        else if (opening) answer(port, opened(opening, data), data.records.bytes.buffer);
        else port.postMessage({ kind: "unready" } satisfies OpenerReply);
    };
    port.postMessage({ kind: "ready" } satisfies OpenerReply);
};

/** Begins a run. The bytes of keys are overwritten. */
function begin(
    { module, isFull, keys, fields, options }: Extract<OpenerRequest, { kind: "begin" }>,
): void {
    end();
    const library = isFull ? full : core;
    const name = isFull ? "full" : "core";
    if (!started[name]) library.startSync(module);
    started = { ...started, [name]: true };
    ring = new library.KeyRing();
    for (const { kem, bytes } of keys) {
        const key = kem
            ? library.PrivateKey.deserialize(kem, bytes)
            : full.Calendar.parse(bytes);
        bytes.fill(0);
        if (key instanceof full.Calendar) ring.addCalendar(key);
        else ring.add(key);
        key.free();
    }
    opening = new Opening(ring, fields, options);
}

/** Ends a run. The keys are overwritten. */
function end(): void {
    ring?.free();
    [ring, opening] = [undefined, undefined];
}

/** Answers. Buffers are transferred, not copied. */
function answer(port: MessagePort, reply: OpenerReply, ...buffers: ArrayBuffer[]): void {
    port.postMessage(reply,
        reply.kind === "opened" ? [...buffers, reply.opened.rows.buffer] : buffers);
}

/** Opens records, into the spare buffer if it is large enough. */
function opened(by: Opening, { id, records, spare }: Open): OpenerReply {
    try {
        const opened = by.open(records,
            (size) => (spare.byteLength < size ? bufferOf(size) : spare));
        return { kind: "opened", id, opened, used: records.bytes.buffer };
    } catch (error) {
        const { code = "failed", message } = error as Error & { code?: string };
        return { kind: "failed", id, code, message, used: records.bytes.buffer };
    }
}
