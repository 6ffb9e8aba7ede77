// What the page asks of the store of opened data, and what it gets.
import type { Code, Opened } from "../protocol.ts";

/** Where a column's values come from: how a blob opened, the record around it, or the opened data. */
export type Group = "result" | "event" | "payload";

export const prefix: Record<Group, string> = { result: "r:", event: "e:", payload: "p:" };

export interface ColumnFacts {
    /** The group's first letter, a colon and the name: no two columns have the same. */
    id: string;
    group: Group;
    name: string;
    distinct: number;
}

export interface Filter {
    column: string;
    value: string;
    not: boolean;
}

export interface Query {
    /** Values of one column are alternatives; columns are all required; negated values are all refused. */
    filters: Filter[];
    /** Searched in opened data and in every column. */
    text: string;
    regex: boolean;
    /** Milliseconds since 1970: from, and up to but without. */
    time?: [from: number, to: number];
    sort?: { column: string; down: boolean };
    /** The column that times are taken from, if it is not the first. */
    timeColumn?: string;
}

export interface Bin {
    from: number;
    opened: number;
    failed: number;
}

export interface Timeline {
    /** How many of the selected rows have no time. */
    without: number;
    from: number;
    to: number;
    bins: Bin[];
}

export interface Top {
    column: string;
    /** The most frequent values of the selected rows. */
    values: [value: string, count: number][];
    distinct: number;
}

export interface Overview {
    total: number;
    matched: number;
    columns: ColumnFacts[];
    /** Columns that have times, and the one that they are taken from. */
    timeColumns: string[];
    timeColumn?: string;
    timeline?: Timeline;
    tops: Top[];
    /** Rows that are not held at all: exports without a filter have them. */
    missing: number;
    /** Rows whose opened data is not held: it is opened again when it is asked for, and filters do not see it. */
    unheld: number;
    /** Rows of which some members are not held: filters do not see them. */
    partial: number;
    /** Members for which there was no column left, and whether there are more. */
    leftOut: number;
    moreLeftOut: boolean;
}

/** One line of the table. */
export interface Line {
    /** The row's number in the store. */
    row: number;
    record: number;
    cells: string[];
    ok: boolean;
    /** What opened data is about, in one line: what is before the match, the match, what is after it. Or why it did not open. */
    gist: [before: string, match: string, after: string];
}

export type Outcome =
    | (Opened & { held: boolean })
    | { ok: false; code: Code; message: string };

/** One row with all there is about it. */
export interface Detail {
    row: number;
    record: number;
    /** Of several files the one that it is from, else nothing. */
    file: string;
    field: string;
    event: [name: string, value: string][];
    /** The members that the store has, as it has them, if those of `event` were read again. */
    held?: [name: string, value: string][];
    /** Whether these are all members of the record. */
    isWhole: boolean;
    result: Outcome;
    /** Texts that a regular expression found in the opened data. */
    hits?: string[];
}
