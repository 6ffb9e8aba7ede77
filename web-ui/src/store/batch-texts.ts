// The texts of a batch on their way into the columns of a store, as bytes: most of them never
// become strings there.
import { characters } from "../binary.ts";
import type { Texts as Packed } from "../transfer.ts";
import { type Column, unheld } from "./column.ts";
import { fits } from "./texts.ts";

export class BatchTexts {
    /**
     * By text, the column that it was last looked up in, and its number there. Most texts belong to
     * one column and many rows.
     */
    readonly #columns: (Column | undefined)[];
    readonly #numbers: Uint32Array;

    constructor(readonly packed: Packed) {
        this.#columns = new Array<Column | undefined>(packed.ends.length).fill(undefined);
        this.#numbers = new Uint32Array(packed.ends.length);
    }

    text(text: number): string {
        const { letters, ends, others } = this.packed;
        return others.get(text) ?? characters(letters.subarray(ends[text - 1] ?? 0, ends[text]));
    }

    /** Returns the number of the text in the column. */
    number(text: number, column: Column): number {
        if (this.#columns[text] === column) return this.#numbers[text]!;
        const { letters, ends } = this.packed;
        const [from, to] = [ends[text - 1] ?? 0, ends[text]!];
        // A text that is kept separately, as a string, has no bytes here.
        const number = fits(to - from)
            ? column.numberOf(letters, from, to)
            : column.number(this.text(text));
        // There may be room once another column was dropped.
        if (number === unheld) return number;
        this.#columns[text] = column;
        return (this.#numbers[text] = number);
    }
}
