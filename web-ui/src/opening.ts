// Records opened: what becomes of their blobs, and the members of their events and of what was in them. In the worker and in its helpers.
import type { KeyRing, OpenOptions, OpenResult } from "pqseal";
import { type Batch, BatchWriter } from "./batch.ts";
import { lenient } from "./binary.ts";
import { isNotLoaded } from "./errors.ts";
import { looksLikeKey } from "./others.ts";
import type { Code, Row } from "./protocol.ts";
import { type Found, blobsOf } from "./records.ts";
import { membersOf } from "./store/members.ts";

type Result = Row["result"];

export class Opening {
    readonly fields: ReadonlySet<string>;
    readonly #noKey: boolean;

    constructor(readonly ring: KeyRing, fields: string[], readonly options: OpenOptions) {
        this.fields = new Set(fields);
        this.#noKey = ring.keyIds.length === 0;
    }

    /** All of the records. Their blobs are opened in one call, which costs less than one for each. */
    open(records: string[]): Batch {
        const taken = records.map((record) => blobsOf(record, this.fields));
        const rows = this.rows(taken.flatMap((one) => one?.found ?? []));
        const batch = new BatchWriter();
        let next = 0;
        for (const one of taken) {
            const found = one?.found.length ?? 0;
            batch.record(found);
            if (!one) batch.row(badRecord(), []);
            else if (!found) batch.absent();
            else {
                const event = one.value === undefined ? [] : membersOf(one.value, this.fields);
                for (const row of rows.slice(next, (next += found))) batch.row(row, event);
            }
        }
        return batch.end();
    }

    /** Blobs. Throws `not_loaded` if one needs the module `full`. */
    rows(found: Found[]): Row[] {
        if (!found.length) return [];
        const results = this.ring.openMany(found.map(({ blob }) => blob), this.options);
        for (const result of results) if (!result.ok && isNotLoaded(result.error)) throw Object.assign(new Error(result.error.message), { code: result.error.code });
        return found.map((one, i) => ({ record: 0, file: "", field: one.field, result: resultOf(one, results[i] as OpenResult, this.#noKey) }));
    }
}

export const badRecord = (): Row =>
    ({ record: 0, file: "", field: "", result: failure("bad_record", "This is not JSON: the record was cut off or is damaged.") });

/** What a ring without keys says, to which there is but one answer. */
const without: ReadonlySet<Code> = new Set<Code>(["no_key_matched", "no_key_with_id", "wrong_kem"]);

function resultOf({ field, blob }: Found, opened: OpenResult, noKey: boolean): Result {
    if (!opened.ok) {
        if (!field && looksLikeKey(blob)) return failure("key", "This is a key and not sealed data. Add it under Private key.");
        const unkeyed = noKey && without.has(opened.error.code);
        return unkeyed ? failure("no_key", "No private key was given.") : failure(opened.error.code, sentence(opened.error.message));
    }
    const result = { ...decoded(opened.plaintext), ok: true as const, keyId: opened.keyId };
    opened.plaintext.fill(0);
    return result;
}

const failure = (code: Code, message: string): Result => ({ ok: false, code, message });

/** The library's messages are parts of sentences, with names in backticks. */
export const sentence = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1).replaceAll("`", "")}${message.endsWith(".") ? "" : "."}`;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Attackers choose these bytes: they may be no UTF-8. Then they are given too, as a copy. */
function decoded(bytes: Uint8Array): { text: string; bytes?: Uint8Array<ArrayBuffer> } {
    try {
        return { text: strict.decode(bytes) };
    } catch {
        return { text: lenient.decode(bytes), bytes: bytes.slice() };
    }
}
