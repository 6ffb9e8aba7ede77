// Blocks of records as bytes, to be opened. Strings of a whole input would make the engine's young
// generation grow until it takes 60 MB in each thread.
import type { Piece, Place, TextSplitter } from "./pieces.ts";
import type { Utf8 } from "./transfer.ts";

export interface Block {
    records: Utf8;
    /** The line at which each record begins. */
    lines: Uint32Array<ArrayBuffer>;
    columns: Uint32Array<ArrayBuffer>;
}

export const placeIn = ({ lines, columns }: Block, record: number): Place => ({
    line: lines[record]!,
    column: columns[record]!,
});

export interface Splitter {
    /** Returns the records that are complete now. Each block is made on demand. */
    feed(bytes: Uint8Array): Iterable<Block>;
    /** Returns the rest at the end. */
    end(): Iterable<Block>;
    /** A message for an input without sealed data. */
    readonly hint?: string | undefined;
    /** A message for after the end. */
    readonly problem?: string | undefined;
}

/** Limits of a block, in records and bytes. Blocks in transit are in memory more than once. */
const [mostRecords, mostBytes] = [100, 1 << 17];
/**
 * The bytes that become one string. An engine collects strings of this size soon, and larger ones
 * late.
 */
const stepSize = 1 << 15;

const encoder = new TextEncoder();

export class BlockWriter {
    /** The buffer. It is longer if a record needs it, until the block ends. */
    #bytes = new Uint8Array(mostBytes);
    #end = 0;
    #ends: number[] = [];
    #lines: number[] = [];
    #columns: number[] = [];

    /** Adds a record. Returns true if the block is full now. */
    add(record: Uint8Array, place: Place): boolean {
        this.#room(record.length).set(record);
        return this.#took(record.length, place);
    }

    addText(record: string, place: Place): boolean {
        return this.#took(encoder.encodeInto(record, this.#room(3 * record.length)).written, place);
    }

    #took(length: number, { line, column }: Place): boolean {
        this.#ends.push(this.#end += length);
        this.#lines.push(line);
        this.#columns.push(column);
        return this.#ends.length === mostRecords || this.#end >= mostBytes;
    }

    /** Yields the block, if it has any records, and begins the next one. */
    *end(): Iterable<Block> {
        if (!this.#ends.length) return;
        const records = {
            bytes: this.#bytes.slice(0, this.#end),
            ends: Uint32Array.from(this.#ends),
        };
        const block = {
            records,
            lines: Uint32Array.from(this.#lines),
            columns: Uint32Array.from(this.#columns),
        };
        if (this.#bytes.length > 2 * mostBytes) this.#bytes = new Uint8Array(mostBytes);
        [this.#end, this.#ends, this.#lines, this.#columns] = [0, [], [], []];
        yield block;
    }

    /** Returns the free space of the buffer, at least `length` bytes. */
    #room(length: number): Uint8Array {
        if (this.#end + length > this.#bytes.length) {
            const bytes = new Uint8Array(this.#end + length);
            bytes.set(this.#bytes.subarray(0, this.#end));
            this.#bytes = bytes;
        }
        return this.#bytes.subarray(this.#end);
    }
}

/** A splitter into records for a splitter of text. */
export class OfText implements Splitter {
    readonly #decoder = new TextDecoder();
    readonly #block = new BlockWriter();

    constructor(readonly splitter: TextSplitter) {}

    *feed(bytes: Uint8Array): Iterable<Block> {
        for (let at = 0; at < bytes.length; at += stepSize)
            yield* this.#blocks(
                this.splitter.feed(
                    this.#decoder.decode(bytes.subarray(at, at + stepSize), { stream: true }),
                ),
            );
    }

    *end(): Iterable<Block> {
        yield* this.#blocks(this.splitter.feed(this.#decoder.decode()));
        yield* this.#blocks(this.splitter.end());
    }

    get hint(): string | undefined {
        return this.splitter.hint;
    }

    get problem(): string | undefined {
        return this.splitter.problem;
    }

    *#blocks(pieces: Piece[]): Iterable<Block> {
        for (const piece of pieces)
            if (this.#block.addText(piece.text, piece)) yield* this.#block.end();
        yield* this.#block.end();
    }
}
