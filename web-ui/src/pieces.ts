// What a text is split into, whatever it is.

/** Longer than any log record, and short enough to be held. */
export const longest = 64 * 1024 * 1024;

/** Where a record begins: lines and characters count from 1. */
export interface Place {
    line: number;
    column: number;
}

export interface Piece extends Place {
    text: string;
}

export interface TextSplitter {
    /** The records that are whole now. */
    feed(text: string): Piece[];
    /** What is left at the end. */
    end(): Piece[];
    /** What to say if there is no sealed data in it. */
    readonly hint?: string | undefined;
    /** What to say after the end. */
    readonly problem?: string | undefined;
}

export function held(rest: string): string {
    mayHold(rest.length);
    return rest;
}

export function mayHold(length: number): void {
    if (length > longest) throw new Error("One record is larger than 64 MiB: this is not a log export.");
}

export function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}
