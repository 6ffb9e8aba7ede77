// Splitting of a table (RFC 4180: CSV, TSV and similar) into records: each row as a JSON object,
// with the names in the first row.
import { type Piece, type TextSplitter, held, isJson, longest } from "./pieces.ts";

const separators = [",", "\t", ";"];
/** The maximum number of columns that an error lists. */
const mostNames = 20;

/**
 * Reports whether a text is the prefix of a field's name in a column's name, as in
 * `Metadata.encrypted_matched_data`.
 */
const isPrefix = (prefix: string) => prefix === "" || /[._/]$/.test(prefix);

/**
 * Returns the separator of a table with this beginning, or undefined if it is not one. Files with a
 * table's name are tables.
 */
export function separatorOf(beginning: string, name: string, fields: ReadonlySet<string>):
    | string
    | undefined
{
    const [first = ""] = beginning.trimStart().split("\n", 1);
    const line = first.trim();
    const [, kind] = /\.(csv|tsv)(?:\.(?:gz|zst))?$/i.exec(name) ?? [];
    if (kind) return kind.toLowerCase() === "tsv" ? "\t" : mostFrequent(line) ?? ",";
    if (line.startsWith("\""))
        return /^[,;\t]\s*\S/.test(line.slice(quoteEnd(line, 0)))
            ? mostFrequent(line)
            : undefined;
    if (fields.has(line)) return ",";
    const isList = /^[{[]/.test(line) || /^\W?[\w+/=-]+[^\w+/=-]*$/.test(line);
    return isList ? undefined : mostFrequent(line);
}

function mostFrequent(line: string): string | undefined {
    const bare = line.replace(/"[^"]*"/g, "");
    const counts = separators.map((separator) => bare.split(separator).length - 1);
    const most = counts.reduce((a, b) => Math.max(a, b));
    return most > 0 ? separators[counts.indexOf(most)] : undefined;
}

/**
 * Returns the place after the quote that closes the cell whose first quote is at `from`, or the end
 * of the text if none closes it yet. A regular expression would exceed the engine's stack at a cell
 * with millions of quotes.
 */
function quoteEnd(text: string, from: number): number {
    let at = text.indexOf("\"", from + 1);
    while (at >= 0 && text.charCodeAt(at + 1) === quote) {
        at += 2;
        if (text.charCodeAt(at) !== quote) at = text.indexOf("\"", at);
    }
    return at < 0 ? text.length : at + 1;
}

const quote = 0x22;

interface Column {
    name: string;
    /** The field that a column of sealed cells holds. */
    field: string | undefined;
}

export class Table implements TextSplitter {
    /**
     * Finds the end of a cell. Within quotes two quotes mean one; quotes in a cell that does not
     * begin with one are text.
     */
    readonly #end: RegExp;
    #rest = "";
    /** The length of the rest at which it is searched again, since a quote may have no end. */
    #due = 0;
    /** Set if a line break came since then. Without one no row ends. */
    #mayEnd = false;
    /** The line of the next row. */
    #line = 1;
    #columns: Column[] | undefined;

    constructor(separator: string, readonly fields: ReadonlySet<string>) {
        this.#end = new RegExp(`[${separator}\n]`, "g");
    }

    feed(text: string): Piece[] {
        const records: Piece[] = [];
        this.#rest += text;
        this.#mayEnd ||= text.includes("\n");
        if (this.#rest.length < this.#due && this.#rest.length <= longest) return records;
        let from = 0;
        for (let row = this.#mayEnd ? this.#rowAt(from) : undefined; row; row = this.#rowAt(from)) {
            const line = this.#line;
            this.#line += this.#rest.slice(from, row.end).split("\n").length - 1;
            from = row.end;
            if (row.cells.length === 1 && row.cells[0]?.trim() === "") continue;
            if (this.#columns) records.push({ text: this.#record(row.cells), line, column: 1 });
            else this.#columns = columnsOf(row.cells, this.fields);
        }
        this.#rest = held(this.#rest.slice(from));
        [this.#due, this.#mayEnd] = [this.#rest.length * 1.25, false];
        return records;
    }

    end(): Piece[] {
        this.#due = 0;
        const records = this.feed("\n");
        if (this.#rest.trim() !== "")
            throw new Error(
                `A quote in the table is never closed, in line ${this.#line} or after it: what follows it was not read.`,
            );
        return records;
    }

    /** A message for a table without sealed data. */
    get hint(): string {
        const names = (this.#columns ?? []).slice(0, mostNames).map(({ name }) => name).join(", ");
        return `No row of this table has sealed data. Its columns are ${
            names.slice(0, 400)
        }. If one of them holds it, set its name under Options.`;
    }

    /**
     * Returns the cells of the row that begins at `from`, or undefined if its end is still missing.
     */
    #rowAt(from: number): { cells: string[]; end: number } | undefined {
        const cells: string[] = [];
        for (let at = from;; at = this.#end.lastIndex) {
            const bare = this.#rest[at] === "\"" ? quoteEnd(this.#rest, at) : at;
            this.#end.lastIndex = bare;
            const end = this.#end.exec(this.#rest);
            if (!end) return undefined;
            const tail = this.#rest.slice(bare, end.index);
            const quoted = bare > at
                ? this.#rest.slice(at + 1, bare - 1).replaceAll("\"\"", "\"")
                : "";
            cells.push(quoted + (end[0] === "\n" ? tail.replace(/\r$/, "") : tail));
            if (end[0] === "\n") return { cells, end: this.#end.lastIndex };
        }
    }

    /** Returns a record. Cells that are JSON are inserted unchanged, so that all digits stay. */
    #record(cells: string[]): string {
        const members = cells.map((cell, i) => {
            const { name, field } = this.#columns?.[i] ?? unnamed(i);
            const text = /^\s*[{[]/.test(cell) && isJson(cell) ? cell : JSON.stringify(cell);
            if (field === undefined) return `${JSON.stringify(name)}:${text}`;
            const sealed = cell === "" ? "null" : text;
            return `${JSON.stringify(name)}:${
                field === name ? sealed : `{${JSON.stringify(field)}:${sealed}}`
            }`;
        });
        return `{${members.join()}}`;
    }
}

const unnamed = (i: number): Column => ({ name: `column ${i + 1}`, field: undefined });

/** Names the columns. Duplicate names get numbers, since an object has each name once. */
function columnsOf(names: string[], fields: ReadonlySet<string>): Column[] {
    const seen = new Map<string, number>();
    return names.map((cell, i) => {
        const given = cell.trim() || unnamed(i).name;
        const count = (seen.get(given) ?? 0) + 1;
        seen.set(given, count);
        const field = [...fields].find((field) =>
            given.endsWith(field) && isPrefix(given.slice(0, -field.length))
        );
        return { name: count === 1 ? given : `${given} (${count})`, field };
    });
}
