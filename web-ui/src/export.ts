// Rows as files.
import { spelled } from "./binary.ts";
import { plainName } from "./names.ts";
import type { Row, Run } from "./protocol.ts";
import type { Found } from "./records.ts";
import type { Member } from "./store/members.ts";
import { appended, around, spliced } from "./spliced.ts";
import { harmless } from "./spreadsheet.ts";
import { visible } from "./visible.ts";

/** A record for NDJSON, with the rows that its blobs became. */
export interface Whole {
    /** Its text as it was read. */
    text: string;
    found: Found[];
    rows: Row[];
    /** The members around its list. */
    around: Member[];
}

/** Writes the lines of a file. */
export interface Writer {
    head: string;
    /** Writes a row of CSV. `cells` are those of further columns. */
    row(row: Row, cells: string[]): string;
    /** Writes a record of NDJSON. */
    record(whole: Whole): string;
}

export function writerOf({ output, columns, fields }: Run): Writer {
    const names = new Set(fields);
    return {
        head: output === "csv" ? csvHead(columns) : "",
        row: csvLine,
        record: (whole) => `${inOneLine(recordOf(whole, names))}\n`,
    };
}

/** Replaces line breaks, which in JSON are white space, except a carriage return at the end. */
const inOneLine = (text: string) => text.replace(/[\r\n]+(?!$)/g, " ");

/**
 * Returns a record as `pqseal logs open` writes it: unchanged, with each result next to its field.
 * Damaged records are unchanged too.
 */
function recordOf({ text, found, rows, around: outer }: Whole,
    fields: ReadonlySet<string>): string
{
    const [first] = rows;
    if (!first || (!first.result.ok && first.result.code === "bad_record")) return text;
    const [alone] = found;
    if (alone?.field === "") {
        const [field = ""] = fields;
        return around(field, alone.blob, first.result);
    }
    const results = new Map(
        found.map(({ field, blob }, i) => [`${field}\n${blob}`, rows[i]!.result]),
    );
    const json = spliced(text, fields,
        (field, blob) => results.get(`${field}\n${blob}`) ?? first.result);
    // Blobs in JSON within a text have no place next to them.
    if (json === undefined && !text.trimEnd().endsWith("}")) return text;
    const own = json ?? appended(text, found.map(({ field }, i) => [field, rows[i]!.result]));
    if (!outer.length || !own.endsWith("}")) return own;
    return `${own.slice(0, -1)},"around":${JSON.stringify(Object.fromEntries(outer))}}`;
}

/**
 * Returns the head of a CSV file, with a byte order mark, without which spreadsheets do not expect
 * UTF-8.
 */
const csvHead = (columns: string[]) =>
    `\ufeffrecord,field,status,key_id,opened${
        columns.map((id) => `,${cell(plainName(id, Infinity))}`).join("")
    }\r\n`;

/** Returns a line of CSV. `others` are the cells of further columns. */
function csvLine({ record, field, result }: Row, others: string[]): string {
    const cells = result.ok
        ? [field, "ok", result.keyId, result.bytes ? spelled(result.bytes) : visible(result.text)]
        : [field, result.code, "", result.code === "absent" ? "" : result.message];
    return `${record},${[...cells, ...others.map(visible)].map(cell).join(",")}\r\n`;
}

const cell = (text: string) => `"${harmless(text).replaceAll("\"", "\"\"")}"`;
