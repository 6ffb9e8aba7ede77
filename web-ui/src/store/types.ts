// The page's queries to the store of opened data, and the answers.
import type { Code, Opened } from "../opened.ts";

/**
 * The source of a column's values: the outcome of a blob, the record around it, or the opened data.
 */
export type Group = "result" | "event" | "payload";

export const prefix: Record<Group, string> = { result: "r:", event: "e:", payload: "p:" };

export interface ColumnFacts {
    /** The group's first letter, a colon and the name. It is unique. */
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
    /**
     * The filters. Values of one column are alternatives; columns are all required; negated values
     * are all refused.
     */
    filters: Filter[];
    /** The search, in the language of `terms.ts`, or a regular expression. */
    text: string;
    regex: boolean;
    /** The span, in milliseconds since 1970, without its end. */
    time?: [from: number, to: number];
    sort?: { column: string; down: boolean };
    /** The column that times are taken from, if it is not the first. */
    timeColumn?: string;
}

export interface Bin {
    from: number;
    opened: number;
    failed: number;
    /** The number without sealed data. */
    absent: number;
}

export interface Timeline {
    /** The number of selected rows without a time. */
    without: number;
    /** The beginning of the first bar and the end of the last, in milliseconds since 1970. */
    from: number;
    to: number;
    /** The first and the last event. */
    first: number;
    last: number;
    /** The width of a bar in milliseconds. */
    width: number;
    bins: Bin[];
}

export interface Top {
    column: string;
    /**
     * The most frequent values of the selected rows, or those that differ most from the pinned
     * rows, with how often they occur in each.
     */
    values: [value: string, count: number, pinned?: number][];
    distinct: number;
}

/** A question for a part of all values of a column, or of its pairs with another. */
export interface ValuesOf {
    column: string;
    by?: string;
    /** The text that they contain. */
    text: string;
    sort: "count" | "value";
    from: number;
    to: number;
}

export interface Value {
    value: string;
    /** The value of the other column. */
    with?: string;
    count: number;
}

export interface Values {
    values: Value[];
    /** The numbers of values that contain the text, of all values, and of selected rows. */
    matching: number;
    distinct: number;
    total: number;
}

export interface Overview {
    total: number;
    matched: number;
    columns: ColumnFacts[];
    /** The columns that have times, and the one that is used. */
    timeColumns: string[];
    timeColumn?: string;
    timeline?: Timeline;
    tops: Top[];
    /** The number of rows that are not held at all. Exports without a filter have them. */
    missing: number;
    /**
     * The number of rows whose opened data is not held. It is opened again on demand, and filters
     * do not see it.
     */
    unheld: number;
    /** The number of rows that lack some members. Filters do not see these. */
    partial: number;
    /** The columns that these are in, and those that were dropped to make room. */
    incomplete: string[];
    dropped: string[];
    /** The number of rows that the selection is compared with. */
    pinned?: number;
    /** Reasons why the search has no match. */
    why: string[];
    /** The number of members for which there was no column left, and whether there are more. */
    leftOut: number;
    moreLeftOut: boolean;
}

/** One line of the table. */
export interface Line {
    /** The row's number in the store. */
    row: number;
    record: number;
    /** The cells; none where the record lacks the member. */
    cells: (string | undefined)[];
    /** The texts of cells that are shown in another notation, in their places. */
    values?: string[];
    state: "opened" | "failed" | "absent";
    /**
     * The opened data in one line: text before the match, the match, text after it. Or the reason
     * why it did not open.
     */
    gist: [before: string, match: string, after: string];
}

export type Outcome =
    | (Opened & { held: boolean })
    | { ok: false; code: Code; message: string };

/** One row with all its details. */
export interface Detail {
    row: number;
    record: number;
    /** The name of its file if there are several, else empty. */
    file: string;
    field: string;
    event: [name: string, value: string][];
    /** The members in the store's form, if those of `event` were read again. */
    held?: [name: string, value: string][];
    /** Set if these are all members of the record. */
    isWhole: boolean;
    result: Outcome;
    /** The texts that a regular expression found in the opened data. */
    hits?: string[];
}
