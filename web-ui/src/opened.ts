// What a blob became: opened data, or the code of an error.
import type { ErrorCode } from "pqseal";

/**
 * Error codes of the library and of this page: no key was given; a line is not a record; a key is
 * in place of sealed data; a record has no sealed data; JSON is in place of it.
 */
export type Code = ErrorCode | "no_key" | "bad_record" | "key" | "absent" | "not_a_string";

/**
 * Opened data. `bytes` are given if they are not UTF-8; the text then has � for each byte that is
 * not.
 */
export interface Opened {
    ok: true;
    text: string;
    bytes?: Uint8Array<ArrayBuffer>;
    keyId: string;
}
