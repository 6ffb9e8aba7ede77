// Answers to queries about a store: rows, order, counts, times.
import { type Column, absent, unheld } from "./column.ts";
import type { FoundIn } from "./expression.ts";
import { flagged, keepMatching, reasonsOf } from "./matching.ts";
import { gistOf } from "./gist.ts";
import { payloadColumn } from "./payload-column.ts";
import { Store } from "./store.ts";
import { timeText } from "./time.ts";
import { timelineOf } from "./times.ts";
import type { Detail, Filter, Line, Overview, Query, Values, ValuesOf } from "./types.ts";
import { topOf, valuesOf } from "./values.ts";

export class Explorer {
    readonly store: Store;
    /** The rows that the last query selected, in its order. */
    #selected = new Uint32Array();
    /** Flags by row: 1 if it is selected. Each query has a new array. */
    kept = new Uint8Array();
    /** Set if the user stopped the run that filled the store. Exports end where it did. */
    isStopped = false;
    /** Set if that query left rows out, or could have. */
    isFiltered = false;
    /** The rows that later selections are compared with. */
    #pinned: Uint32Array | undefined;

    /** Creates an empty store with so many bytes of memory. */
    constructor(room?: number) {
        this.store = new Store(room);
    }

    /** Pins the selected rows, to compare others with, or ends that. */
    pin(on: boolean): void {
        this.#pinned = on ? this.#selected : undefined;
    }

