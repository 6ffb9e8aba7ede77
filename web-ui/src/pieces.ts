// The pieces that a text of any format is split into.

/** The maximum length of a piece, longer than any log record, and short enough to be held. */
export const longest = 64 * 1024 * 1024;

/** The beginning of a record: lines and characters count from 1. */
export interface Place {
    line: number;
    column: number;
}

export interface Piece extends Place {
    text: string;
}

export interface TextSplitter {
    /** Returns the records that are complete now. */
    feed(text: string): Piece[];
    /** Returns the rest at the end. */
    end(): Piece[];
    /** A message for an input without sealed data. */
    readonly hint?: string | undefined;
    /** A message for after the end. */
    readonly problem?: string | undefined;
}

export function held(rest: string): string {
    mayHold(rest.length);
    return rest;
}

export function mayHold(length: number): void {
    if (length > longest)
        throw new Error("One record is larger than 64 MiB: this is not a log export.");
}

export function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}
