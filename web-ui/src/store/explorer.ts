// Answers to queries about a store: rows, order, counts, times.
import { searchFor } from "../search.ts";
import { type Column, absent, unheld } from "./column.ts";
import type { FoundIn } from "./expression.ts";
import { gistOf } from "./gist.ts";
import { payloadColumn } from "./payload-column.ts";
import { Store } from "./store.ts";
import { timeText } from "./time.ts";
import type { Detail, Filter, Line, Overview, Query, Timeline, Top } from "./types.ts";

const bins = 60;
const mostValues = 8;

export class Explorer {
    readonly store = new Store();
    /** The rows that the last query selected, in its order. */
    #selected = new Uint32Array();
    /** Flags by row: 1 if it is selected. Each query has a new array. */
    kept = new Uint8Array();
    /** Set if the user stopped the run that filled the store. Exports end where it did. */
    isStopped = false;
    /** Set if that query left rows out, or could have. */
    isFiltered = false;

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
        const timeline = this.#timeline();
        return {
            total: store.size,
            matched,
            columns: store.facts(),
            tops: tops.map((column) => this.#top(column)),
            missing: store.missing,
            unheld: store.unheld,
            partial: store.partial,
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
            ok: outcome.ok,
            gist,
        };
    }

    /** Returns a cell, with times in one notation. */
    #cell(id: string, row: number): string {
        const at = id === this.store.timeColumn ? this.store.times[row]! : NaN;
        return Number.isNaN(at) ? this.store.text(id, row) : timeText(at);
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
        const search = regex ? undefined : searchFor(text);
        if (found) this.#keepText(kept, (column) => found.get(column));
        else if (search)
            this.#keepText(kept,
                (column) =>
                    column.which((text, number) => number > unheld && text.search(search) >= 0));
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

    /** Keeps the rows that have the text in any column, or in their opened data. */
    #keepText(kept: Uint8Array, whichOf: (column: Column) => Uint8Array | undefined): void {
        const found = new Uint8Array(kept.length);
        for (const column of this.store.searched()) {
            const which = whichOf(column);
            if (which?.includes(1)) {
                for (let row = 0; row < found.length; row++)
                    found[row]! |= which[column.at(row)] ?? 0;
            }
        }
        for (let row = 0; row < kept.length; row++) kept[row]! &= found[row]!;
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

    #top(id: string): Top {
        const column = this.store.columns.get(id);
        if (!column) return { column: id, values: [], distinct: 0 };
        const counts = new Uint32Array(column.numbers);
        for (const row of this.#selected) counts[column.at(row)]!++;
        const best: number[] = [];
        let distinct = 0;
        counts.forEach((count, number) => {
            if (count === 0 || number === absent) return;
            distinct++;
            if (best.length === mostValues && count <= counts[best[mostValues - 1]!]!) return;
            const place = best.findIndex((other) => counts[other]! < count);
            best.splice(place < 0 ? best.length : place, 0, number);
            best.length = Math.min(best.length, mostValues);
        });
        return {
            column: id,
            values: best.map((number) => [column.value(number), counts[number]!]),
            distinct,
        };
    }

    #timeline(): Timeline | undefined {
        const { times, timeColumn } = this.store;
        let [from, last, without] = [Infinity, -Infinity, 0];
        for (const row of this.#selected) {
            const at = times[row]!;
            if (Number.isNaN(at)) without++;
            if (at < from) from = at;
            if (at > last) last = at;
        }
        if (timeColumn === undefined || from > last) return undefined;
        // The last event is before the end.
        const to = last + 1;
        const width = (to - from) / bins;
        const counts = Array.from({ length: bins },
            (_, i) => ({ from: from + i * width, opened: 0, failed: 0 }));
        for (const row of this.#selected) {
            const bin = counts[Math.floor((times[row]! - from) / width)];
            if (bin) bin[this.store.isOpened(row) ? "opened" : "failed"]++;
        }
        return { without, from, to, bins: counts };
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
