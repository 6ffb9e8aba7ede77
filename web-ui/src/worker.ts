// The worker holds all secrets: private keys behind handles in wasm memory, and opened data. This
// file answers the page's calls.
import { Calendar, KeyRing, PrivateKey, derivePublicKey, generateKeyPair, inspect,
    seal } from "pqseal";
import { registry } from "virtual:registry";
import { isAge, isCalendar } from "./age.ts";
import type { HeldCalendar } from "./calendar.ts";
import type { HeldOther } from "./other-keys.ts";
import { isNotLoaded, notLoaded, sentence } from "./errors.ts";
import { forHelpers, full, loadFull, started } from "./module.ts";
import type { Begin, ToPool } from "./pool.ts";
import type { Calls, KeyFacts, Name, Reply, Request, Slice, ToSearch } from "./protocol.ts";
import type { Entry } from "./locked.ts";
import { isEncryptedPem, mayHaveOthers } from "./pem.ts";
import { refusePrivate } from "./recipient.ts";
import { forget, inputOf, receiveSlice, streamOf } from "./slices.ts";
import type { Detail } from "./store/types.ts";
import type { Explorer } from "./store/explorer.ts";

type Held = PrivateKey | HeldCalendar | HeldOther;

let ring: KeyRing;
/**
 * The keys of the ring by their ids. A ring does not give keys back, so removing one takes another
 * ring.
 */
const held = new Map<string, Held>();
let made: PrivateKey | undefined;
let cancelled = false;
let fileCancelled = false;
/** The rows of the last input. */
let explorer: Explorer | undefined;
/** The regular expression that selected the rows. */
let expression = "";
/** A chunk that is loaded after the worker: opening records does not need it. */
const fileChunk = import("./crypt.ts");
// Requested again where it is needed.
fileChunk.catch(() => undefined);
/** What reads and opens records, and answers about their rows. */
const recordChunk = import("./later.ts");
// Its imports, which would otherwise be requested only after it has arrived.
for (const chunk of [import("./reader.ts"), import("./zstd.ts")]) chunk.catch(() => undefined);
const expressions = recordChunk.then(({ Expressions }) =>
    new Expressions(() => post({ kind: "end-searcher" }))
);
expressions.catch(() => undefined);
const exampleChunk = import("./samples.ts");
exampleChunk.catch(() => undefined);

type Answers = {
    [N in Name]: (ask: Calls[N]["ask"], id: number) => Calls[N]["get"] | Promise<Calls[N]["get"]>;
};

