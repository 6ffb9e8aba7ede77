// The values of a column in the selected rows, with how often each occurs.
import { type Column, absent } from "./column.ts";
import type { Store } from "./store.ts";
import type { Top, Value, Values, ValuesOf } from "./types.ts";

const mostValues = 8;
/** The maximum number of pairs of values, more than a person reads. */
const mostPairs = 1_000_000;

/**
 * Returns the most frequent values of a column. If rows are pinned, those that differ most: by
 * their share of the pinned rows and of the selected ones.
 */
export function topOf(store: Store, id: string, selected: Uint32Array,
    pinned: Uint32Array | undefined): Top
{
    const column = store.columns.get(id);
    if (!column) return { column: id, values: [], distinct: 0 };
    const counts = countsOf(column, selected);
    const before = pinned && countsOf(column, pinned);
    const [all, allBefore] = [Math.max(1, selected.length), Math.max(1, pinned?.length ?? 0)];
    const weight = before
        ? (number: number) => Math.abs(counts[number]! / all - before[number]! / allBefore)
        : (number: number) => counts[number]!;
    const best: number[] = [];
    let distinct = 0;
    counts.forEach((count, number) => {
        if (number === absent || (count === 0 && !before?.[number])) return;
        distinct++;
        if (best.length === mostValues && weight(number) <= weight(best[mostValues - 1]!)) return;
        const place = best.findIndex((other) => weight(other) < weight(number));
        best.splice(place < 0 ? best.length : place, 0, number);
        best.length = Math.min(best.length, mostValues);
    });
    return {
        column: id,
        values: best.map((
            number,
        ) => [column.value(number), counts[number]!,
            ...(before ? [before[number]!] as [number] : [] as [])]
        ),
        distinct,
    };
}

/** Returns a part of all values of a column, or of all pairs of values of two. */
export function valuesOf(store: Store, selected: Uint32Array,
    { column: id, by, text, sort, from, to }: ValuesOf): Values
{
    const column = store.columns.get(id);
    const other = by === undefined ? undefined : store.columns.get(by);
    const all = column ? (other ? pairs(column, other, selected) : single(column, selected)) : [];
    const wanted = text.toLowerCase();
    const found = wanted
        ? all.filter(({ value, with: second = "" }) =>
            value.toLowerCase().includes(wanted) || second.toLowerCase().includes(wanted)
        )
        : all;
    found.sort(sort === "count"
        ? (a, b) => b.count - a.count || compare(a, b)
        : compare);
    return {
        values: found.slice(from, to),
        matching: found.length,
        distinct: all.length,
        total: selected.length,
    };
}

function compare(a: Value, b: Value): number {
    const [one, other] = [Number(a.value), Number(b.value)];
    return one - other || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0);
}

function single(column: Column, rows: Uint32Array): Value[] {
    const values: Value[] = [];
    countsOf(column, rows).forEach((count, number) =>
        count > 0 && number !== absent && values.push({ value: column.value(number), count })
    );
    return values;
}

function pairs(column: Column, other: Column, rows: Uint32Array): Value[] {
    const counts = new Map<number, number>();
    const { numbers } = other;
    for (const row of rows) {
        const [one, second] = [column.at(row), other.at(row)];
        // No filter finds rows without a member.
        if (one === absent || second === absent) continue;
        const pair = one * numbers + second;
        const count = counts.get(pair) ?? 0;
        if (count > 0 || counts.size < mostPairs) counts.set(pair, count + 1);
    }
    return Array.from(counts, ([pair, count]) => ({
        value: column.value(Math.floor(pair / numbers)),
        with: other.value(pair % numbers),
        count,
    }));
}

function countsOf(column: Column, rows: Uint32Array): Uint32Array {
    const counts = new Uint32Array(column.numbers);
    for (const row of rows) counts[column.at(row)]!++;
    return counts;
}
