// What page and worker say to each other. Private keys go in, and come out as a file's bytes on demand alone.
import type { ErrorCode, Inspected, OpenOptions, Registry, SealOptions } from "pqseal";

/** What the page asks for, and what it gets. */
export interface Calls {
    suites: { ask: undefined; get: Registry };
    make: { ask: { kem: string }; get: KeyFacts };
    /** The key made last, as a file. */
    save: { ask: { form: "line" | "pem" | "json" | "raw" }; get: Uint8Array<ArrayBuffer> };
    /** Adds the key made last to those that open. */
    use: { ask: undefined; get: KeyFacts };
    addKey: { ask: { file: Uint8Array<ArrayBuffer> }; get: KeyFacts };
    inspect: { ask: { blob: string }; get: Inspected };
    seal: { ask: { publicKey: string; plaintext: Uint8Array<ArrayBuffer>; options: SealOptions }; get: string };
    run: { ask: Run; get: Counts };
    cancel: { ask: undefined; get: undefined };
}

export type Name = keyof Calls;

export interface KeyFacts {
    kem: string;
    keyId: string;
    fingerprint: string;
    publicKey: string;
}

/** One way through an input. The input is read anew for every search and export: only so need it not be kept. */
export interface Run {
    source: Blob;
    /** Names of the members that hold blobs. */
    fields: string[];
    /** Only records whose opened data holds this text. */
    search: string;
    output: "rows" | "ndjson" | "csv";
    options: OpenOptions;
}

export interface Counts {
    records: number;
    opened: number;
    /** Opened, and holds the searched text. */
    found: number;
    /** Records without a blob. */
    absent: number;
    /** By error code. */
    failed: Partial<Record<Code, number>>;
    bytesRead: number;
    bytesTotal: number;
    seconds: number;
    /** Whether the user stopped it. */
    cancelled: boolean;
}

/** Of the library, and of this page: no key was given; a line that is no record. */
export type Code = ErrorCode | "no_key" | "bad_record";

export interface Row {
    record: number;
    /** The member that held the blob; empty for a blob by itself. */
    field: string;
    result: { ok: true; text: string; lossy: boolean; keyId: string } | { ok: false; code: Code; message: string };
}

export type Request = { [N in Name]: { id: number; name: N; ask: Calls[N]["ask"] } }[Name];

export type Reply =
    | { id: number; kind: "done"; result: unknown }
    | { id: number; kind: "failed"; code: string; message: string }
    | { id: number; kind: "progress"; counts: Counts; rows: Row[]; chunk?: Uint8Array<ArrayBuffer> };

export type Progress = Extract<Reply, { kind: "progress" }>;
