// Distinct texts by numbers, in about half the memory that a list and a map of strings take: a million events have two million of them.
// Their characters are bytes, one text after the other. Texts that this does not fit are kept as they are.
import { characters, windowSize } from "../binary.ts";
import { release } from "../release.ts";

const chunkSize = 1 << 16;
/** Longer ones would leave the ends of chunks empty. */
const longest = chunkSize / 4;

/** What a text costs beside its characters, in bytes: where it ends, and twice its place among the hashes, in arrays that are half empty. */
const overhead = 24;
/** The same for one that is kept as it is, which is in two maps. */
const otherOverhead = 120;

export class Texts {
    size = 0;
    readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
    /** By number. Positions count on from chunk to chunk. */
    #ends = new Uint32Array(64);
    /** At a text's hash, or soon after it, its number and 1. At most half of it is used. */
    #table = new Uint32Array(128);
    readonly #others = new Map<number, string>();
    readonly #otherNumbers = new Map<string, number>();
    /** Attackers choose texts: they must not know which fall on one place. */
    readonly #seed = crypto.getRandomValues(new Uint32Array(1))[0]!;

    /** The text's number. A new text gets one if `mayAdd` says so of what it costs, in bytes, about. */
    number(text: string, mayAdd: (cost: number) => boolean): number | undefined {
        const mixed = hash(this.#seed, text);
        if (mixed === undefined) {
            const known = this.#otherNumbers.get(text);
            return known ?? (mayAdd(2 * text.length + otherOverhead) ? this.#addOther(text) : undefined);
        }
        const at = this.#place(text, mixed);
        const found = this.#table[at]!;
        return found > 0 ? found - 1 : mayAdd(text.length + overhead) ? this.#add(text, at) : undefined;
    }

    text(number: number): string {
        return this.#others.get(number) ?? characters(this.#bytes(number));
    }

    /** All of them, in the order of their numbers. */
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
                [from, to] = [start, Math.max(end, Math.min(start + windowSize, nextChunk(start), this.#ends[this.size - 1]!))];
                letters = characters(this.#part(from, to));
            }
            visit(letters.slice(start - from, end - from), number);
        }
    }

    #add(text: string, at: number): number {
        const number = this.size++;
        this.#table[at] = number + 1;
        this.#ends[number] = this.#write(text, number ? this.#ends[number - 1]! : 0);
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

    /** Where it is in the table, or the empty place where it would be. */
    #place(text: string, mixed: number): number {
        const last = this.#table.length - 1;
        for (let at = mixed & last; ; at = (at + 1) & last) {
            const found = this.#table[at]!;
            if (found === 0 || this.#is(found - 1, text)) return at;
        }
    }

    #is(number: number, text: string): boolean {
        const start = this.#start(number);
        if (this.#ends[number]! - start !== text.length) return false;
        const chunk = this.#chunks[start / chunkSize >>> 0]!;
        const offset = start % chunkSize;
        for (let i = 0; i < text.length; i++) if (chunk[offset + i] !== text.charCodeAt(i)) return false;
        return true;
    }

    /** Where it ends then. */
    #write(text: string, end: number): number {
        const start = (end % chunkSize) + text.length > chunkSize ? nextChunk(end) : end;
        const chunk = (this.#chunks[start / chunkSize >>> 0] ??= new Uint8Array(chunkSize));
        for (let i = 0; i < text.length; i++) chunk[(start % chunkSize) + i] = text.charCodeAt(i);
        return start + text.length;
    }

    /** After the one before it, or where its chunk begins. */
    #start(number: number): number {
        const before = number ? this.#ends[number - 1]! : 0;
        return Math.max(before, chunkOf(this.#ends[number]! - 1));
    }

    #bytes(number: number): Uint8Array {
        return this.#part(this.#start(number), this.#ends[number]!);
    }

    #part(from: number, to: number): Uint8Array {
        return this.#chunks[from / chunkSize >>> 0]!.subarray(from % chunkSize, (from % chunkSize) + to - from);
    }

    #grow(): void {
        const ends = new Uint32Array(this.#ends.length * 2);
        ends.set(this.#ends);
        // Before the old ones are given back: there may be no memory for it.
        const table = new Uint32Array(ends.length * 2);
        for (const old of [this.#ends, this.#table]) release(old);
        [this.#ends, this.#table] = [ends, table];
        const last = this.#table.length - 1;
        for (let number = 0; number < this.size; number++) {
            if (this.#others.has(number)) continue;
            let at = hashOf(this.#seed, this.#bytes(number)) & last;
            while (this.#table[at] !== 0) at = (at + 1) & last;
            this.#table[at] = number + 1;
        }
    }
}

const chunkOf = (position: number) => position - (position % chunkSize);
const nextChunk = (position: number) => (position % chunkSize === 0 ? position : chunkOf(position)) + chunkSize;

/** As a part of a longer text it would keep that one in memory. */
function copied(text: string): string {
    const codes = new Uint16Array(text.length);
    for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i);
    return characters(codes);
}

/** None for a text that is kept as it is: empty, long, or with characters that are no byte. */
function hash(seed: number, text: string): number | undefined {
    if (text.length === 0 || text.length > longest) return undefined;
    let sum = seed;
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (code > 255) return undefined;
        sum = mix(sum, code);
    }
    return sum ^ (sum >>> 15);
}

function hashOf(seed: number, bytes: Uint8Array): number {
    let sum = seed;
    for (let i = 0; i < bytes.length; i++) sum = mix(sum, bytes[i]!);
    return sum ^ (sum >>> 15);
}

/** The lowest bits decide, so that high ones come down. */
const mix = (sum: number, next: number) => {
    const product = Math.imul(sum ^ next, 0x9e3779b1);
    return product ^ (product >>> 16);
};