const answers: Answers = {
    suites: () => registry,
    // The page lists experimental KEMs only on request, and explains them.
    make({ kem }) {
        freeMade();
        made = generateKeyPair(kem, { policy: "experimental" }).privateKey;
        return facts(made);
    },
    save: ({ form }) => new TextEncoder().encode(madeKey().export(form).trimEnd() + "\n"),
    use: () => add(madeKey()),
    restore({ file }) {
        freeMade();
        made = PrivateKey.parse(file);
        file.fill(0);
        return undefined;
    },
    async isKey({ file }) {
        try {
            if (isAge(file)) return (await crypt()).factsOf(file, file.length).passphrase;
            if (isEncryptedPem(file)) {
                // Other keys in it may not be encrypted.
                file.fill(0);
                return true;
            }
            for (const key of await parsed(file)) key.free();
            return true;
        } catch (error) {
            if (isNotLoaded(error)) throw error;
            return false;
        }
    },
    addKey: async ({ file, passphrase }) =>
        (passphrase ? await unlocked(file, passphrase) : await parsed(file)).map(hold),
    removeKey({ keyId }) {
        const removed = held.get(keyId);
        held.delete(keyId);
        fillRing();
        if (removed !== made) removed?.free();
        return undefined;
    },
    async example({ key, count }) {
        const { exampleEvents } = await exampleChunk;
        const publicKey = derivePublicKey(key, undefined, undefined, "private");
        return exampleEvents((payload) => seal(publicKey, payload), count);
    },
    async inspect({ blob, fields }) {
        const { mayBeOther, readerChunk } = await recordChunkOrThrow();
        const value = (await readerChunk()).valueIn(blob, fields);
        if (!mayBeOther(new TextEncoder().encode(value))) return inspect(value);
        return needed().inspectSealed(value) ?? inspect(value);
    },
    seal({ publicKey, plaintext, options, sure }) {
        if (!sure) refusePrivate(publicKey, made ? [...ring.keyIds, made.keyId] : ring.keyIds);
        return seal(publicKey, plaintext, options);
    },
    async run(ask, id) {
        cancelled = false;
        // Hybrid KEMs are faster there. Without it they work too.
        if (!full && (ask.sealedAs || [...held.values()].some(({ kem }) => kem !== "x25519")))
            await useFull().catch(() => undefined);
        const { Explorer, Opening, beginRun, endRun, readerChunk, run, writerOf } =
            await recordChunkOrThrow();
        if (ask.output === "rows") {
            [explorer, expression] = [new Explorer(ask.room), ""];
            (await expressions).forget();
        }
        const { finderOf, moduleForHelpers } = await readerChunk();
        // The keys of this moment, so that all records of a file are opened with the same keys.
        const [own, others] = [ringOfHeld(), othersOfHeld()];
        const { fields, options, sealedAs } = ask;
        const finder = finderOf(fields, sealedAs);
        const sealed = full?.sealedKeys(own, others);
        const settings = { fields, options, sealedAs };
        const opening = new Opening(finder, own, sealed, settings);
        if (ask.output === "rows") {
            const keys = () => [...held.values()].flatMap(copyOf);
            const records = moduleForHelpers(forHelpers instanceof WebAssembly.Module);
            const [module, isFull] = [forHelpers, full !== undefined];
            // Values of one kind, of which none is matched data, are not for helpers.
            beginRun(opening, sealedAs
                ? undefined
                : () => ({ module, isFull, records, keys: keys(), settings }));
        }
        const input = inputOf(id, ask.files.reduce((sum, { size }) => sum + size, 0), read(id));
        try {
            return await run(ask, input, opening, explorer ??= new Explorer(ask.room),
                writerOf(ask), {
                cancelled: () => cancelled,
                report: (part) => post({ id, kind: "progress", ...part }),
            });
        } finally {
            if (ask.output === "rows") endRun();
            sealed?.free();
            own.free();
            finder.free();
            forget(id);
        }
    },
    cancel() {
        cancelled = true;
        return undefined;
    },
    inspectFile: async ({ beginning, size }) => (await crypt()).factsOf(beginning, size),
    async file({ size, ...task }, id) {
        fileCancelled = false;
        const { runFile } = await crypt();
        const input = streamOf(inputOf(id, size, read(id)));
        const keys = [...held.values()].flatMap((key) =>
            key instanceof PrivateKey ? [key.export("line")] : []
        );
        try {
            return await runFile(task, input, keys, {
                cancelled: () => fileCancelled,
                give: (read, chunk) => post({ id, kind: "piece", read, chunk }),
            });
        } finally {
            forget(id);
        }
    },
    cancelFile() {
        fileCancelled = true;
        return undefined;
    },
    async select({ query, tops }) {
        const [asked, of] = [query.regex ? query.text : "", explorerOrThrow()];
        const found = asked === "" ? undefined : await (await expressions).find(of.store, asked);
        expression = asked;
        return of.select(query, tops, found);
    },
    async cancelSearch() {
        (await expressions).cancel();
        return undefined;
    },
    lines: ({ from, to, columns }) => explorerOrThrow().lines(from, to, columns),
    details: ({ to, most }) => withHits(explorerOrThrow().details(to, most)),
    detail: async (
        { row },
    ) => (row < explorerOrThrow().store.size
        ? (await withHits([explorerOrThrow().detail(row)]))[0]
        : undefined),
    values: (ask) => explorerOrThrow().values(ask),
    pin({ on }) {
        explorerOrThrow().pin(on);
        return undefined;
    },
};

