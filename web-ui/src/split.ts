// A stream of text into records: lines, or JSON values, whichever it begins with.

import { type Piece, type Splitter, held, isJson } from "./pieces.ts";
import { Values } from "./values.ts";

/** The beginning decides: `[` is an array; a first line that is `{` and no whole record is JSON over many lines; all else is lines. */
export function splitterFor(beginning: string): Splitter {
    const text = beginning.trimStart();
    if (text.startsWith("[")) return new Values();
    const [first = "", second] = text.split("\n", 2);
    // A second line that begins a record tells that the first is one too, and a damaged one.
    const overLines = first.startsWith("{") && second !== undefined && !second.startsWith("{") && !isJson(first);
    return overLines ? new Values() : new Lines();
}

class Lines implements Splitter {
    #rest = "";
    #line = 0;

    feed(text: string): Piece[] {
        const end = text.lastIndexOf("\n");
        // What has no end yet is not looked through again and again.
        const lines = end < 0 ? [] : (this.#rest + text.slice(0, end)).split("\n");
        this.#rest = held(end < 0 ? this.#rest + text : text.slice(end + 1));
        return lines.map((text) => ({ text, line: ++this.#line, column: 1 })).filter(({ text }) => text.trim() !== "");
    }

    end(): Piece[] {
        return this.feed("\n");
    }
}
