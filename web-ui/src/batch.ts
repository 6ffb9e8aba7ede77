// Rows on their way from a helper to the store. A message with few texts and one list of numbers is
// written and read much faster than an object per row, since most of a log's texts repeat, and all
// of its names.
import { characters } from "./binary.ts";
import { openedCells, outcomeCells } from "./cells.ts";
import type { Row } from "./protocol.ts";
import { type Member, longestCell } from "./store/members.ts";
import { type Group, prefix } from "./store/types.ts";
import { type Texts, packTexts } from "./transfer.ts";
import { type Tally, noTally, tallyResult } from "./tally.ts";

/**
 * A batch of rows, which have no number yet. Each has its record's index in the batch, its flags,
 * the text of the opened data, its number of cells, and each cell's column and text.
 */
export interface Batch {
    tally: Tally;
    /** The number of blobs. */
    found: number;
    /**
     * The indices of texts that could not be read, and of those in which it is unclear what belongs
     * together.
     */
    damaged: number[];
    unclear: number[];
    /** The ids of columns, and the texts of their cells, by the numbers in rows. */
    columns: string[];
    texts: Texts;
    /** The rows, in the same buffer as the texts, which is transferred and not copied. */
    rows: Uint32Array<ArrayBuffer>;
}

export const isOk = 1;
/** A flag: the text is bytes, as characters. */
export const isBinary = 2;
/** A flag: the record has no sealed data. */
export const isAbsent = 8;
/** The count of numbers in a row before its cells. */
export const head = 4;

/** Reports whether the record could not be read: it is neither JSON nor a blob on its own. */
export const isDamaged = ({ field, result }: Row): boolean =>
    !result.ok && (result.code === "bad_record" || (field === "" && result.code === "bad_base64"));

const flagsOf = ({ result }: Row): number =>
    result.ok
        ? isOk | (result.bytes ? isBinary : 0)
        : result.code === "absent"
        ? isAbsent
        : 0;

export class BatchWriter {
    readonly #tally = noTally();
    #found = 0;
    readonly #damaged: number[] = [];
    readonly #unclear: number[] = [];
    /** The index of the current text. */
    #text = -1;
    readonly #columns: string[] = [];
    readonly #names: Record<Group, Map<string, number>> = {
        result: new Map(),
        event: new Map(),
        payload: new Map(),
    };
    readonly #texts = new Map<string, number>();
    readonly #rows: number[] = [];

    /** Begins the next text; its records follow. */
    text(isUnclear: boolean): void {
        this.#text++;
        if (isUnclear) this.#unclear.push(this.#text);
    }

    /** Adds a record with `found` blobs; its rows follow. */
    record(found: number): void {
        this.#tally.records++;
        this.#found += found;
    }

    reopened(count: number): void {
        this.#tally.reopened += count;
    }

    /** Adds the members of a record, and returns them for each of its rows. */
    event(members: Member[]): number[] {
        const cells: number[] = [];
        for (const [name, text] of members)
            cells.push(this.#column("event", name), this.#number(text));
        return cells;
    }

    /** Adds a row. `event` is from `event()` of its record. */
    row(row: Row, event: number[]): void {
        const { result } = row;
        tallyResult(this.#tally, result);
        if (isDamaged(row)) this.#damaged.push(this.#text);
        const flags = flagsOf(row);
        const cells = this.#rows.push(this.#tally.records - 1, flags, this.#number(result.ok
            ? (result.bytes ? characters(result.bytes) : result.text)
            : result.message), 0) - 1;
        outcomeCells(row, (name, text) => this.#cell("result", name, text));
        for (const number of event) this.#rows.push(number);
        openedCells(row, longestCell, (group, name, text) => this.#cell(group, name, text));
        this.#rows[cells] = (this.#rows.length - 1 - cells) / 2;
    }

    /** Returns the batch. `take` returns a buffer of at least the requested size. */
    end(take: (size: number) => ArrayBuffer): Batch {
        const texts = [...this.#texts.keys()];
        const letters = texts.reduce((sum, { length }) => sum + length, 0);
        const numbers = this.#rows.length + texts.length;
        const buffer = take(4 * numbers + letters);
        const rows = new Uint32Array(buffer, 0, this.#rows.length);
        rows.set(this.#rows);
        const ends = new Uint32Array(buffer, rows.byteLength, texts.length);
        const packed = packTexts(texts, new Uint8Array(buffer, 4 * numbers, letters), ends);
        return {
            tally: this.#tally,
            found: this.#found,
            damaged: this.#damaged,
            unclear: this.#unclear,
            columns: this.#columns,
            texts: packed,
            rows,
        };
    }

    #cell(group: Group, name: string, text: string): void {
        this.#rows.push(this.#column(group, name), this.#number(text));
    }

    #column(group: Group, name: string): number {
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
        this.#texts.set(text, this.#texts.size);
        return this.#texts.size - 1;
    }
}
