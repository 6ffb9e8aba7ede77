// All secrets live here: private keys behind handles in wasm memory, opened data on its way out. This file answers the page's calls.
import { KeyRing, PrivateKey, generateKeyPair, inspect, seal, startSync, suites } from "pqseal";
import { wasm } from "virtual:wasm";
import type { Calls, KeyFacts, Name, Reply, Request } from "./protocol.ts";
import { run } from "./run.ts";

startSync({ module: wasm() });

const ring = new KeyRing();
let made: PrivateKey | undefined;
let cancelled = false;

type Answers = { [N in Name]: (ask: Calls[N]["ask"], id: number) => Calls[N]["get"] | Promise<Calls[N]["get"]> };

const answers: Answers = {
    suites,
    // The page lists experimental KEMs only when asked to, and says what they are.
    make({ kem }) {
        made?.free();
        made = generateKeyPair(kem, { policy: "experimental" }).privateKey;
        return facts(made);
    },
    save: ({ form }) => new TextEncoder().encode(madeKey().write(form).trimEnd() + "\n"),
    use: () => add(madeKey()),
    addKey({ file }) {
        try {
            const key = PrivateKey.parse(file);
            const added = add(key);
            key.free();
            return added;
        } finally {
            file.fill(0);
        }
    },
    inspect: ({ blob }) => inspect(blob),
    seal: ({ publicKey, plaintext, options }) => seal(publicKey, plaintext, options),
    run(ask, id) {
        cancelled = false;
        return run(ask, ring, { cancelled: () => cancelled, report: (part) => post({ id, kind: "progress", ...part }) });
    },
    cancel() {
        cancelled = true;
        return undefined;
    },
};

self.onmessage = async ({ data }: MessageEvent<Request>) => {
    const { id, name, ask } = data;
    try {
        const answer = answers[name] as (ask: unknown, id: number) => unknown;
        post({ id, kind: "done", result: await answer(ask, id) });
    } catch (error) {
        const { code = "failed", message } = error as Error & { code?: string };
        post({ id, kind: "failed", code, message });
    }
};

/** Bytes are handed over, not copied. */
function post(reply: Reply): void {
    const bytes = reply.kind === "progress" ? reply.chunk : reply.kind === "done" ? reply.result : undefined;
    self.postMessage(reply, { transfer: bytes instanceof Uint8Array ? [bytes.buffer] : [] });
}

function madeKey(): PrivateKey {
    if (!made) throw new Error("There is no key: make one first.");
    return made;
}

function add(key: PrivateKey): KeyFacts {
    if (!ring.keyIds.includes(key.keyId)) ring.add(key);
    return facts(key);
}

const facts = (key: PrivateKey): KeyFacts => ({
    kem: key.kem,
    keyId: key.keyId,
    fingerprint: key.fingerprint,
    publicKey: key.publicKey(),
});
