/** Bytes that go in. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** What may be used, by its status: published RFCs; also Internet-Drafts; also what has no registered id. */
export type Policy = "standard" | "draft" | "experimental";

/**
 * For whom a file is encrypted: `age1...`, a public key as `pqseal` writes it (PEM, JWK or a key line), or a file of recipients, one per
 * line. A passphrase must be the only recipient, and post-quantum recipients cannot be mixed with others.
 */
export type Recipient = string | Bytes | {
    passphrase: string | Bytes;
    /** scrypt takes 2^n steps and 2^n KiB of memory; 18 if left out, as in age: 256 MiB. */
    scryptWorkFactor?: number;
};

/** Who opens a file: `AGE-SECRET-KEY-...`, a private key as `pqseal` writes it, or a file of identities, one per line. Prefer bytes to strings. */
export type Identity = string | Bytes | {
    passphrase: string | Bytes;
    /** Files that ask for more than 2^n steps of scrypt are refused; 20 if left out: 1 GiB of memory. */
    maxScryptWorkFactor?: number;
};

/** What is thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    | "bad_argument" // An argument of the wrong type, or an option that does not exist.
    | "freed" // An object that was freed or finished, or that failed before.
    | "not_loaded" // `pqseal/files/slim` before `start` or `startSync`.
    | "bad_key" // No recipient, identity or encrypted private key, or one in place of the other.
    | "bad_recipients" // None, a passphrase beside others, or post-quantum and classical ones in one file.
    | "rng" // The system gave no random bytes.
    // Files:
    | "not_age" // Not an age file, or of another version.
    | "bad_header" // The header is malformed or incomplete.
    | "no_matching_key" // For other recipients.
    | "wrong_passphrase"
    | "excessive_work" // The passphrase asks for more steps of scrypt or PBKDF2 than are allowed, or for more memory than there is.
    | "altered_header"
    | "bad_armor" // The armor is malformed or cut.
    | "truncated" // The last chunk is missing: the file was cut between two chunks.
    | "altered" // A chunk was altered or moved, or the file was cut within one.
    // Private keys under a passphrase, with `wrong_passphrase` and `excessive_work`:
    | "unsupported_encryption" // Another cipher or derivation than those of `decryptPem`, such as 3DES.
    // HPKE:
    | "unsupported_suite"
    | "encap"
    | "key_length"
    | "key_mismatch"
    | "invalid_psk"
    | "input_too_long"
    | "miscomputed" // Three computations of one thing gave three results; nothing was made.
    | "failed";

/** What `faults()` returns: how many wrong computations were noticed. 0 in an engine that computes right. */
export interface Faults {
    /** Keys and sealed data of which two computations differed. Where no third one decided, that was the error `miscomputed`. */
    corrected: number;
    /** What opened at the second attempt. */
    reopened: number;
}

export interface EncryptOptions {
    /** Writes text (ASCII armor) in place of bytes. */
    armor?: boolean;
    /** Which public keys of pqseal's may be recipients; `"draft"` if left out. */
    policy?: Policy;
}

export interface DecryptPemOptions {
    passphrase: string | Bytes;
}

export interface InspectOptions {
    /** The length of the whole file, in bytes. */
    fileLength?: number;
}

export interface Inspected {
    armored: boolean;
    /** Whether it is encrypted under a passphrase. */
    passphrase: boolean;
    /** Whether all recipients are post-quantum; `undefined` if one is of an unknown type. */
    postQuantum: boolean | undefined;
    stanzas: Stanza[];
    /** In bytes, without armor. */
    headerLength: number;
    /** In bytes, if `fileLength` is given and the file is not armored. */
    plaintextLength: number | undefined;
}

/** One recipient, as the file names it. */
export interface Stanza {
    /** Such as `X25519`, `mlkem768x25519` or `scrypt`. */
    type: string;
    args: string[];
}
