// Splitting of a stream of bytes into records: lines, or JSON values, depending on its beginning.

import { type Block, BlockWriter, OfText, type Splitter } from "./blocks.ts";
import { isJson, mayHold } from "./pieces.ts";
import { concatenated } from "./transfer.ts";
import { Values } from "./values.ts";

/**
 * Chooses a splitter: `[` begins an array; a first line that begins with `{` and is not a whole
 * record begins JSON over several lines; all else is lines.
 */
export function splitterFor(beginning: string): Splitter {
    const text = beginning.trimStart();
    if (text.startsWith("[")) return new OfText(new Values());
    const [first = "", second] = text.split("\n", 2);
    // If the second line begins a record, the first is a record too, and damaged.
    const overLines = first.startsWith("{") && second !== undefined && !second.startsWith("{")
        && !isJson(first);
    return overLines ? new OfText(new Values()) : new Lines();
}

const lineBreak = 0x0a;

class Lines implements Splitter {
    /** The parts of an incomplete line. */
    #parts: Uint8Array[] = [];
    #held = 0;
    #line = 0;
    readonly #block = new BlockWriter();

    *feed(bytes: Uint8Array): Iterable<Block> {
        let from = 0;
        for (let end = bytes.indexOf(lineBreak); end >= 0; end = bytes.indexOf(lineBreak, from)) {
            if (this.#take(this.#whole(bytes.subarray(from, end)))) yield* this.#block.end();
            // A file may unpack into a lot of data without records.
            for (from = end + 1; bytes[from] === lineBreak; from++) this.#line++;
        }
        this.#hold(bytes.slice(from));
        yield* this.#block.end();
    }

    end(): Iterable<Block> {
        return this.feed(Uint8Array.of(lineBreak));
    }

    /** Takes a line. Returns true if the block is full now. */
    #take(line: Uint8Array): boolean {
        this.#line++;
        return !isBlank(line) && this.#block.add(line, { line: this.#line, column: 1 });
    }

    /** Returns the line with this end. */
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

/**
 * Reports whether a line is blank. Records begin with ASCII, so other lines are seldom decoded
 * here.
 */
function isBlank(line: Uint8Array): boolean {
    let at = 0;
    while (at < line.length && isSpace(line[at]!)) at++;
    return at === line.length || (line[at]! > 0x7f && decoder.decode(line).trim() === "");
}
