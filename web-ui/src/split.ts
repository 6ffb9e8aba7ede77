// A stream of bytes into records: lines, or JSON values, whichever it begins with.

import { type Block, BlockWriter, OfText, type Splitter } from "./blocks.ts";
import { isJson, mayHold } from "./pieces.ts";
import { concatenated } from "./transfer.ts";
import { Values } from "./values.ts";

/** The beginning decides: `[` is an array; a first line that is `{` and no whole record is JSON over many lines; all else is lines. */
export function splitterFor(beginning: string): Splitter {
    const text = beginning.trimStart();
    if (text.startsWith("[")) return new OfText(new Values());
    const [first = "", second] = text.split("\n", 2);
    // A second line that begins a record tells that the first is one too, and a damaged one.
    const overLines = first.startsWith("{") && second !== undefined && !second.startsWith("{") && !isJson(first);
    return overLines ? new OfText(new Values()) : new Lines();
}

const lineBreak = 0x0a;

class Lines implements Splitter {
    /** Parts of a line that has no end yet. */
    #parts: Uint8Array[] = [];
    #held = 0;
    #line = 0;
    readonly #block = new BlockWriter();

    *feed(bytes: Uint8Array): Iterable<Block> {
        let from = 0;
        for (let end = bytes.indexOf(lineBreak); end >= 0; end = bytes.indexOf(lineBreak, from)) {
            if (this.#take(this.#whole(bytes.subarray(from, end)))) yield* this.#block.end();
            // A file may unpack into much that is no record.
            for (from = end + 1; bytes[from] === lineBreak; from++) this.#line++;
        }
        this.#hold(bytes.slice(from));
        yield* this.#block.end();
    }

    end(): Iterable<Block> {
        return this.feed(Uint8Array.of(lineBreak));
    }

    /** True if the block is full now. */
    #take(line: Uint8Array): boolean {
        this.#line++;
        return !isBlank(line) && this.#block.add(line, { line: this.#line, column: 1 });
    }

    /** The line that ends so. */
    #whole(end: Uint8Array): Uint8Array {
        if (!this.#parts.length) return end;
        const line = concatenated([...this.#parts, end]);
        [this.#parts, this.#held] = [[], 0];
        return line;
    }

    #hold(part: Uint8Array): void {
        if (!part.length) return;
        this.#parts.push(part);
        this.#held += part.length;
        mayHold(this.#held);
    }
}

const decoder = new TextDecoder();

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Records begin with ASCII, so that others are seldom decoded here. */
function isBlank(line: Uint8Array): boolean {
    let at = 0;
    while (at < line.length && isSpace(line[at]!)) at++;
    return at === line.length || (line[at]! > 0x7f && decoder.decode(line).trim() === "");
}
