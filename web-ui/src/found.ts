// What the engine found in records: by event its rows and its members. The lists are those of the
// module.
import type { Found, FoundMembers } from "pqseal/records";
import { characters, lenient } from "./binary.ts";
import type { Member } from "./store/members.ts";

export type { Found, FoundMembers };

/** States of rows. Those of problems begin with `firstProblem`. */
const absent = 2;
export const firstProblem = 3;

/** An event: the numbers of its record, of itself, and of its rows. */
export interface EventRows {
    record: number;
    event: number;
    from: number;
    to: number;
}

/** Yields all events, in order. */
export function* eventsIn({ events, rows }: Found): Generator<EventRows> {
    let [event, from] = [0, 0];
    for (const [record, count] of events.entries())
        for (const end = event + count; event < end; event++) {
            const to = from + rows[event]!;
            yield { record, event, from, to };
            from = to;
        }
}

export const isAbsent = (state: number) => state === absent;
export const isSealed = (state: number) => state < absent;

/** Reports whether a sealed value is a JSON object. */
export const isObject = (state: number) => state === 1;

/** Returns a sealed value. */
export const bytesOf = ({ values, valueEnds }: Found, value: number): Uint8Array =>
    values.subarray(valueEnds[value - 1] ?? 0, valueEnds[value]);

/** Returns a sealed value as text. */
export const valueOf = (found: Found, value: number): string =>
    lenient.decode(bytesOf(found, value));

/** Returns the members of an event. */
export function membersIn(members: FoundMembers, event: number): Member[] {
    const { columns, cellEnds, letters, letterEnds, otherNumbers, others } = members;
    const cells = members.cells.subarray(cellEnds[event - 1] ?? 0, cellEnds[event]);
    const textOf = (text: number): string => {
        const other = otherNumbers.indexOf(text);
        return other < 0
            ? characters(letters.subarray(letterEnds[text - 1] ?? 0, letterEnds[text]))
            : others[other]!;
    };
    return Array.from({ length: cells.length / 2 },
        (_, i) => [columns[cells[2 * i]!]!, textOf(cells[2 * i + 1]!)]);
}

/** Returns the values with these numbers, one after the other. */
export function valuesOf({ values, valueEnds }: Found,
    numbers: number[]): Pick<Found, "values" | "valueEnds">
{
    if (numbers.length === valueEnds.length) return { values, valueEnds };
    const parts = numbers.map((value) =>
        values.subarray(valueEnds[value - 1] ?? 0, valueEnds[value])
    );
    const ends = new Uint32Array(parts.length);
    let end = 0;
    parts.forEach(({ length }, i) => (ends[i] = end += length));
    const all = new Uint8Array(end);
    parts.forEach((part, i) => all.set(part, ends[i - 1] ?? 0));
    return { values: all, valueEnds: ends };
}
