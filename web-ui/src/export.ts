// Rows as files.
import { base64, spelled } from "./binary.ts";
import { plainName } from "./names.ts";
import type { Row } from "./protocol.ts";
import type { Member } from "./store/members.ts";
import { harmless } from "./spreadsheet.ts";
import { visible } from "./visible.ts";

/**
 * Returns the head of a CSV file, with a byte order mark, without which spreadsheets do not expect
 * UTF-8.
 */
export const csvHead = (columns: string[]) =>
    `\ufeffrecord,field,status,key_id,opened${
        columns.map((id) => `,${cell(plainName(id, Infinity))}`).join("")
    }\r\n`;

/**
 * Returns a line of NDJSON: the opened data as text, or in base64 if it is not UTF-8, next to the
 * whole record as it was read, with the digits of its numbers unchanged, and the members around its
 * list.
 */
export function ndjsonLine({ record, file, field, result }: Row, source: string,
    around: Member[]): string
{
    const of = { record, ...(file && { file }), field };
    const facts = result.ok
        ? {
            ...of,
            status: "ok",
            key_id: result.keyId,
            ...(result.bytes ? { opened_base64: base64(result.bytes) } : { opened: result.text }),
        }
        : { ...of, status: result.code, reason: result.message };
    const json = JSON.stringify(
        around.length ? { ...facts, around: Object.fromEntries(around) } : facts,
    );
    // Line breaks in valid JSON are always white space.
    const isObject = source.trimStart().startsWith("{")
        && !(!result.ok && result.code === "bad_record");
    return isObject
        ? `${json.slice(0, -1)},"source":${source.trim().replace(/[\r\n]+/g, " ")}}\n`
        : `${json}\n`;
}

/** Returns a line of CSV. `others` are the cells of further columns. */
export function csvLine({ record, field, result }: Row, others: string[]): string {
    const cells = result.ok
        ? [field, "ok", result.keyId, result.bytes ? spelled(result.bytes) : visible(result.text)]
        : [field, result.code, "", result.message];
    return `${record},${[...cells, ...others.map(visible)].map(cell).join(",")}\r\n`;
}

const cell = (text: string) => `"${harmless(text).replaceAll("\"", "\"\"")}"`;
