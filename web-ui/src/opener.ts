// A helper of the worker: opens records, of which it is given a batch at a time. Its wasm comes from the worker.
import * as core from "pqseal";
import * as full from "pqseal/full";
import type { KeyRing } from "pqseal";
import { arraysOf } from "./batch.ts";
import { Opening } from "./opening.ts";
import type { OpenerReply, OpenerRequest, ToOpener } from "./pool.ts";
import { type Records, unpackRecords } from "./transfer.ts";

let started = { core: false, full: false };
let ring: KeyRing | undefined;
let opening: Opening | undefined;

self.onmessage = ({ data: { port } }: MessageEvent<ToOpener>) => {
    port.onmessage = ({ data }: MessageEvent<OpenerRequest>) => {
        if (data.kind === "begin") begin(data);
        else if (data.kind === "end") end();
        else if (opening) answer(port, opened(opening, data.id, data.records));
        else port.postMessage({ kind: "unready" } satisfies OpenerReply);
    };
    port.postMessage({ kind: "ready" } satisfies OpenerReply);
};

/** The bytes of keys are overwritten. */
function begin({ module, isFull, keys, fields, options }: Extract<OpenerRequest, { kind: "begin" }>): void {
    end();
    const library = isFull ? full : core;
    const name = isFull ? "full" : "core";
    if (!started[name]) library.startSync(module);
    started = { ...started, [name]: true };
    ring = new library.KeyRing();
    for (const { kem, bytes } of keys) {
        const key = library.PrivateKey.deserialize(kem, bytes);
        bytes.fill(0);
        ring.add(key);
        key.free();
    }
    opening = new Opening(ring, fields, options);
}

/** The keys are overwritten. */
function end(): void {
    ring?.free();
    [ring, opening] = [undefined, undefined];
}

/** Arrays are handed over, not copied. */
function answer(port: MessagePort, reply: OpenerReply): void {
    const arrays = reply.kind === "opened" ? arraysOf(reply.opened) : [];
    port.postMessage(reply, arrays.map(({ buffer }) => buffer));
}

function opened(by: Opening, id: number, records: Records): OpenerReply {
    try {
        return { kind: "opened", id, opened: by.open(unpackRecords(records)) };
    } catch (error) {
        const { code = "failed", message } = error as Error & { code?: string };
        return { kind: "failed", id, code, message };
    }
}
