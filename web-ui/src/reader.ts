// Records in the bytes of an input, by the module that the command line has too, in a chunk that is
// loaded after the worker. It imports nothing that the worker has too.
import type { SealedKind } from "pqseal/sealed";
import { type Block, RecordFinder, RecordReader, startSync } from "pqseal/records";
import { wasm } from "virtual:wasm-records";

let module: WebAssembly.Module | undefined;

/** Starts the module, and returns it. */
function started(): WebAssembly.Module {
    if (!module) startSync(module = new WebAssembly.Module(wasm()));
    return module;
}

/** Creates a finder of fields with these names, perhaps with one kind of values. */
export function finderOf(fields: string[], sealedAs?: SealedKind): RecordFinder {
    started();
    return new RecordFinder(fields, sealedAs);
}

/** Returns the module for helpers, compiled if messages can have it so. */
export const moduleForHelpers = (isCompiled: boolean) => (isCompiled ? started() : wasm());

/** Returns the first sealed value in a text, which may be one itself. */
export function valueIn(text: string, fields: string[]): string {
    // A text without brackets and quotes is not searched: it may be a key, which this module never
    // gets.
    if (!/^\s*[{["'`]/.test(text)) return text;
    const finder = finderOf(fields);
    const bytes = new TextEncoder().encode(text);
    const { values, valueEnds } = finder.find(bytes, Uint32Array.of(bytes.length), false, 0);
    finder.free();
    return valueEnds.length ? new TextDecoder().decode(values.subarray(0, valueEnds[0])) : text;
}

/** The maximum number of columns that an error lists. */
const mostNames = 20;

export class Reader {
    readonly #reader: RecordReader;

    /**
     * Creates a reader for an input with this beginning, and the name of its file. Throws if it is
     * not text.
     */
    constructor(beginning: Uint8Array, name: string, fields: Iterable<string>) {
        started();
        const reader = RecordReader.of(beginning, name, [...fields]);
        if (!reader)
            throw new Error(
                "This file is not text. Choose a log export: JSON, one record per line, or base64.",
            );
        this.#reader = reader;
    }

    /** Yields the records that are complete now. Each block is made on demand. */
    *feed(bytes: Uint8Array): Iterable<Block> {
        this.#reader.feed(bytes);
        yield* this.#blocks();
    }

    /** Yields the rest at the end. */
    *end(): Iterable<Block> {
        this.#reader.end();
        yield* this.#blocks();
        const line = this.#reader.openQuote;
        if (line !== undefined)
            throw new Error(
                `A quote in the table is never closed, in line ${line} or after it: what follows it was not read.`,
            );
    }

    /** A message for an input without sealed data. */
    get hint(): string | undefined {
        const columns = this.#reader.columns;
        return columns
            && `No row of this table has sealed data. Its columns are ${
                columns.slice(0, mostNames).join(", ").slice(0, 400)
            }. If one of them holds it, set its name under Options.`;
    }

    /** A message for after the end. */
    get problem(): string | undefined {
        return this.#reader.isArrayOpen
            ? "The JSON array has no end: it may have been cut off. The records before that were read."
            : undefined;
    }

    free(): void {
        this.#reader.free();
    }

    *#blocks(): Iterable<Block> {
        for (let block = this.#reader.nextBlock(); block; block = this.#reader.nextBlock())
            yield block;
        if (this.#reader.isTooLarge)
            throw new Error("One record is larger than 64 MiB: this is not a log export.");
    }
}
