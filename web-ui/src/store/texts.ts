// Distinct texts by number, in about half the memory of a list and a map of strings: a million
// events have two million of them. Their characters are bytes, one text after the other. Texts that
// do not fit this format are kept as strings.
import { characters, windowSize } from "../binary.ts";
import { release } from "../release.ts";

const chunkBits = 16;
const chunkSize = 1 << chunkBits;
/** The longest text in bytes. Longer ones would leave the ends of chunks empty. */
const longest = chunkSize / 4;

/**
 * The overhead of a text in bytes: its end, and twice its place among the hashes, in arrays that
 * are half empty.
 */
const overhead = 24;
/** The overhead of a text kept as a string, which is in two maps. */
const otherOverhead = 120;

export class Texts {
    size = 0;
    readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
    /** The ends of texts, by number. Positions continue from chunk to chunk. */
    #ends = new Uint32Array(64);
    /**
     * A hash table: at a text's hash, or soon after it, its number plus 1. At most half of it is
     * used.
     */
    #table = new Uint32Array(128);
    readonly #others = new Map<number, string>();
    readonly #otherNumbers = new Map<string, number>();
    /** A random seed, since attackers choose texts, and must not know which ones collide. */
    readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0]!;

    /**
     * Returns the text's number. A new text gets one if `mayAdd` allows its approximate cost in
     * bytes.
     */
    number(text: string, mayAdd: (cost: number) => boolean): number | undefined {
        const letters = lettersOf(text);
        if (letters) return this.numberOf(letters, 0, text.length, mayAdd);
        const known = this.#otherNumbers.get(text);
        return known
            ?? (mayAdd(2 * text.length + otherOverhead) ? this.#addOther(text) : undefined);
    }

    /** Returns the number of the characters from `from` to `to`, as bytes, if they fit. */
    numberOf(letters: Uint8Array, from: number, to: number, mayAdd: (cost: number) => boolean):
        | number
        | undefined
    {
        const at = this.#place(letters, from, to);
        const found = this.#table[at]!;
        return found > 0
            ? found - 1
            : mayAdd(to - from + overhead)
            ? this.#add(letters, from, to, at)
            : undefined;
    }

    text(number: number): string {
        return this.#others.get(number) ?? characters(this.#bytes(number));
    }

    /** Visits all texts, in the order of their numbers. */
    each(visit: (text: string, number: number) => void): void {
        // A window of the chunk as one string, of which texts are parts.
        let [letters, from, to] = ["", 0, 0];
        for (let number = 0; number < this.size; number++) {
            const other = this.#others.size ? this.#others.get(number) : undefined;
            if (other !== undefined) {
                visit(other, number);
                continue;
            }
            const [start, end] = [this.#start(number), this.#ends[number]!];
            if (end > to) {
                [from, to] = [start,
                    Math.max(end,
                        Math.min(start + windowSize, nextChunk(start),
                            this.#ends[this.size - 1]!))];
                letters = characters(this.#part(from, to));
            }
            visit(letters.slice(start - from, end - from), number);
        }
    }

    /** Overwrites and removes all texts. */
    drop(): void {
        release(this.#ends, this.#table, ...this.#chunks.splice(0));
        for (const map of [this.#others, this.#otherNumbers]) map.clear();
        this.size = 0;
    }

    #add(letters: Uint8Array, from: number, to: number, at: number): number {
        const number = this.size++;
        this.#table[at] = number + 1;
        this.#ends[number] = this.#write(letters, from, to, number ? this.#ends[number - 1]! : 0);
        if (this.size === this.#ends.length) this.#grow();
        return number;
    }

    #addOther(text: string): number {
        const number = this.size++;
        const own = copied(text);
        this.#others.set(number, own);
        this.#otherNumbers.set(own, number);
        this.#ends[number] = number ? this.#ends[number - 1]! : 0;
        if (this.size === this.#ends.length) this.#grow();
        return number;
    }

    /** Returns its place in the table, or the empty place where it would be. */
    #place(letters: Uint8Array, from: number, to: number): number {
        const last = this.#table.length - 1;
        for (let at = hash(this.#seed, letters, from, to) & last;; at = (at + 1) & last) {
            const found = this.#table[at]!;
            if (found === 0 || this.#is(found - 1, letters, from, to)) return at;
        }
    }

    #is(number: number, letters: Uint8Array, from: number, to: number): boolean {
        const start = this.#start(number);
        if (this.#ends[number]! - start !== to - from) return false;
        const chunk = this.#chunks[start >>> chunkBits]!;
        for (let i = from, at = inChunk(start); i < to; i++, at++)
            if (chunk[at] !== letters[i]) return false;
        return true;
    }

    /** Writes a text, and returns its end. */
    #write(letters: Uint8Array, from: number, to: number, end: number): number {
        const start = inChunk(end) + to - from > chunkSize ? nextChunk(end) : end;
        const chunk = (this.#chunks[start >>> chunkBits] ??= new Uint8Array(chunkSize));
        for (let i = from, at = inChunk(start); i < to; i++, at++) chunk[at] = letters[i]!;
        return start + to - from;
    }

    /** Returns the start of a text: after the one before it, or at the beginning of its chunk. */
    #start(number: number): number {
        const before = number ? this.#ends[number - 1]! : 0;
        return Math.max(before, chunkOf(this.#ends[number]! - 1));
    }

    #bytes(number: number): Uint8Array {
        return this.#part(this.#start(number), this.#ends[number]!);
    }

    #part(from: number, to: number): Uint8Array {
        return this.#chunks[from >>> chunkBits]!.subarray(inChunk(from), inChunk(from) + to - from);
    }

    #grow(): void {
        const ends = new Uint32Array(this.#ends.length * 2);
        ends.set(this.#ends);
        // Allocated before the old ones are released, since it may fail.
        const table = new Uint32Array(ends.length * 2);
        for (const old of [this.#ends, this.#table]) release(old);
        [this.#ends, this.#table] = [ends, table];
        const last = this.#table.length - 1;
        for (let number = 0; number < this.size; number++) {
            if (this.#others.has(number)) continue;
            const bytes = this.#bytes(number);
            let at = hash(this.#seed, bytes, 0, bytes.length) & last;
            while (this.#table[at] !== 0) at = (at + 1) & last;
            this.#table[at] = number + 1;
        }
    }
}

/**
 * Returns the offset in a chunk. Positions are below 2^31, since a store has no more room. A
 * remainder would use floating point.
 */
const inChunk = (position: number) => position & (chunkSize - 1);
const chunkOf = (position: number) => position - inChunk(position);
const nextChunk = (position: number) =>
    (inChunk(position) === 0 ? position : chunkOf(position)) + chunkSize;

/** Copies a text, since a part of a longer text would keep that one in memory. */
function copied(text: string): string {
    const codes = new Uint16Array(text.length);
    for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i);
    return characters(codes);
}

/** Reports whether a text of this length is kept as bytes. An empty one is not. */
export const fits = (length: number) => length > 0 && length <= longest;

const scratch = new Uint8Array(longest);

/**
 * Returns the characters as bytes, valid until the next call. Undefined for a text kept as a
 * string: empty, long, or with characters above 255.
 */
function lettersOf(text: string): Uint8Array | undefined {
    if (!fits(text.length)) return undefined;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 255) return undefined;
        scratch[i] = code;
    }
    return scratch;
}

function hash(seed: number, letters: Uint8Array, from: number, to: number): number {
    let sum = seed;
    for (let i = from; i < to; i++) sum = mix(sum, letters[i]!);
    return sum ^ (sum >>> 15);
}

/** Mixes a number into a hash. The lowest bits decide, so the high ones are moved down. */
const mix = (sum: number, next: number) => {
    const product = Math.imul(sum ^ next, 0x9e3779b1);
    return product ^ (product >>> 16);
};