const missing = "A file of the page is missing on the server: nothing can be opened or inspected.";

function explorerOrThrow(): Explorer {
    if (!explorer) throw new Error(missing);
    return explorer;
}

const recordChunkOrThrow = () =>
    recordChunk.catch(() => {
        throw new Error(missing);
    });

const withHits = async (
    details: Detail[],
) => (expression === "" ? details : (await expressions).withHits(details, expression));

self.onmessage = async ({ data }: MessageEvent<Request | Slice | ToPool | ToSearch>) => {
    // Without `recordChunk` nobody needs these threads.
    if (data.kind === "searcher")
        return void expressions.then((all) => all.receive(data.port), () => undefined);
    if (data.kind === "opener" || data.kind === "no-opener")
        return void recordChunk.then(({ receiveOpener }) => receiveOpener(data), () => undefined);
    if (data.kind !== "call") return receiveSlice(data);
    const { id, name, ask } = data;
    try {
        await ready;
        const result = await orFull(() =>
            (answers[name] as (ask: unknown, id: number) => unknown)(ask, id)
        );
        post({ id, kind: "done", result });
    } catch (error) {
        const { code = "failed", message } = error as Error & { code?: string };
        post({ id, kind: "failed", code, message: sentence(message) });
    }
};

/** Calls again with the module `full` if necessary. */
async function orFull<T>(call: () => T | Promise<T>): Promise<T> {
    try {
        return await call();
    } catch (error) {
        if (!isNotLoaded(error)) throw error;
        await useFull();
        return call();
    }
}

const ready = started.then(fillRing);

function fillRing(): void {
    ring?.free();
    ring = ringOfHeld();
}

function ringOfHeld(): KeyRing {
    const keys = new KeyRing();
    for (const key of held.values()) addTo(keys, key);
    return keys;
}

function addTo(ring: KeyRing, key: Held): void {
    if (key instanceof PrivateKey) ring.add(key);
    else key.addTo(ring);
}

/** Returns the keys that open no matched data. */
const othersOfHeld = () => [...held.values()].flatMap((key) => ("other" in key ? [key.other] : []));

/** Returns what a helper reads. */
const copyOf = (key: Held): Begin["keys"] =>
    key instanceof PrivateKey
        ? [{ kem: key.kem, bytes: key.serialize() }]
        : "text" in key
        ? [{ bytes: key.text.slice() }]
        : [];

/** Switches to `full`. Keys belong to the module that made them, so they are converted. */
async function useFull(): Promise<void> {
    await loadFull();
    // Read after the wait, since another call may have converted the keys meanwhile.
    const before = [...held.values(), ...(made && held.get(made.keyId) !== made ? [made] : [])];
    for (const old of before) {
        // Calendars are of `full`.
        if (!(old instanceof PrivateKey)) continue;
        const bytes = old.serialize();
        const key = PrivateKey.deserialize(old.kem, bytes);
        bytes.fill(0);
        if (held.get(key.keyId) === old) held.set(key.keyId, key);
        if (made === old) made = key;
        old.free();
    }
    fillRing();
}

const crypt = () =>
    fileChunk.catch(() => {
        throw new Error(
            "A file of the page is missing on the server: files cannot be encrypted or decrypted.",
        );
    });

const read = (id: number) => (read: number, from: number, to: number, buffer: ArrayBuffer) =>
    post({ id, kind: "read", read, from, to, buffer });

/** Posts a reply. Bytes are transferred, not copied. */
function post(reply: Reply): void {
    const bytes = reply.kind === "progress" || reply.kind === "piece"
        ? reply.chunk
        : reply.kind === "done"
        ? reply.result
        : undefined;
    self.postMessage(reply, {
        transfer: bytes instanceof Uint8Array
            ? [bytes.buffer]
            : reply.kind === "read"
            ? [reply.buffer]
            : [],
    });
}

