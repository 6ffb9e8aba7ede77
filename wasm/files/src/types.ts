/** Input bytes. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * The allowed algorithms by status: published RFCs; also Internet-Drafts; also those without a
 * registered id.
 */
export type Policy = "standard" | "draft" | "experimental";

/**
 * A recipient of a file: `age1...`, a public key in a format of `pqseal` (PEM, JWK or a key line),
 * or a file of recipients, one per line. A passphrase must be the only recipient, and post-quantum
 * recipients cannot be mixed with others.
 */
export type Recipient = string | Bytes | {
    passphrase: string | Bytes;
    /** scrypt takes 2^n steps and 2^n KiB of memory; 18 if left out, as in age: 256 MiB. */
    scryptWorkFactor?: number;
};

/**
 * An identity that opens files: `AGE-SECRET-KEY-...`, a private key in a format of `pqseal`, or a
 * file of identities, one per line. Prefer bytes to strings.
 */
export type Identity = string | Bytes | {
    passphrase: string | Bytes;
    /**
     * The largest work factor n: files that require more than 2^n steps of scrypt are refused; 20
     * if left out: 1 GiB of memory.
     */
    maxScryptWorkFactor?: number;
};

/** The errors that are thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    | "bad_argument" // An argument of the wrong type, or an option that does not exist.
    | "freed" // An object that was freed or finished, or that failed before.
    | "not_loaded" // `pqseal/files/slim` before `start` or `startSync`.
    | "bad_key" // Not a recipient, identity or encrypted private key, or one instead of the other.
    // None, a passphrase together with others, or post-quantum and classical ones in one file.
    | "bad_recipients"
    | "rng" // The system gave no random bytes.
    // Files:
    | "not_age" // Not an age file, or of another version.
    | "bad_header" // The header is malformed or incomplete.
    | "no_matching_key" // The file is for other recipients.
    | "wrong_passphrase"
    // The passphrase asks for more steps of scrypt or PBKDF2 than are allowed, or for more memory
    // than there is.
    | "excessive_work"
    | "altered_header"
    | "bad_armor" // The armor is malformed or truncated.
    | "truncated" // The last chunk is missing: the file was truncated between two chunks.
    | "altered" // A chunk was altered or moved, or the file was truncated within one.
    // Private keys under a passphrase, with `wrong_passphrase` and `excessive_work`:
    // A cipher or derivation that `decryptPem` does not support, such as 3DES.
    | "unsupported_encryption"
    // HPKE:
    | "unsupported_suite"
    | "encap"
    | "key_length"
    | "key_mismatch"
    | "invalid_psk"
    | "input_too_long"
    | "miscomputed" // Three computations of one value gave three results; nothing was made.
    | "failed";

/**
 * The result of `faults()`: the numbers of wrong computations noticed. 0 in an engine that computes
 * correctly.
 */
export interface Faults {
    /**
     * Keys and sealed data of which two computations differed. If no third one decided, the error
     * was `miscomputed`.
     */
    corrected: number;
    /** Messages that opened at the second attempt. */
    reopened: number;
}

export interface EncryptOptions {
    /** Set to write text (ASCII armor) instead of bytes. */
    armor?: boolean;
    /** The policy for public keys of pqseal as recipients; `"draft"` if left out. */
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
    /** Set if it is encrypted under a passphrase. */
    passphrase: boolean;
    /** Set if all recipients are post-quantum; `undefined` if one is of an unknown type. */
    postQuantum: boolean | undefined;
    stanzas: Stanza[];
    /** The length in bytes, without armor. */
    headerLength: number;
    /** The length in bytes, if `fileLength` is given and the file is not armored. */
    plaintextLength: number | undefined;
}

/** One recipient, as the file names it. */
export interface Stanza {
    /** The type, such as `X25519`, `mlkem768x25519` or `scrypt`. */
    type: string;
    args: string[];
}
