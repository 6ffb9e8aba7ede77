// Opening of sealed values by the library: matched data by a key ring, all other kinds by a class of
// the module `full`.
import type { KeyRing, OpenOptions, OpenResult, PackedResults } from "pqseal";
import type { SealedKeys, SealedKind } from "pqseal/sealed";
import { isNotLoaded, notLoaded, sentence } from "./errors.ts";
import { type Found, bytesOf, isObject, isSealed, valueOf, valuesOf } from "./found.ts";
import { looksLikeKey, mayBeOther } from "./refused-inputs.ts";
import type { Code } from "./opened.ts";
import type { Row } from "./protocol.ts";
import { release } from "./release.ts";

/** What a run opens. */
export interface OpenSettings {
    fields: string[];
    options: OpenOptions;
    /** The kind of all values; without it, each value's kind is detected. */
    sealedAs: SealedKind | undefined;
}

export type Failure = Extract<Row["result"], { ok: false }>;
type Refused = Extract<OpenResult, { ok: false }>["error"];
/** What became of a sealed value; undefined if it was not to be opened. */
export type Outcome = { ok: true; keyId: string } | Failure | undefined;

/** The plaintexts of sealed values, one after the other, with the end of each. */
export interface OpenedValues {
    plaintexts: Uint8Array<ArrayBuffer>;
    ends: Uint32Array<ArrayBuffer>;
    outcomes: Outcome[];
    reopened: number;
}

/** Values by their numbers, in order, and their results, with the number of keys that were tried. */
interface Part {
    numbers: number[];
    results: PackedResults;
    keys: number;
}

export class ValueOpener {
    readonly #keyIds: string[];
    readonly #keysOfRing: number;

    /** Without the module `full` there is no `sealed`. Its keys begin with those of the ring. */
    constructor(readonly ring: KeyRing, readonly sealed: SealedKeys | undefined,
        readonly settings: OpenSettings)
    {
        const { keyIds } = ring;
        [this.#keyIds, this.#keysOfRing] = [sealed?.keyIds ?? keyIds, keyIds.length];
    }

    /** Reports whether a value may be sealed in another way than as matched data. */
    isOther = (found: Found, value: number): boolean =>
        this.settings.sealedAs !== undefined || mayBeOther(bytesOf(found, value));

    /** Opens matched data. Throws `not_loaded` if it needs the module `full`. */
    blobs = (found: Found, values: number[]): OpenedValues =>
        this.#joined(found, values.length ? [this.#blobs(found, values)] : []);

    /** Opens values of all kinds. */
    async all(found: Found, values: number[]): Promise<OpenedValues> {
        const others = values.filter((value) => this.isOther(found, value));
        if (!others.length) return this.blobs(found, values);
        if (!this.sealed) throw notLoaded();
        const { sealedAs: kind } = this.settings;
        const { values: texts, valueEnds } = valuesOf(found, others);
        const results = await this.sealed.openPacked(texts, valueEnds, kind ? { kind } : {});
        const parts = [{ numbers: others, results, keys: this.#keyIds.length }];
        if (!kind) {
            // What is of no other kind is matched data, except JSON.
            const [rows, isOther] = [sealedRows(found), new Set(others)];
            eachFailure(parts[0]!, (value, { code }) => {
                if (code === "not_sealed" && !isObject(found.states[rows[value]!]!))
                    isOther.delete(value);
            });
            const blobs = values.filter((value) => !isOther.has(value));
            if (blobs.length) parts.push(this.#blobs(found, blobs));
        }
        return this.#joined(found, parts);
    }

    #blobs(found: Found, numbers: number[]): Part {
        const { values, valueEnds } = valuesOf(found, numbers);
        const results = this.ring.openPacked(values, valueEnds, this.settings.options);
        const lacking = results.errors.find(isNotLoaded);
        if (!lacking) return { numbers, results, keys: this.#keysOfRing };
        results.plaintexts.fill(0);
        throw Object.assign(new Error(lacking.message), { code: lacking.code });
    }

    /** Joins parts, of which a later one has the results of values that both have. */
    #joined(found: Found, parts: Part[]): OpenedValues {
        const [rows, count] = [sealedRows(found), found.valueEnds.length];
        const outcomes: Outcome[] = new Array<Outcome>(count).fill(undefined);
        const lengths = new Uint32Array(count);
        for (const part of parts) {
            const { numbers, results: { ends, keys } } = part;
            numbers.forEach((value, i) => {
                lengths[value] = ends[i]! - (ends[i - 1] ?? 0);
                outcomes[value] = { ok: true, keyId: this.#keyIds[keys[i]!]! };
            });
            eachFailure(part,
                (value,
                    error) => (outcomes[value] = this.#failure(found, rows[value]!, value, error)));
        }
        let end = 0;
        const ends = lengths.map((length) => (end += length));
        const plaintexts = joinedPlaintexts(parts, ends);
        const reopened = parts.reduce((sum, { results }) => sum + results.reopened, 0);
        for (const { results } of parts) release(results.ends, results.keys);
        return { plaintexts, ends, outcomes, reopened };
    }

    #failure(found: Found, row: number, value: number, { code, message }: Refused): Failure {
        const { fields, sealedAs } = this.settings;
        if (!fields[found.fields[row]!] && looksLikeKey(valueOf(found, value)))
            return failure("key", "This is a key and not sealed data. Add it under Private key.");
        if (code === "empty" || (code === "not_sealed" && sealedAs)) return nothing();
        if (code === "not_sealed")
            return failure("not_a_string", "The field is JSON that is not sealed.");
        return !this.#keyIds.length && without.has(code)
            ? failure("no_key", "No private key was given.")
            : failure(code, sentence(message));
    }
}

/** Visits the values that did not open. */
function eachFailure({ numbers, results, keys }: Part,
    visit: (value: number, error: Refused) => void): void
{
    const errors = results.errors.values();
    numbers.forEach((value, i) => {
        if (results.keys[i]! >= keys) visit(value, errors.next().value!);
    });
}

/** Returns the plaintexts of all values, which end at these positions. */
function joinedPlaintexts(parts: Part[], ends: Uint32Array): Uint8Array<ArrayBuffer> {
    const [only, ...others] = parts;
    if (only && !others.length) return only.results.plaintexts;
    const all = new Uint8Array(ends.at(-1) ?? 0);
    for (const { numbers, results } of parts) {
        numbers.forEach((value, i) => {
            const plaintext = results.plaintexts.subarray(results.ends[i - 1] ?? 0,
                results.ends[i]);
            all.set(plaintext, ends[value]! - plaintext.length);
        });
        results.plaintexts.fill(0);
    }
    return all;
}

/** Returns the row of each sealed value. */
const sealedRows = ({ states }: Found): number[] =>
    Array.from(states.keys()).filter((row) => isSealed(states[row]!));

/** Returns the numbers of the sealed values in these rows. */
export const wantedValues = (found: Found, isWanted: (row: number) => boolean): number[] => {
    const rows = sealedRows(found);
    return Array.from(rows.keys()).filter((value) => isWanted(rows[value]!));
};

/** The codes that a ring without keys gives, reported as `no_key`. */
const without: ReadonlySet<Code> = new Set<Code>(["no_key_matched", "no_key_with_id", "wrong_kem"]);

export const nothing = () => failure("absent", "No sealed data in this record.");

export const failure = (code: Code, message: string): Failure => ({ ok: false, code, message });
