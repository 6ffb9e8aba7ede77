// Opening of records: the results of their blobs, and the members of their events and opened data.
// Used in the worker and its helpers.
import type { KeyRing, OpenOptions, OpenResult } from "pqseal";
import { type Batch, BatchWriter } from "./batch.ts";
import { isNotLoaded, sentence } from "./errors.ts";
import { looksLikeKey } from "./others.ts";
import { plainOf } from "./plaintexts.ts";
import type { Code } from "./opened.ts";
import type { Row } from "./protocol.ts";
import { release } from "./release.ts";
import { type Found, recordsOf } from "./records.ts";
import { type Utf8, arraysOf, fromUtf8, toUtf8 } from "./transfer.ts";

type Result = Row["result"];
type Refused = Extract<OpenResult, { ok: false }>["error"];

export class Opening {
    readonly fields: ReadonlySet<string>;
    readonly #keyIds: string[];
    /** The number of blobs that only opened at the second attempt. */
    #reopened = 0;

    constructor(readonly ring: KeyRing, fields: string[], readonly options: OpenOptions) {
        this.fields = new Set(fields);
        this.#keyIds = ring.keyIds;
    }

    /** Opens the records in texts. `take` returns a buffer of at least the requested size. */
    open(texts: Utf8, take: (size: number) => ArrayBuffer): Batch {
        const batch = new BatchWriter();
        this.#reopened = 0;
        const read = fromUtf8(texts).map((text) => this.#read(text, batch));
        const rows = this.rows(
            read.flatMap((one) => one?.records.flatMap(({ found }) => found) ?? []),
        );
        batch.reopened(this.#reopened);
        let next = 0;
        for (const one of read) {
            batch.text(one?.isUnclear === true);
            if (!one) {
                batch.record(0);
                batch.row(badRecord(), []);
            }
            for (const { found, event } of one?.records ?? []) {
                batch.record(found.length);
                if (!found.length) batch.row(absentRow(), event);
                for (const row of rows.slice(next, next += found.length)) batch.row(row, event);
            }
        }
        return batch.end(take);
    }

    /** Reads a text. Its parsed value is not needed afterwards. */
    #read(text: string, batch: BatchWriter): {
        records: { found: Found[]; event: number[] }[];
        isUnclear: boolean;
    } | undefined {
        const read = recordsOf(text, this.fields);
        if (!read) return undefined;
        const records = read.records.map(({ found, members }) => ({
            found,
            event: batch.event(members()),
        }));
        return { records, isUnclear: read.isUnclear };
    }

    /** Opens blobs. Throws `not_loaded` if one needs the module `full`. */
    rows(found: Found[]): Row[] {
        if (!found.length) return [];
        const blobs = toUtf8(found.map(({ blob }) => blob));
        const results = this.ring.openPacked(blobs.bytes, blobs.ends, this.options);
        release(...arraysOf(blobs));
        this.#reopened += results.reopened;
        const lacking = results.errors.find(isNotLoaded);
        if (lacking) {
            results.plaintexts.fill(0);
            throw Object.assign(new Error(lacking.message), { code: lacking.code });
        }
        const plain = plainOf(results.plaintexts, results.ends);
        const errors = results.errors.values();
        const opened = Array.from(results.keys, (key) => this.#keyIds[key]);
        release(results.plaintexts, results.ends, results.keys);
        return found.map(({ field, blob }, i) => {
            const keyId = opened[i];
            const result = keyId === undefined
                ? failureOf(field, blob, errors.next().value!, !this.#keyIds.length)
                : { ...plain[i]!, ok: true as const, keyId };
            return { record: 0, file: "", field, result };
        });
    }
}

export const badRecord = (): Row => ({
    record: 0,
    file: "",
    field: "",
    result: failure("bad_record", "This is not JSON: the record was cut off or is damaged."),
});

export const absentRow = (): Row => ({
    record: 0,
    file: "",
    field: "",
    result: failure("absent", "No sealed data in this record."),
});

/** The codes that a ring without keys gives, reported as `no_key`. */
const without: ReadonlySet<Code> = new Set<Code>(["no_key_matched", "no_key_with_id", "wrong_kem"]);

function failureOf(field: string, blob: string, { code, message }: Refused,
    noKey: boolean): Result
{
    if (!field && looksLikeKey(blob))
        return failure("key", "This is a key and not sealed data. Add it under Private key.");
    return noKey && without.has(code)
        ? failure("no_key", "No private key was given.")
        : failure(code, sentence(message));
}

const failure = (code: Code, message: string): Result => ({ ok: false, code, message });
