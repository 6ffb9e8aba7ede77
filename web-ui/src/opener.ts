// A helper of the worker, which opens records in batches. Its wasm comes from the worker.
import * as pqseal from "pqseal";
import * as all from "pqseal/sealed";
import { RecordFinder, startSync } from "pqseal/records";
import { Opening } from "./opening.ts";
import type { Open, OpenerReply, OpenerRequest, ToOpener } from "./pool.ts";
import { bufferOf } from "./recycle.ts";

/** Only what is used of each module: the bundler leaves out the rest. */
const core = {
    KeyRing: pqseal.KeyRing,
    PrivateKey: pqseal.PrivateKey,
    startSync: pqseal.startSync,
};
const full = { KeyRing: all.KeyRing, PrivateKey: all.PrivateKey, startSync: all.startSync };

let started = { core: false, full: false, records: false };
let ring: pqseal.KeyRing | undefined;
let finder: RecordFinder | undefined;
let opening: Opening | undefined;

self.onmessage = ({ data: { port } }: MessageEvent<ToOpener>) => {
    port.onmessage = ({ data }: MessageEvent<OpenerRequest>) => {
        if (data.kind === "begin") begin(data);
        else if (data.kind === "end") end();
        else if (opening) void answer(port, opened(opening, data), data.records.bytes.buffer);
        else port.postMessage({ kind: "unready" } satisfies OpenerReply);
    };
    port.postMessage({ kind: "ready" } satisfies OpenerReply);
};

/** Begins a run. The bytes of keys are overwritten. */
function begin(
    { module, isFull, records, keys, settings }: Extract<OpenerRequest, { kind: "begin" }>,
): void {
    end();
    const library = isFull ? full : core;
    const name = isFull ? "full" : "core";
    if (!started[name]) library.startSync(module);
    if (!started.records) startSync(records);
    started = { ...started, [name]: true, records: true };
    ring = new library.KeyRing();
    for (const { kem, bytes } of keys) {
        const key = kem
            ? library.PrivateKey.deserialize(kem, bytes)
            : all.Calendar.parse(bytes);
        bytes.fill(0);
        if (key instanceof all.Calendar) ring.addCalendar(key);
        else ring.add(key);
        key.free();
    }
    finder = new RecordFinder(settings.fields, settings.sealedAs);
    opening = new Opening(finder, ring, undefined, settings);
}

/** Ends a run. The keys are overwritten. */
function end(): void {
    ring?.free();
    finder?.free();
    [ring, finder, opening] = [undefined, undefined, undefined];
}

/** Answers. Buffers are transferred, not copied. */
async function answer(port: MessagePort, replying: Promise<OpenerReply>,
    ...buffers: ArrayBuffer[]): Promise<void>
{
    const reply = await replying;
    port.postMessage(reply,
        reply.kind === "opened" ? [...buffers, reply.opened.rows.buffer] : buffers);
}

/** Opens records, into the spare buffer if it is large enough. */
async function opened(by: Opening, { id, records, spare }: Open): Promise<OpenerReply> {
    try {
        const opened = await by.open(records,
            (size) => (spare.byteLength < size ? bufferOf(size) : spare));
        return { kind: "opened", id, opened, used: records.bytes.buffer };
    } catch (error) {
        const { code } = error as { code?: string };
        return { kind: "failed", id, code, used: records.bytes.buffer };
    }
}
