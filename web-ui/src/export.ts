// Rows as files.
import { spelled } from "./binary.ts";
import { plainName } from "./names.ts";
import type { Row, Run } from "./protocol.ts";
import { harmless } from "./spreadsheet.ts";
import { visible } from "./visible.ts";

/** Writes the lines of a file for people. The engine writes those of NDJSON. */
export interface Writer {
    head: string;
    /** Writes a row of CSV. `cells` are those of further columns. */
    row(row: Row, cells: string[]): string;
}

export const writerOf = ({ output, columns }: Run): Writer => ({
    head: output === "csv" ? csvHead(columns) : "",
    row: csvLine,
});

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
