// The rows that a search finds, term by term, and why one finds nothing.
import { nameOf } from "../names.ts";
import { searchFor } from "../search.ts";
import { type Term, plainText, termsOf } from "../terms.ts";
import { rangeOf } from "./address.ts";
import { type Column, unheld } from "./column.ts";
import type { Store } from "./store.ts";
import { timeOf } from "./time.ts";

type Test = (text: string) => boolean;

/** Clears the flags of rows that lack any term of a search. */
export function keepMatching(store: Store, kept: Uint8Array, text: string): void {
    for (const term of termsOf(text)) {
        const found = flagsOf(store, term, kept.length);
        for (let row = 0; row < kept.length; row++) kept[row]! &= found[row]! ^ Number(term.not);
    }
}

/** Flags the rows that have a text in one of the columns. */
export function flagged(columns: Iterable<Column>, size: number,
    whichOf: (column: Column) => Uint8Array | undefined): Uint8Array
{
    const found = new Uint8Array(size);
    for (const column of columns) {
        const which = whichOf(column);
        if (which?.includes(1)) {
            for (let row = 0; row < size; row++) found[row]! |= which[column.at(row)] ?? 0;
        }
    }
    return found;
}

/** Returns reasons why a search without a match has none. */
export function reasonsOf(store: Store, text: string): string[] {
    const terms = termsOf(text);
    const reasons = terms.flatMap((term) => {
        const { field, operator, text: value, source } = term;
        const isKnown = field !== undefined && columnsOf(store, field).length > 0;
        if (isKnown && /[<>]/.test(operator!) && !isOrdered(value))
            return [
                `“${value}” is neither a number nor a time, so that nothing is above or below it.`,
            ];
        if (term.not || flagsOf(store, term, store.size).includes(1)) return [];
        if (isKnown) {
            return [/^[\d.:a-f]+\/\d+$/i.test(value) && !rangeOf(value)
                ? `“${value}” is no range of addresses.`
                : `No ${field} fits “${operator === ":" ? value : operator! + value}”.`];
        }
        const column = field === undefined || /^\w+:\/\//.test(source)
            ? ""
            : ` There is no column ${field}.`;
        return [`Nothing has “${plainText(term)}”.${column}`];
    });
    return reasons.length || terms.length === 0
        ? reasons
        : ["Each part of it is found, but no record has all of them and fits the filters."];
}

function flagsOf(store: Store, term: Term, size: number): Uint8Array {
    const columns = term.field === undefined ? [] : columnsOf(store, term.field);
    const test = columns.length ? testOf(term) : plainTest(plainText(term));
    return flagged(columns.length ? columns : store.searched(), size,
        (column) => column.which((text, number) => number > unheld && test(text)));
}

/** Returns the columns of a name, in any case; else those that end in it after a dot. */
function columnsOf(store: Store, field: string): Column[] {
    const name = field.toLowerCase();
    const all = [...store.columns].map(([id, column]) =>
        [nameOf(id).toLowerCase().replaceAll(" ", "_"), column] as const
    );
    const exact = all.filter(([id]) => id === name);
    return (exact.length ? exact : all.filter(([id]) => id.endsWith(`.${name}`))).map((
        [, column],
    ) => column);
}

function testOf({ operator, text }: Term): Test {
    if (operator === ":") return plainTest(text);
    if (operator === "=") return (value) => value === text;
    const wanted = orderOf(text);
    return (value) => {
        const order = orderOf(value);
        return operator === ">"
            ? order > wanted
            : operator === "<"
            ? order < wanted
            : operator === ">="
            ? order >= wanted
            : order <= wanted;
    };
}

function plainTest(text: string): Test {
    const [isInRange, search] = [rangeOf(text), searchFor(text)];
    if (!search) return () => true;
    return (value) => value.search(search) >= 0 || isInRange?.(value) === true;
}

const isOrdered = (text: string) => !Number.isNaN(orderOf(text));

/** Returns a number, or a time in milliseconds. Else NaN, which is neither above nor below. */
function orderOf(text: string): number {
    if (text.trim() === "") return NaN;
    const number = Number(text);
    return Number.isNaN(number) ? timeOf(text) : number;
}