/**
 * Reads a private key or calendar, or a file with RSA keys or age identities, of which there may be
 * several. The caller overwrites the bytes.
 */
async function heldIn(file: Uint8Array<ArrayBuffer>): Promise<Held[]> {
    if (isCalendar(file)) return [new (needed().HeldCalendar)(file, Calendar)];
    try {
        return [PrivateKey.parse(file)];
    } catch (error) {
        if (isNotLoaded(error) || !mayHaveOthers(file)) throw error;
        return needed().keysIn(file);
    }
}

/** Returns what only the module `full` has, which is loaded if it was not. */
function needed(): NonNullable<typeof full> {
    if (!full) throw notLoaded();
    return full;
}

/** Reads the keys of a file. Its bytes are overwritten, unless they are needed again. */
async function parsed(file: Uint8Array<ArrayBuffer>): Promise<Held[]> {
    let again = false;
    try {
        return await heldIn(file);
    } catch (error) {
        again = isNotLoaded(error);
        throw error;
    } finally {
        if (!again) file.fill(0);
    }
}

/**
 * Returns the private keys in a file under a passphrase. File, passphrase and the data of the keys
 * are overwritten.
 */
async function unlocked(file: Uint8Array<ArrayBuffer>,
    passphrase: Uint8Array<ArrayBuffer>): Promise<Held[]>
{
    const format = isAge(file) ? "age" : "pem";
    const entries = await crypt().then(({ unlock }) => unlock(format, file, passphrase)).finally(
        () => file.fill(0),
    );
    const none = (why: string) =>
        new Error(format === "pem"
            ? `The private key was decrypted, but cannot be used: ${why}`
            : `The file was decrypted, but there is no private key in it: ${why} Other files are decrypted under Files.`);
    try {
        if (!entries.length) throw none("it is empty.");
        const keys = await orFull(() => keysOf(entries));
        if (!keys.length) throw none("there is other text only.");
        return keys;
    } catch (error) {
        const { code, message } = error as Error & { code?: string };
        throw code === "bad_key" ? none(message.replace(/\w$/, "$&.")) : error;
    } finally {
        for (const { bytes } of entries) bytes.fill(0);
    }
}

/** Returns all keys, or none. Entries that may be other text need not be keys. */
async function keysOf(entries: Entry[]): Promise<Held[]> {
    const keys: Held[] = [];
    try {
        for (const { bytes, kem, mayBeText } of entries) {
            try {
                keys.push(
                    ...(kem ? [PrivateKey.deserialize(kem, bytes)] : await heldIn(bytes)),
                );
            } catch (error) {
                if (!mayBeText || isNotLoaded(error)) throw error;
            }
        }
        return keys;
    } catch (error) {
        for (const key of keys) key.free();
        throw error;
    }
}

/** Frees the key made last, unless it opens data, which needs its handle. */
function freeMade(): void {
    if (made && held.get(made.keyId) !== made) made.free();
    made = undefined;
}

function madeKey(): PrivateKey {
    if (!made) throw new Error("There is no key: make one first.");
    return made;
}

/** Adds a key, unless it is there. A private key replaces the same one as an age identity. */
function hold(key: Held): KeyFacts {
    const before = held.get(key.keyId);
    if (key instanceof PrivateKey && before && "other" in before) {
        before.free();
        held.delete(key.keyId);
    }
    const same = key instanceof PrivateKey ? held.get(key.keyId) : key.sameIn(held);
    if (same) key.free();
    return add(same ?? key);
}

function add(key: Held): KeyFacts {
    if (!held.has(key.keyId)) {
        addTo(ring, key);
        held.set(key.keyId, key);
    }
    return facts(key);
}

const facts = (key: Held): KeyFacts =>
    key instanceof PrivateKey
        ? {
            kem: key.kem,
            keyId: key.keyId,
            fingerprint: key.fingerprint,
            publicKey: key.publicKey(),
        }
        : key.facts();
