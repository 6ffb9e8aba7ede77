// One member of many rows: each distinct text once, and for each row the number of its text.

/** How much text a store may still take, in UTF-16 code units. All its columns share it. */
export interface Room {
    left: number;
}

/** The number of a row without such a member, and of a text for which there was no room. */
export const absent = 0;
export const unheld = 1;

type Numbers = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

export class Column {
    /** Texts by their numbers. */
    readonly values: string[] = ["", "(not kept: out of room)"];
    readonly #numbers = new Map<string, number>();
    #rows: Numbers = new Uint8Array(256);
    #ranks = new Uint32Array();

    constructor(readonly room: Room) {}

    /** The distinct texts. */
    get distinct(): number {
        return this.#numbers.size;
    }

    set(row: number, text: string): void {
        const number = this.#number(text);
        const wide = number > 0xffff ? Uint32Array : number > 0xff ? Uint16Array : Uint8Array;
        const isWide = wide.BYTES_PER_ELEMENT <= this.#rows.BYTES_PER_ELEMENT;
        if (row >= this.#rows.length || !isWide) this.#grow(row, isWide ? (this.#rows.constructor as typeof wide) : wide);
        this.#rows[row] = number;
    }

    at(row: number): number {
        return this.#rows[row] ?? absent;
    }

    text(row: number): string {
        return this.values[this.at(row)] ?? "";
    }

    /** For each number of a text whether the test holds. */
    which(test: (text: string) => boolean): Uint8Array {
        return Uint8Array.from(this.values, (text, number) => Number(number > unheld && test(text)));
    }

    /** For each number of a text its place among all: as numbers if all are numbers. Rows without the member are first. */
    ranks(): Uint32Array {
        if (this.#ranks.length === this.values.length) return this.#ranks;
        const { values } = this;
        const numeric = values.every((text, number) => number <= unheld || (text !== "" && Number.isFinite(Number(text))));
        const order = Uint32Array.from(values.keys()).subarray(unheld + 1);
        if (numeric) {
            const parsed = Float64Array.from(values, Number);
            order.sort((a, b) => parsed[a]! - parsed[b]!);
        } else order.sort((a, b) => (values[a]! < values[b]! ? -1 : 1));
        this.#ranks = new Uint32Array(values.length).fill(values.length - 1, unheld, unheld + 1);
        order.forEach((number, rank) => (this.#ranks[number] = rank + 1));
        return this.#ranks;
    }

    #number(text: string): number {
        const known = this.#numbers.get(text);
        if (known !== undefined) return known;
        if (text.length > this.room.left) return unheld;
        this.room.left -= text.length + overhead;
        this.#numbers.set(text, this.values.length);
        return this.values.push(text) - 1;
    }

    #grow(row: number, wide: Uint8ArrayConstructor | Uint16ArrayConstructor | Uint32ArrayConstructor): void {
        const rows = new wide(Math.max(this.#rows.length, Math.ceil(((row + 1) * 3) / 2)));
        rows.set(this.#rows);
        this.#rows = rows;
    }
}

/** What a distinct text costs beside its letters: its head, and its entry in list and map. In bytes, about. */
const overhead = 48;
