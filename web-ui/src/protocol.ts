// What page and worker say to each other. Private keys go in, and come out only on demand, as a file's bytes.
import type { ErrorCode, Inspected, OpenOptions, Registry, SealOptions } from "pqseal";
import type { Member } from "./store/members.ts";
import type { Detail, Line, Overview, Query } from "./store/types.ts";

/** What the page asks for, and what it gets. */
export interface Calls {
    suites: { ask: undefined; get: Registry };
    make: { ask: { kem: string }; get: KeyFacts };
    /** The key made last, as a file. */
    save: { ask: { form: "line" | "pem" | "json" | "raw" }; get: Uint8Array<ArrayBuffer> };
    /** Adds the key made last to those that open. */
    use: { ask: undefined; get: KeyFacts };
    /** Whether it is a private key, or a file that holds one under a passphrase. */
    isKey: { ask: { file: Uint8Array<ArrayBuffer> }; get: boolean };
    /** A file without a passphrase has one key. */
    addKey: { ask: { file: Uint8Array<ArrayBuffer>; passphrase?: Uint8Array<ArrayBuffer> }; get: KeyFacts[] };
    removeKey: { ask: { keyId: string }; get: undefined };
    /** A log export of `count` events to try the page with, sealed to a private key's public key. */
    example: { ask: { key: string; count: number }; get: Uint8Array<ArrayBuffer> };
    inspect: { ask: { blob: string; fields: string[] }; get: Inspected };
    /** Refuses what looks like a private key in place of the public one, unless the user is `sure`. */
    seal: { ask: { publicKey: string; plaintext: Uint8Array<ArrayBuffer>; options: SealOptions; sure: boolean }; get: string };
    /** Takes back the private key that was made before the worker was replaced. */
    restore: { ask: { file: Uint8Array<ArrayBuffer> }; get: undefined };
    run: { ask: Run; get: Counts };
    cancel: { ask: undefined; get: undefined };
    /** What an encrypted file says without a key, from its beginning. */
    inspectFile: { ask: { beginning: Uint8Array<ArrayBuffer>; size: number }; get: FileFacts };
    /** Encrypts or decrypts a file of `size` bytes; false if the user stopped it. What comes out is given in pieces. */
    file: { ask: FileTask & { size: number }; get: boolean };
    cancelFile: { ask: undefined; get: undefined };
    /** Selects rows of what was opened. `lines` and `details` are then of these, in this order, and so are exports. */
    select: { ask: { query: Query; tops: string[] }; get: Overview };
    lines: { ask: { from: number; to: number; columns: string[] }; get: Line[] };
    /** The first ones, with as much text as `most` says. */
    details: { ask: { to: number; most: number }; get: Detail[] };
    /** Ends a search by a regular expression. */
    cancelSearch: { ask: undefined; get: undefined };
    /** One row by its number, or undefined if there is no such row now. */
    detail: { ask: { row: number }; get: Detail | undefined };
}

export type Name = keyof Calls;

export interface KeyFacts {
    kem: string;
    keyId: string;
    fingerprint: string;
    publicKey: string;
}

export interface FileFacts {
    armored: boolean;
    passphrase: boolean;
    postQuantum: boolean | undefined;
    /** Of its recipients, such as `mlkem768x25519`. */
    types: string[];
}

/** What to do with a file. Empty texts are left out. Private keys of the page are tried too. */
export type FileTask = { passphrase: Uint8Array<ArrayBuffer> } & (
    | { kind: "decrypt"; identities: Uint8Array<ArrayBuffer> }
    | { kind: "encrypt"; recipients: string; armor: boolean }
);

/** One pass over an input. The input is read again for every export, and for opened data that there was no room to keep. */
export interface Run {
    /** The input's files with their lengths in bytes. The worker asks the page for their bytes, slice by slice, as if they were one. */
    files: { name: string; size: number }[];
    /** Names of the members that hold blobs. */
    fields: string[];
    /** `rows` fills the store. The others go through its input again: files of the selected rows, or one row. */
    output: "rows" | "ndjson" | "csv" | { row: number };
    /** Columns of the table that CSV has too. */
    columns: string[];
    options: OpenOptions;
}

export interface Counts {
    records: number;
    opened: number;
    /** How many of these at the second attempt: the engine computed wrong at the first. */
    reopened: number;
    /** Records without a blob. */
    absent: number;
    /** How many were opened, by the id of the key. */
    byKey: Record<string, number>;
    /** By error code. */
    failed: Partial<Record<Code, number>>;
    bytesRead: number;
    bytesTotal: number;
    seconds: number;
    /** Whether the user stopped it. */
    cancelled: boolean;
    /** Why files were not read, or not to their end. */
    problems: string[];
}

/** Of the library, and of this page: no key was given; a line that is not a record; a key in place of sealed data. */
export type Code = ErrorCode | "no_key" | "bad_record" | "key";

/** `bytes` are given if they are not UTF-8; the text then has � in place of each byte that is not. */
export interface Opened {
    ok: true;
    text: string;
    bytes?: Uint8Array<ArrayBuffer>;
    keyId: string;
}

export interface Row {
    /** Its number within its file. */
    record: number;
    /** Of several files the one that it is from, else nothing. */
    file: string;
    /** The member that held the blob; empty for a blob by itself. */
    field: string;
    /** Of one row that is asked for, the members of its record. */
    event?: Member[];
    result: Opened | { ok: false; code: Code; message: string };
}

export type Request = { [N in Name]: { kind: "call"; id: number; name: N; ask: Calls[N]["ask"] } }[Name];

/**
 * The bytes of the input that the worker asked for. They are transferred: WebKit cannot read a Blob in the worker of a page that was
 * opened from disk.
 */
export type Slice = { kind: "slice"; id: number; read: number; bytes: Uint8Array<ArrayBuffer> } | { kind: "unreadable"; id: number; read: number };

/** The page has started the thread that searches for regular expressions, and has a port to it; without one it could not. */
export interface ToSearch {
    kind: "searcher";
    port?: MessagePort;
}

export type Reply =
    /** The thread that searches takes too long: another one is to take its place. */
    | { kind: "end-searcher" }
    | { id: number; kind: "done"; result: unknown }
    | { id: number; kind: "failed"; code: string; message: string }
    /** The answer may put the bytes into `buffer`, if it is large enough. */
    | { id: number; kind: "read"; read: number; from: number; to: number; buffer: ArrayBuffer }
    | { id: number; kind: "piece"; read: number; chunk: Uint8Array<ArrayBuffer> }
    | { id: number; kind: "progress"; counts: Counts; row?: Row; chunk?: Uint8Array<ArrayBuffer> };

export type Piece = Extract<Reply, { kind: "piece" }>;
export type Progress = Extract<Reply, { kind: "progress" }>;
export type Read = Extract<Reply, { kind: "read" }>;
