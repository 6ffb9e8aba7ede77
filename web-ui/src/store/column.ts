// One member of many rows: each distinct text once, and for each row the number of its text.
import { release } from "../release.ts";
import { type Room, forColumns, forRows } from "./room.ts";
import { Texts } from "./texts.ts";

/**
 * The numbers of a row without the member, of one whose text did not fit, and of the first text.
 */
export const absent = 0;
export const unheld = 1;
export const firstText = 2;

type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The cost of a column with its first texts, in bytes: a chunk of them, and the initial arrays. */
export const columnCost = 68_000;

export class Column {
    readonly #texts = new Texts();
    #rows: Numbers = new Uint8Array(256);
    /** The first row for whose number there was no room. */
    #end = Infinity;
    #ranks = new Uint32Array();
    /** The room that it took, in bytes. */
    #spent = 0;
    /** The number of rows whose text did not fit. */
    lacking = 0;

    /** Creates a column whose texts leave this share of the room. */
    constructor(readonly room: Room, readonly share = forColumns) {}

    /** Gives the room back. The column is empty afterwards. */
    drop(): void {
        this.#texts.drop();
        release(this.#rows);
        this.room.give(this.#spent);
        [this.#rows, this.#spent] = [new Uint8Array(), 0];
    }

    /** The number of distinct texts. */
    get distinct(): number {
        return this.#texts.size;
    }

    /** The count of numbers: those of texts, and two others. */
    get numbers(): number {
        return this.#texts.size + unheld + 1;
    }

    /** Returns the text of a number. */
    value(number: number): string {
        if (number === absent) return "";
        return number === unheld
            ? "(not kept: out of room)"
            : this.#texts.text(number - unheld - 1);
    }

    /** Returns the number of a text, which is a new one if there is room for it. */
    number(text: string): number {
        return numberAfter(this.#texts.number(text, this.#take));
    }

    /** Returns the number of a text whose characters are given as bytes, if they fit. */
    numberOf(letters: Uint8Array, from: number, to: number): number {
        return numberAfter(this.#texts.numberOf(letters, from, to, this.#take));
    }

    /** Sets the number of a row's text. Returns false if there was no room for it. */
    set(row: number, number: number): boolean {
        if (row < this.#end && !this.#fits(row, number)) number = unheld;
        if (row < this.#end && !this.#fits(row, number)) this.#end = row;
        if (row < this.#end) this.#rows[row] = number;
        const isHeld = row < this.#end && number !== unheld;
        this.lacking += Number(!isHeld);
        return isHeld;
    }

    at(row: number): number {
        return row >= this.#end ? unheld : this.#rows[row] ?? absent;
    }

    text(row: number): string {
        return this.value(this.at(row));
    }

    /** Returns the texts that came first. */
    first(most: number): string[] {
        return Array.from({ length: Math.min(most, this.distinct) },
            (_, text) => this.#texts.text(text));
    }

    /**
     * Returns texts from a number on: at most `most`, with at most `characters` in total unless
     * there is only one.
     */
    texts(from: number, most: number, characters: number): string[] {
        const texts: string[] = [];
        let length = 0;
        for (let number = from; number < this.numbers && texts.length < most; number++) {
            const text = this.value(number);
            length += text.length;
            if (length > characters && texts.length > 0) break;
            texts.push(text);
        }
        return texts;
    }

    /** Reports for each number whether its text passes the test. */
    which(test: (text: string, number: number) => boolean): Uint8Array<ArrayBuffer> {
        const found = new Uint8Array(this.numbers);
        for (const number of [absent, unheld])
            found[number] = Number(test(this.value(number), number));
        this.#texts.each((text,
            number) => (found[number + unheld + 1] = Number(test(text, number + unheld + 1)))
        );
        return found;
    }

    /**
     * Returns the rank of each number's text, numerically if all are numbers. Rows without the
     * member come first.
     */
    ranks(): Uint32Array {
        if (this.#ranks.length === this.numbers) return this.#ranks;
        const texts: string[] = [];
        this.#texts.each((text) => texts.push(text));
        const order = Uint32Array.from(texts.keys());
        if (texts.every((text) => text !== "" && Number.isFinite(Number(text)))) {
            const parsed = Float64Array.from(texts, Number);
            order.sort((a, b) => parsed[a]! - parsed[b]!);
        } else order.sort((a, b) => (texts[a]! < texts[b]! ? -1 : 1));
        this.#ranks = new Uint32Array(this.numbers).fill(this.numbers - 1, unheld, unheld + 1);
        order.forEach((text, rank) => (this.#ranks[text + unheld + 1] = rank + 1));
        return this.#ranks;
    }

    #take = (cost: number): boolean => this.#spend(cost, this.share);

    #spend(cost: number, share: number): boolean {
        const isThere = this.room.take(cost, share);
        if (isThere) this.#spent += cost;
        return isThere;
    }

    /**
     * Reports whether the row can have the number, and makes the array longer or wider if
     * necessary.
     */
    #fits(row: number, number: number): boolean {
        const { length, byteLength, BYTES_PER_ELEMENT } = this.#rows;
        const wide = number > 0xffff ? Uint32Array : number > 0xff ? Uint16Array : Uint8Array;
        const isWide = wide.BYTES_PER_ELEMENT <= BYTES_PER_ELEMENT;
        if (row < length && isWide) return true;
        const kind = isWide ? (this.#rows.constructor as typeof wide) : wide;
        const longer = row < length ? length : Math.ceil(((row + 1) * 3) / 2);
        if (!this.#spend(longer * kind.BYTES_PER_ELEMENT - byteLength, forRows)) return false;
        const rows = new kind(longer);
        rows.set(this.#rows);
        release(this.#rows);
        this.#rows = rows;
        return true;
    }
}

const numberAfter = (text: number | undefined) => (text === undefined ? unheld : text + unheld + 1);
