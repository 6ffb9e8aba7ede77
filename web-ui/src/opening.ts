// Opening of records: what the sealed values that the engine finds become, and the lines that it
// writes. Used in the worker and its helpers.
import type { KeyRing } from "pqseal";
import type { SealedKeys } from "pqseal/sealed";
import type { Answers, RecordFinder } from "pqseal/records";
import { type Batch, BatchWriter } from "./batch.ts";
import type { Block } from "./blocks.ts";
import { sentence } from "./errors.ts";
import { type Found, eventsIn, firstProblem, isAbsent, isSealed } from "./found.ts";
import { plainOf } from "./plaintexts.ts";
import type { Code } from "./opened.ts";
import type { Row } from "./protocol.ts";
import { release } from "./release.ts";
import { longestCell } from "./store/members.ts";
import type { Records } from "./transfer.ts";
import { type Failure, type OpenSettings, type OpenedValues, type Outcome, ValueOpener, failure,
    nothing, wantedValues } from "./values.ts";

type Result = Pick<Row, "field" | "result">;

export class Opening {
    readonly #values: ValueOpener;

    /** Without the module `full` there is no `sealed`. */
    constructor(readonly finder: RecordFinder, ring: KeyRing, sealed: SealedKeys | undefined,
        readonly settings: OpenSettings)
    {
        this.#values = new ValueOpener(ring, sealed, settings);
    }

    /** Opens records. `take` returns a buffer of at least the requested size. */
    async open(records: Records, take: (size: number) => ArrayBuffer): Promise<Batch> {
        const found = this.find(records, longestCell);
        const batch = new BatchWriter(found.members, found.valueEnds.length);
        const opened = await this.#values.all(found, wantedValues(found, () => true));
        const rows = this.#rows(found, opened);
        batch.reopened(opened.reopened);
        for (const { record, event, from, to } of eventsIn(found)) {
            batch.event(record);
            for (let row = from; row < to; row++) batch.row(rows[row]!, event);
        }
        return batch.end(take);
    }

    /** Finds the sealed values of records, and members, of which long values are cut. */
    find = ({ bytes, ends, hasEvents }: Records, longest: number): Found =>
        this.finder.find(bytes, ends, hasEvents, longest);

    /** Returns the wanted rows, opened. Throws `not_loaded` if one needs the module `full`. */
    async rows(found: Found, isWanted: (row: number) => boolean): Promise<(Row | undefined)[]> {
        return this.#rows(found, await this.#values.all(found, wantedValues(found, isWanted)));
    }

    /**
     * Returns the lines of records with what was sealed in them. `wanted` chooses events, whose rows
     * are then passed to `take`.
     */
    async lines({ records: { bytes, ends, hasEvents }, numbers }: Block,
        wanted: (found: Found) => Uint8Array,
        take: (found: Found, rows: Result[]) => void): Promise<Uint8Array | undefined>
    {
        let answers: Answers | undefined;
        let later: Promise<Answers> | undefined;
        const answer = (found: Found): Answers | undefined => {
            if (answers) return answers;
            const events = wanted(found);
            if (!events.includes(1)) return undefined;
            const rows = new Uint8Array(found.states.length);
            for (const { event, from, to } of eventsIn(found)) rows.fill(events[event]!, from, to);
            const values = wantedValues(found, (row) => rows[row] === 1);
            const finish = (opened: OpenedValues) => this.#answers(found, events, opened, take);
            if (values.some((value) => this.#values.isOther(found, value))) {
                later = this.#values.all(found, values).then(finish);
                return undefined;
            }
            return answers = finish(this.#values.blobs(found, values));
        };
        const write = () => this.finder.write(bytes, ends, hasEvents, numbers, answer);
        try {
            const lines = write();
            if (!later) return lines;
            // The engine does not wait for WebCrypto, so it is called once more.
            answers = await later;
            return write();
        } finally {
            answers?.plaintexts.fill(0);
        }
    }

    #answers(found: Found, events: Uint8Array, { plaintexts, ends, outcomes }: OpenedValues,
        take: (found: Found, rows: Result[]) => void): Answers
    {
        const codes = outcomes.map((outcome) =>
            outcome === undefined ? "absent" : outcome.ok ? "" : outcome.code
        );
        const results = this.#results(found, outcomes, (outcome) => ({ ...outcome, text: "" }));
        take(found, results.map((result, row) => ({ field: this.#field(found, row), result })));
        return { events, plaintexts, ends, codes };
    }

    #rows(found: Found, { plaintexts, ends, outcomes }: OpenedValues): (Row | undefined)[] {
        const plain = plainOf(plaintexts, ends);
        release(plaintexts, ends);
        const results = this.#results(found, outcomes,
            (outcome, value) => ({ ...plain[value]!, ...outcome }));
        return results.map((result, row) =>
            result && { record: 0, file: "", field: this.#field(found, row), result }
        );
    }

    /** Returns the results of rows. Sealed values that were not to be opened have none. */
    #results(found: Found, outcomes: Outcome[],
        opened: (outcome: { ok: true; keyId: string },
            value: number) => Row["result"]): Row["result"][]
    {
        let value = 0;
        return Array.from(found.states, (state) => {
            if (isAbsent(state)) return nothing();
            if (!isSealed(state)) return problem(found.problems[state - firstProblem]!);
            const outcome = outcomes[value++];
            return outcome?.ok ? opened(outcome, value - 1) : outcome;
        }) as Row["result"][];
    }

    #field = (found: Found, row: number): string => this.settings.fields[found.fields[row]!] ?? "";
}

function problem({ code, message }: Found["problems"][number]): Failure {
    return code === "bad_json"
        ? failure("bad_record", "This is not JSON: the record was cut off or is damaged.")
        : failure(code as Code, sentence(message));
}
