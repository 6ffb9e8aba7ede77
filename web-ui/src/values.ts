// JSON values one after the other: elements of arrays, and values on separate lines. Nothing is
// parsed: only brackets, strings, commas and colons are looked at. Where they do not fit together,
// the record is damaged, and the next one is searched.
import { type Piece, type TextSplitter, held, longest } from "./pieces.ts";

const marks = /["{}[\],:\n]/g;
const marksInString = /["\\\n]/g;
/** Matches the place after an element where another may begin. */
const between = /[}\]]\s*,\s*\{/g;
/** The maximum depth of brackets, more than in any record. */
const deepest = 1000;
/**
 * The characters of a damaged record that are returned, to be refused: its beginning is not JSON
 * either.
 */
const shown = 1000;

export class Values implements TextSplitter {
    /**
     * The text from the incomplete element on, or from the white space before it; at first a line
     * break, as before any line.
     */
    #rest = "\n";
    #from = 0;
    /** The offset up to which it was looked at. */
    #at = 0;
    /**
     * The length at which it is looked at again: engines copy a text in full after each addition.
     */
    #due = 0;
    /** The closing marks of the element's brackets, the innermost last. */
    #open: string[] = [];
    #inArray = false;
    #inString = false;
    /** The mark before; a quote is that of a complete string. */
    #before = "";
    /** The line break and white space before an element that begins a line. */
    #indent: string | undefined;
    /** Set after damage, until an element begins. */
    #isLost = false;
    /** The number of characters that may still be looked at twice. */
    #again = longest;
    #line = 0;
    #lineStart = 0;
    #counted = 0;
    #pieces: Piece[] = [];

    feed(text: string): Piece[] {
        this.#rest += text;
        if (this.#rest.length < this.#due && this.#rest.length <= longest) return [];
        this.#look();
        this.#giveUp(longest);
        this.#drop();
        this.#due = this.#rest.length * 1.25;
        return this.#given();
    }

    end(): Piece[] {
        this.#look();
        this.#giveUp(0);
        if (!this.#isLost) this.#give(this.#rest.length);
        return this.#given();
    }

    /** A message for after the end. */
    get problem(): string | undefined {
        return this.#inArray && !this.#isLost
            ? "The JSON array has no end: it may have been cut off. The records before that were read."
            : undefined;
    }

    /** Treats an element that is longer and has no end as damaged. */
    #giveUp(most: number): void {
        while (
            !this.#isLost && (this.#inString || this.#open.length > 0)
            && this.#rest.length - this.#from > most
        ) {
            this.#resume(this.#rest.length);
            this.#look();
        }
    }

    #look(): void {
        if (this.#isLost) this.#find();
        while (!this.#isLost) {
            const wanted = this.#inString ? marksInString : marks;
            wanted.lastIndex = this.#at;
            // An escaped character may still follow.
            if (!wanted.test(this.#rest))
                return void (this.#at = Math.max(this.#at, this.#rest.length));
            this.#at = wanted.lastIndex;
            const mark = this.#rest[this.#at - 1]!;
            if (this.#inString) this.#takeInString(mark, this.#at - 1);
            else this.#take(mark, this.#at - 1);
        }
    }

    #takeInString(mark: string, index: number): void {
        if (mark === "\\") this.#at++;
        else if (mark === "\n") this.#resume(index);
        else [this.#inString, this.#before] = [false, mark];
    }

    #take(mark: string, index: number): void {
        if (mark === "{" || mark === "[") return this.#takeOpening(mark, index);
        if (mark === "}" || mark === "]") return this.#takeClosing(mark, index);
        if (mark === "\"") {
            if (!this.#open.length) this.#begin(index);
            else if (!this.#fits(mark)) return this.#resume(index);
            this.#inString = true;
        } else if (mark === "\n") {
            if (!this.#open.length && !this.#inArray) this.#begin(index);
        } else {
            this.#before = mark;
            if (mark === "," && !this.#open.length) this.#begin(index, index + 1);
        }
    }

    #takeOpening(mark: "{" | "[", index: number): void {
        const isRecord = !this.#open.length || (mark === "{" && !this.#fits(mark));
        if (!isRecord && (!this.#fits(mark) || this.#open.length === deepest))
            return this.#resume(index);
        this.#before = mark;
        if (isRecord) {
            // Within an element it shows that this one was not closed.
            this.#begin(index);
            this.#indent = this.#indentOf(index);
            if (mark === "[" && !this.#inArray) {
                this.#inArray = true;
                return this.#begin(index, index + 1);
            }
        }
        this.#open.push(mark === "{" ? "}" : "]");
    }

    /**
     * Takes a closing mark. One that closes nothing stays in the text around it, which is then not
     * JSON.
     */
    #takeClosing(mark: string, index: number): void {
        this.#before = mark;
        const closed = this.#open.lastIndexOf(mark);
        if (closed > 0) this.#open.length = closed;
        else if (closed === 0) this.#begin(index + 1);
        else if (mark === "]" && this.#inArray) {
            // An element that was not closed ends with the array.
            this.#begin(index, index + 1);
            this.#inArray = false;
        }
    }

    /** Reports whether a string, an object or an array may follow the mark before it. */
    #fits(mark: string): boolean {
        if (this.#open.at(-1) === "]") return this.#before === "[" || this.#before === ",";
        return this.#before === ":"
            || (mark === "\"" && (this.#before === "{" || this.#before === ","));
    }

    /** Returns the text before, and begins an element. */
    #begin(index: number, from = index): void {
        this.#give(index);
        this.#from = from;
        this.#open = [];
    }

    #give(to: number, most = Infinity): void {
        const text = this.#rest.slice(this.#from, to).trimEnd();
        const record = text.trimStart();
        if (record === "") return;
        const start = this.#from + text.length - record.length;
        this.#count(start);
        this.#pieces.push({
            text: record.slice(0, most),
            line: this.#line,
            column: start - this.#lineStart + 1,
        });
    }

    #given(): Piece[] {
        const pieces = this.#pieces;
        this.#pieces = [];
        return pieces;
    }

    /**
     * Continues after an element that is damaged, which shows here. The next one may begin before
     * that.
     */
    #resume(index: number): void {
        this.#give(index, shown);
        let next = this.#next(this.#from + 1);
        if (next !== undefined && next < index && (this.#again -= index - next) < 0)
            next = this.#next(index);
        [this.#open, this.#inString, this.#before] = [[], false, ""];
        this.#isLost = next === undefined;
        this.#from = this.#at = next ?? index;
    }

    #find(): void {
        const next = this.#next(this.#from);
        this.#isLost = next === undefined;
        this.#from = this.#at = next ?? Math.max(this.#from, this.#rest.length - shown);
    }

    /**
     * Returns the place where an element may begin: on a line like the damaged one, or after
     * another element.
     */
    #next(from: number): number | undefined {
        if (this.#indent !== undefined) {
            const found = this.#rest.indexOf(`${this.#indent}{`, from);
            return found < 0 ? undefined : found + this.#indent.length;
        }
        between.lastIndex = from;
        return between.test(this.#rest) ? between.lastIndex - 1 : undefined;
    }

    #indentOf(index: number): string | undefined {
        const line = this.#rest.slice(Math.max(0, index - shown), index);
        const indent = line.slice(Math.max(0, line.lastIndexOf("\n")));
        return /^\n\s*$/.test(indent) ? indent : undefined;
    }

    /** Counts the lines up to an index. */
    #count(index: number): void {
        const [counted, part] = [this.#counted, this.#rest.slice(this.#counted, index)];
        for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1))
            [this.#line, this.#lineStart] = [this.#line + 1, counted + at + 1];
        this.#counted = Math.max(counted, index);
    }

    /** Drops the text that was returned. */
    #drop(): void {
        this.#count(this.#from);
        this.#rest = held(this.#rest.slice(this.#from));
        this.#at -= this.#from;
        this.#lineStart -= this.#from;
        this.#counted = this.#from = 0;
    }
}
