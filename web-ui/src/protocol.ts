// The messages between page and worker. Private keys go in, and only come out on demand, as the
// bytes of a file.
import type { Inspected, OpenOptions, Registry, SealOptions } from "pqseal";
import type { SealedDescription, SealedKind } from "pqseal/sealed";
import type { Code, Opened } from "./opened.ts";
import type { Member } from "./store/members.ts";
import type { Detail, Line, Overview, Query, Values, ValuesOf } from "./store/types.ts";

/** The calls of the page: questions and answers. */
export interface Calls {
    suites: { ask: undefined; get: Registry };
    make: { ask: { kem: string }; get: KeyFacts };
    /** Returns the key made last, as a file. */
    save: { ask: { form: "line" | "pem" | "json" | "raw" }; get: Uint8Array<ArrayBuffer> };
    /** Adds the key made last to those that open. */
    use: { ask: undefined; get: KeyFacts };
    /** Reports whether a file is a private key, or holds one under a passphrase. */
    isKey: { ask: { file: Uint8Array<ArrayBuffer> }; get: boolean };
    /** Adds keys. A file without a passphrase has one key. */
    addKey: {
        ask: { file: Uint8Array<ArrayBuffer>; passphrase?: Uint8Array<ArrayBuffer> };
        get: KeyFacts[];
    };
    removeKey: { ask: { keyId: string }; get: undefined };
    /** Returns a log export of `count` events as example, sealed to a private key's public key. */
    example: { ask: { key: string; count: number }; get: Uint8Array<ArrayBuffer> };
    inspect: { ask: { blob: string; fields: string[] }; get: Inspected | SealedDescription };
    /**
     * Seals. Refuses a text that looks like a private key instead of the public one, unless the
     * user is `sure`.
     */
    seal: {
        ask: {
            publicKey: string;
            plaintext: Uint8Array<ArrayBuffer>;
            options: SealOptions;
            sure: boolean;
        };
        get: string;
    };
    /** Restores the private key that was made before the worker was replaced. */
    restore: { ask: { file: Uint8Array<ArrayBuffer> }; get: undefined };
    run: { ask: Run; get: Counts };
    cancel: { ask: undefined; get: undefined };
    /** Describes an encrypted file without a key, from its beginning. */
    inspectFile: { ask: { beginning: Uint8Array<ArrayBuffer>; size: number }; get: FileFacts };
    /**
     * Encrypts or decrypts a file of `size` bytes. Returns false if the user stopped it. The output
     * is sent in pieces.
     */
    file: { ask: FileTask & { size: number }; get: boolean };
    cancelFile: { ask: undefined; get: undefined };
    /**
     * Selects rows of the store. `lines`, `details` and exports then refer to these, in this order.
     */
    select: { ask: { query: Query; tops: string[] }; get: Overview };
    lines: { ask: { from: number; to: number; columns: string[] }; get: Line[] };
    /** Returns the first rows, with at most `most` characters of text. */
    details: { ask: { to: number; most: number }; get: Detail[] };
    /** Returns a part of the values of a column in the selected rows. */
    values: { ask: ValuesOf; get: Values };
    /** Pins the selected rows, to compare others with, or ends that. */
    pin: { ask: { on: boolean }; get: undefined };
    /** Ends a search by a regular expression. */
    cancelSearch: { ask: undefined; get: undefined };
    /** Returns one row by its number, or undefined if there is no such row now. */
    detail: { ask: { row: number }; get: Detail | undefined };
}

export type Name = keyof Calls;

export interface KeyFacts {
    kem: string;
    keyId: string;
    fingerprint: string;
    publicKey: string;
    /** What it opens, for a key that opens no matched data. Its public key is not shown. */
    opens?: string;
    /** A calendar, which has no public key of its own: what it can read, and the ids of its keys. */
    calendar?: { name: string; readable: string; keyIds: string[] };
}

export interface FileFacts {
    armored: boolean;
    passphrase: boolean;
    postQuantum: boolean | undefined;
    /** The types of its recipients, such as `mlkem768x25519`. */
    types: string[];
}

/** A task for a file. Empty texts are left out. Private keys of the page are tried too. */
export type FileTask = { passphrase: Uint8Array<ArrayBuffer> } & (
    | { kind: "decrypt"; identities: Uint8Array<ArrayBuffer> }
    | { kind: "encrypt"; recipients: string; armor: boolean }
);

/**
 * A pass over an input. The input is read again for every export, and for opened data that was not
 * kept for lack of room.
 */
export interface Run {
    /**
     * The input's files with their lengths in bytes. The worker asks the page for slices of them,
     * as if they were one file.
     */
    files: { name: string; size: number }[];
    /** The names of the members that hold sealed values. */
    fields: string[];
    /** The kind of all values. Without it, each value's kind is detected. */
    sealedAs?: SealedKind;
    /**
     * The output: `rows` fills the store. The others read the input again, for files of the
     * selected rows, or for one row.
     */
    output: "rows" | "ndjson" | "csv" | { row: number };
    /** The columns of the table that CSV has too. */
    columns: string[];
    /** The memory for opened data, in bytes. */
    room?: number;
    options: OpenOptions;
}

export interface Counts {
    records: number;
    opened: number;
    /**
     * The number of these that opened at the second attempt only: the engine computed wrong at the
     * first.
     */
    reopened: number;
    /** The number of records without a blob. */
    absent: number;
    /** The numbers of opened blobs, by the id of the key. */
    byKey: Record<string, number>;
    /** The numbers of failures, by error code. */
    failed: Partial<Record<Code, number>>;
    bytesRead: number;
    bytesTotal: number;
    seconds: number;
    /** Set if the user stopped it. */
    cancelled: boolean;
    /** The reasons why files were not read, or not to their end. */
    problems: string[];
}

export interface Row {
    /** The number of the record within its file. */
    record: number;
    /** The name of its file if there are several, else empty. */
    file: string;
    /** The member that held the blob; empty for a blob on its own. */
    field: string;
    /** The members of the record, for a row that was asked for. */
    event?: Member[];
    result: Opened | { ok: false; code: Code; message: string };
}

export type Request = {
    [N in Name]: { kind: "call"; id: number; name: N; ask: Calls[N]["ask"] };
}[Name];

/**
 * The bytes of the input that the worker asked for. They are transferred: WebKit cannot read a Blob
 * in the worker of a page that was opened from disk.
 */
export type Slice = { kind: "slice"; id: number; read: number; bytes: Uint8Array<ArrayBuffer> } | {
    kind: "unreadable";
    id: number;
    read: number;
};

/**
 * A message that the page has started the thread that searches for regular expressions, with a port
 * to it, or could not.
 */
export interface ToSearch {
    kind: "searcher";
    port?: MessagePort;
}

export type Reply =
    /** The thread that searches takes too long, and must be replaced. */
    | { kind: "end-searcher" }
    | { id: number; kind: "done"; result: unknown }
    | { id: number; kind: "failed"; code: string; message: string }
    /** A request for bytes. The answer may put them into `buffer`, if it is large enough. */
    | { id: number; kind: "read"; read: number; from: number; to: number; buffer: ArrayBuffer }
    | { id: number; kind: "piece"; read: number; chunk: Uint8Array<ArrayBuffer> }
    | { id: number; kind: "progress"; counts: Counts; row?: Row; chunk?: Uint8Array<ArrayBuffer> };

export type Piece = Extract<Reply, { kind: "piece" }>;
export type Progress = Extract<Reply, { kind: "progress" }>;
export type Read = Extract<Reply, { kind: "read" }>;
