// Rows on their way from a helper to the store. A message with few texts and one list of numbers is
// written and read much faster than an object per row, since most of a log's texts repeat, and all
// of its names.
import { characters } from "./binary.ts";
import { openedCells, outcomeCells } from "./cells.ts";
import type { Row } from "./protocol.ts";
import type { FoundMembers } from "./found.ts";
import { longestCell } from "./store/members.ts";
import { type Group, prefix } from "./store/types.ts";
import { type Texts, packTexts } from "./transfer.ts";
import { type Tally, noTally, tallyResult } from "./tally.ts";

/**
 * A batch of rows, which have no number yet. Each has its event's index in the batch, its flags,
 * the text of the opened data, its number of cells, and each cell's column and text.
 */
export interface Batch {
    tally: Tally;
    /** The number of blobs. */
    found: number;
    /** The indices of records that could not be read. */
    damaged: number[];
    /** The ids of columns, and the texts of their cells, by the numbers in rows. */
    columns: string[];
    texts: Texts;
    /** The rows, in the same buffer as the texts, which is transferred and not copied. */
    rows: Uint32Array<ArrayBuffer>;
}

export const okFlag = 1;
/** A flag: the text is bytes, as characters. */
export const binaryFlag = 2;
/** A flag that only the store sets: the row lacks some members. */
export const partialFlag = 4;
/** A flag: the record has no sealed data. */
export const absentFlag = 8;
/** The count of numbers in a row before its cells. */
export const head = 4;
/** The place in a row of the number of its cells. */
export const cellCountAt = 3;

/** Reports whether the record could not be read: it is neither JSON nor a blob on its own. */
export const isDamaged = ({ field, result }: Pick<Row, "field" | "result">): boolean =>
    !result.ok && (result.code === "bad_record" || (field === "" && result.code === "bad_base64"));

const flagsOf = ({ result }: Row): number =>
    result.ok
        ? okFlag | (result.bytes ? binaryFlag : 0)
        : result.code === "absent"
        ? absentFlag
        : 0;

export class BatchWriter {
    readonly #tally = noTally();
    readonly #damaged: number[] = [];
    /** The index of the current record. */
    #record = 0;
    readonly #members: FoundMembers | undefined;
    readonly #columns: string[];
    readonly #names: Record<Exclude<Group, "event">, Map<string, number>> = {
        result: new Map(),
        payload: new Map(),
    };
    /** The number of texts of members, which come before the others. */
    readonly #before: number;
    readonly #texts = new Map<string, number>();
    readonly #rows: number[] = [];

    /** Creates a batch for events with these members, and `found` sealed values. */
    constructor(members: FoundMembers | undefined, readonly found: number) {
        this.#members = members;
        this.#columns = members?.columns.map((name) => prefix.event + name) ?? [];
        this.#before = members?.letterEnds.length ?? 0;
    }

    /** Adds an event of a record; its rows follow. */
    event(record: number): void {
        this.#record = record;
        this.#tally.records++;
    }

    reopened(count: number): void {
        this.#tally.reopened += count;
    }

    /** Adds a row with the members of an event. */
    row(row: Row, event: number): void {
        const { result } = row;
        tallyResult(this.#tally, result);
        if (isDamaged(row)) this.#damaged.push(this.#record);
        const flags = flagsOf(row);
        const cells = this.#rows.push(this.#tally.records - 1, flags, this.#number(result.ok
            ? (result.bytes ? characters(result.bytes) : result.text)
            : result.message), 0) - 1;
        outcomeCells(row, (name, text) => this.#cell("result", name, text));
        if (this.#members) {
            const { cells, cellEnds } = this.#members;
            const end = cellEnds[event]!;
            for (let at = cellEnds[event - 1] ?? 0; at < end; at++) this.#rows.push(cells[at]!);
        }
        openedCells(row, longestCell, (group, name, text) => this.#cell(group, name, text));
        this.#rows[cells] = (this.#rows.length - 1 - cells) / 2;
    }

    /** Returns the batch. `take` returns a buffer of at least the requested size. */
    end(take: (size: number) => ArrayBuffer): Batch {
        const texts = [...this.#texts.keys()];
        const first = textsOf(this.#members);
        const letters = texts.reduce((sum, { length }) => sum + length, first.letters.length);
        const count = this.#before + texts.length;
        const numbers = this.#rows.length + count;
        const buffer = take(4 * numbers + letters);
        const rows = new Uint32Array(buffer, 0, this.#rows.length);
        rows.set(this.#rows);
        const ends = new Uint32Array(buffer, rows.byteLength, count);
        const packed = packTexts(first, texts, new Uint8Array(buffer, 4 * numbers, letters), ends);
        return {
            tally: this.#tally,
            found: this.found,
            damaged: this.#damaged,
            columns: this.#columns,
            texts: packed,
            rows,
        };
    }

    #cell(group: Exclude<Group, "event">, name: string, text: string): void {
        this.#rows.push(this.#column(group, name), this.#number(text));
    }

    #column(group: Exclude<Group, "event">, name: string): number {
        let column = this.#names[group].get(name);
        if (column === undefined) {
            column = this.#columns.push(prefix[group] + name) - 1;
            this.#names[group].set(name, column);
        }
        return column;
    }

    #number(text: string): number {
        const known = this.#texts.get(text);
        if (known !== undefined) return known;
        const number = this.#before + this.#texts.size;
        this.#texts.set(text, number);
        return number;
    }
}

/** Returns the texts of members. */
const textsOf = (members: FoundMembers | undefined): Texts => ({
    letters: members?.letters ?? new Uint8Array(),
    ends: members?.letterEnds ?? new Uint32Array(),
    others: new Map(members?.others.map((text, i) => [members.otherNumbers[i]!, text])),
});