    values = (ask: ValuesOf): Values => valuesOf(this.store, this.#selected, ask);

    /**
     * Selects rows. `tops` are the columns whose most frequent values are wanted, and `found` has
     * the matches of a regular expression.
     */
    select(query: Query, tops: string[], found?: FoundIn): Overview {
        const { store } = this;
        if (query.timeColumn !== undefined) store.useTimes(query.timeColumn);
        this.kept = this.#filtered(query, found);
        this.isFiltered = query.filters.length > 0 || query.text !== "" || query.time !== undefined;
        let matched = 0;
        for (const kept of this.kept) matched += kept;
        this.#selected = this.#sorted(query, matched);
        const timeline = timelineOf(store, this.#selected);
        const isVain = matched === 0 && query.text !== "" && !query.regex;
        return {
            total: store.size,
            matched,
            columns: store.facts(),
            tops: tops.map((column) => topOf(store, column, this.#selected, this.#pinned)),
            missing: store.missing,
            unheld: store.unheld,
            partial: store.partial,
            dropped: [...store.dropped],
            incomplete: store.incomplete(),
            why: isVain ? reasonsOf(store, query.text) : [],
            ...(this.#pinned && { pinned: this.#pinned.length }),
            leftOut: store.leftOut.size,
            moreLeftOut: store.moreLeftOut,
            timeColumns: store.timeColumns(),
            ...(store.timeColumn !== undefined && { timeColumn: store.timeColumn }),
            ...(timeline && { timeline }),
        };
    }

    lines(from: number, to: number, columns: string[]): Line[] {
        return Array.from(this.#selected.subarray(from, to), (row) => this.#line(row, columns));
    }

    /**
     * Returns the first rows, without texts beyond `most` characters in total. The first one always
     * has its text.
     */
    details(to: number, most: number): Detail[] {
        let left = Infinity;
        return Array.from(this.#selected.subarray(0, to), (row) => {
            const detail = this.detail(row);
            if (!detail.result.ok) return detail;
            const { length } = detail.result.text;
            if (length > left)
                return {
                    ...detail,
                    result: { ok: true, text: "", keyId: detail.result.keyId, held: false },
                };
            left = Math.min(left, most) - length;
            return detail;
        });
    }

    detail(row: number): Detail {
        const { store } = this;
        const event = [...store.columns]
            .filter(([id, column]) => id.startsWith("e:") && column.at(row) > unheld)
            .map(([id, column]): [string, string] => [id.slice(2), column.text(row)]);
        const [file, field] = [store.text("r:file", row), store.text("r:field", row)];
        return {
            row,
            record: store.record(row),
            file,
            field,
            event,
            isWhole: !store.isPartial(row),
            result: store.outcome(row),
        };
    }

    #line(row: number, columns: string[]): Line {
        const { store } = this;
        const outcome = store.outcome(row);
        const gist: Line["gist"] = outcome.ok ? gistOf(outcome.text) : [outcome.message, "", ""];
        return {
            row,
            record: store.record(row),
            cells: columns.map((id) => this.#cell(id, row)),
            ...(columns.includes(store.timeColumn ?? "")
                && { values: columns.map((id) => store.text(id, row)) }),
            state: outcome.ok ? "opened" : store.isAbsent(row) ? "absent" : "failed",
            gist,
        };
    }

    /** Returns a cell, with times in one notation, if the row has the member. */
    #cell(id: string, row: number): string | undefined {
        const { columns, timeColumn, times } = this.store;
        const at = id === timeColumn ? times[row]! : NaN;
        if (!Number.isNaN(at)) return timeText(at);
        const column = columns.get(id);
        return column && column.at(row) !== absent ? column.text(row) : undefined;
    }

    #filtered({ filters, text, regex, time }: Query,
        found: FoundIn | undefined): Uint8Array<ArrayBuffer>
    {
        const kept = new Uint8Array(this.store.size).fill(1);
        for (const { column, test } of tests(filters)) this.#keep(kept, column, test);
        if (time)
            this.store.times.subarray(0, kept.length).forEach((at, row) =>
                at >= time[0] && at < time[1] || (kept[row] = 0)
            );
        if (found) {
            const rows = flagged(this.store.searched(), kept.length, (column) => found.get(column));
            for (let row = 0; row < kept.length; row++) kept[row]! &= rows[row]!;
        } else if (!regex) keepMatching(this.store, kept, text);
        return kept;
    }

    #keep(kept: Uint8Array, id: string, test: (value: string, isAbsent: boolean) => boolean): void {
        const column = this.store.columns.get(id);
        const which = column?.which((value, number) => test(value, number === absent));
        const without = Number(test("", true));
        for (let row = 0; row < kept.length; row++)
            kept[row]! &= column && which
                ? which[column.at(row)]!
                : without;
    }

    #sorted({ sort }: Query, matched: number): Uint32Array<ArrayBuffer> {
        const rows = new Uint32Array(matched);
        let end = 0;
        this.kept.forEach((kept, row) => kept && (rows[end++] = row));
        if (!sort) return rows;
        const { times, timeColumn } = this.store;
        if (sort.column === timeColumn) {
            const at = (row: number) => (Number.isNaN(times[row]!) ? -Infinity : times[row]!);
            rows.sort((a, b) => (at(a) === at(b) ? a - b : at(a) < at(b) ? -1 : 1));
        } else {
            const column = sort.column === payloadColumn
                ? this.store.payloads
                : this.store.columns.get(sort.column);
            if (column) counted(rows, column);
        }
        return sort.down ? rows.reverse() : rows;
    }
}

/** Returns one test per column: its wanted values are alternatives, and all others are refused. */
function tests(filters: Filter[]) {
    const columns = new Set(filters.map(({ column }) => column));
    return Array.from(columns, (column) => {
        const of = (not: boolean) =>
            new Set(
                filters.filter((one) => one.column === column && one.not === not).map(({ value }) =>
                    value
                ),
            );
        const [wanted, refused] = [of(false), of(true)];
        const test = (value: string, isAbsent: boolean) =>
            (wanted.size === 0 || (!isAbsent && wanted.has(value)))
            && (isAbsent || !refused.has(value));
        return { column, test };
    });
}

/** Sorts rows by a column, in one step per row. Rows with the same value keep their order. */
function counted(rows: Uint32Array, column: Column): void {
    const ranks = column.ranks();
    const starts = new Uint32Array(ranks.length + 1);
    const rank = (row: number) => ranks[column.at(row)]!;
    for (const row of rows) starts[rank(row) + 1]!++;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    for (const row of rows.slice()) rows[starts[rank(row)]!++] = row;
}
