// Records opened: what becomes of their blobs, and the members of their events and of what was in them. In the worker and in its helpers.
import type { KeyRing, OpenOptions, OpenResult } from "pqseal";
import { type Batch, BatchWriter } from "./batch.ts";
import { isNotLoaded } from "./errors.ts";
import { looksLikeKey } from "./others.ts";
import { plainOf } from "./plaintexts.ts";
import type { Code, Row } from "./protocol.ts";
import { type Found, blobsOf } from "./records.ts";
import { membersOf } from "./store/members.ts";

type Result = Row["result"];
type Refused = Extract<OpenResult, { ok: false }>["error"];

/** How many records are opened in one call: it costs less than one for each, and what they were parsed into is soon not needed any more. */
const atOnce = 16;

export class Opening {
    readonly fields: ReadonlySet<string>;
    readonly #noKey: boolean;

    constructor(readonly ring: KeyRing, fields: string[], readonly options: OpenOptions) {
        this.fields = new Set(fields);
        this.#noKey = ring.keyIds.length === 0;
    }

    open(records: string[]): Batch {
        const batch = new BatchWriter();
        for (let from = 0; from < records.length; from += atOnce) this.#openSome(records.slice(from, from + atOnce), batch);
        return batch.end();
    }

    #openSome(records: string[], batch: BatchWriter): void {
        const taken = records.map((record) => blobsOf(record, this.fields));
        const rows = this.rows(taken.flatMap((one) => one?.found ?? []));
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
    }

    /** Blobs. Throws `not_loaded` if one needs the module `full`. */
    rows(found: Found[]): Row[] {
        if (!found.length) return [];
        const results = this.ring.openMany(found.map(({ blob }) => blob), this.options);
        const lacking = results.find((result) => !result.ok && isNotLoaded(result.error));
        if (lacking && !lacking.ok) {
            for (const result of results) if (result.ok) result.plaintext.fill(0);
            throw Object.assign(new Error(lacking.error.message), { code: lacking.error.code });
        }
        const plain = plainOf(results.flatMap((result) => (result.ok ? [result.plaintext] : [])));
        let next = 0;
        return results.map((result, i) => {
            const { field, blob } = found[i]!;
            const opened = result.ok ? { ...plain[next++]!, ok: true as const, keyId: result.keyId } : failureOf(field, blob, result.error, this.#noKey);
            return { record: 0, file: "", field, result: opened };
        });
    }
}

export const badRecord = (): Row =>
    ({ record: 0, file: "", field: "", result: failure("bad_record", "This is not JSON: the record was cut off or is damaged.") });

/** What a ring without keys says, to which there is but one answer. */
const without: ReadonlySet<Code> = new Set<Code>(["no_key_matched", "no_key_with_id", "wrong_kem"]);

function failureOf(field: string, blob: string, { code, message }: Refused, noKey: boolean): Result {
    if (!field && looksLikeKey(blob)) return failure("key", "This is a key and not sealed data. Add it under Private key.");
    return noKey && without.has(code) ? failure("no_key", "No private key was given.") : failure(code, sentence(message));
}

const failure = (code: Code, message: string): Result => ({ ok: false, code, message });

/** The library's messages are parts of sentences, with names in backticks. */
export const sentence = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1).replaceAll("`", "")}${message.endsWith(".") ? "" : "."}`;
