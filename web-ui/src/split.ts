// A stream of text into records: lines, or the elements of a JSON array, whichever it begins with.

/** Longer than any log record, and short enough to be held. */
const longest = 64 * 1024 * 1024;

export interface Splitter {
    /** The records that are whole now. */
    feed(text: string): string[];
    /** What is left at the end. */
    end(): string[];
    /** What to say if there is no sealed data in it. */
    readonly hint?: string;
}

/** The beginning decides: `[` is an array; a first line that is `{` and no whole record is JSON over many lines; all else is lines. */
export function splitterFor(beginning: string): Splitter {
    const text = beginning.trimStart();
    if (text.startsWith("[")) return new Values(1);
    const [first = "", second] = text.split("\n", 2);
    // A second line that begins a record tells that the first is one too, and a damaged one.
    const overLines = first.startsWith("{") && second !== undefined && !second.startsWith("{") && !isJson(first);
    return overLines ? new Values(0) : new Lines();
}

export function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}

class Lines implements Splitter {
    #rest = "";

    feed(text: string): string[] {
        const end = text.lastIndexOf("\n");
        // What has no end yet is not looked through again and again.
        const lines = end < 0 ? [] : (this.#rest + text.slice(0, end)).split("\n");
        this.#rest = held(end < 0 ? this.#rest + text : text.slice(end + 1));
        return lines.filter((line) => line.trim() !== "");
    }

    end(): string[] {
        return this.feed("\n");
    }
}

/** Objects at one depth of nesting, without a parse of the whole: only brackets, strings and their escapes are looked at. */
class Values implements Splitter {
    #rest = "";
    #at = 0;
    #start = -1;
    #depth = 0;
    #inString = false;

    constructor(readonly level: 0 | 1) {}

    feed(text: string): string[] {
        const values: string[] = [];
        this.#rest += text;
        const marks = /["\\{}[\]]/g;
        marks.lastIndex = this.#at;
        for (let mark = marks.exec(this.#rest); mark; mark = marks.exec(this.#rest)) {
            // An escaped character is stepped over, even where it is still to come.
            if (mark[0] === "\\") marks.lastIndex++;
            else this.#take(mark[0], mark.index, values);
            this.#at = marks.lastIndex;
        }
        this.#drop();
        return values;
    }

    /** Something that was begun and not ended is still shown, as a bad record. */
    end(): string[] {
        const rest = this.#start < 0 ? "" : this.#rest.slice(this.#start);
        return rest.trim() === "" ? [] : [rest];
    }

    #take(mark: string, index: number, values: string[]): void {
        if (mark === '"') this.#inString = !this.#inString;
        if (this.#inString || mark === '"') return;
        if (mark === "{" || mark === "[") {
            if (this.#depth === this.level) this.#start = index;
            this.#depth++;
        } else if (--this.#depth === this.level && this.#start >= 0) {
            values.push(this.#rest.slice(this.#start, index + 1));
            this.#start = -1;
        }
    }

    /** Forgets what was given out. */
    #drop(): void {
        const end = this.#rest.length;
        const skipped = Math.max(this.#at - end, 0);
        const from = this.#start < 0 ? end : this.#start;
        this.#rest = held(this.#rest.slice(from));
        this.#start = this.#start < 0 ? -1 : 0;
        this.#at = end - from + skipped;
    }
}

export function held(rest: string): string {
    if (rest.length > longest) throw new Error("One record is larger than 64 MiB: this is not a log export.");
    return rest;
}
