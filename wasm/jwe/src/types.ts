/** Input bytes. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** A JSON Web Key: its text, the bytes of its text, or an object. */
export type Jwk = string | Bytes | JwkObject;

export interface JwkObject {
    readonly kty?: string;
    readonly [member: string]: unknown;
}

/** A message: its text, the bytes of its text, or the object of a flattened or general JWE. */
export type Jwe = string | Bytes | {
    readonly ciphertext: string;
    readonly [member: string]: unknown;
};

/** HPKE encrypts the plaintext (Integrated Encryption), for one recipient. */
export type IntegratedAlg = "HPKE-0" | "HPKE-1" | "HPKE-2" | "HPKE-3" | "HPKE-4" | "HPKE-5"
    | "HPKE-6" | "HPKE-7" | "HPKE-8" | "HPKE-9" | "HPKE-10" | "HPKE-12" | "HPKE-13";

/**
 * An algorithm, as `algorithms()` lists them. With `-KE` HPKE encrypts a key for each of one or
 * more recipients.
 */
export type Alg = IntegratedAlg | `${IntegratedAlg}-KE`;

/** Content encryption of the algorithms that end in `-KE`. */
export type Enc = "A128GCM" | "A256GCM" | "A128CBC-HS256";

export type Serialization = "compact" | "flattened" | "general";

/** The errors that are thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    // An argument of the wrong type, an option that does not exist, or recipients that no message
    // can have.
    | "bad_argument"
    | "freed" // A key that was freed.
    | "not_loaded" // `pqseal/jwe/slim` before `start` or `startSync`.
    | "bad_key" // Not a JWK, or a public key instead of a private one.
    | "key_algorithm" // A key for another algorithm.
    | "rng" // The system gave no random bytes.
    // Messages:
    | "malformed"
    | "too_long" // A part of it is too long.
    | "refused" // It has `crit` or `zip`.
    | "algorithm_not_allowed" // Its `alg` is not in the list, or a key's `alg` is unknown.
    | "content_not_allowed" // Its `enc` is unknown or not allowed.
    | "no_key_matched" // The keys have another KEM, `kid` or algorithm.
    | "unknown_psk"
    | "psk_required"
    | "altered" // Altered, or sealed with another key, pre-shared key, `info` or `aad`.
    // HPKE:
    | "unsupported_suite"
    | "invalid_psk"
    | "key_mismatch"
    | "key_length"
    | "input_too_long"
    | "encap"
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

export interface AlgorithmInfo {
    name: Alg;
    /** The ids of the HPKE suite. */
    kem: number;
    kdf: number;
    aead: number;
    /** Set if its name ends in `-KE`. */
    keyEncryption: boolean;
    postQuantum: boolean;
}

export interface KeyPairOptions {
    /** The id by which messages name the key. */
    kid?: string;
}

export interface KeyOptions extends KeyPairOptions {
    alg?: Alg;
}

export interface KeyPair {
    privateKey: PrivateKey;
    /** A JWK, with `alg` and `kid`. */
    publicKey: string;
}

/** A pre-shared key, which authenticates the sender. */
export interface Psk {
    /** The key, at least 32 bytes from a source of as much entropy. */
    psk: Bytes;
    /** The id by which the message names the key. */
    pskId: Bytes;
}

export interface Recipient extends Partial<Psk> {
    publicKey: Jwk;
    /** The algorithm; that of the JWK if left out. */
    alg?: Alg;
    /** The id that the message gives the key; that of the JWK if left out. */
    kid?: string;
    /** Information that both sides know and that is not sent. */
    info?: Bytes;
}

export interface SealOptions {
    serialization?: Serialization;
    /** The content encryption, only for algorithms that end in `-KE`; `"A256GCM"` if left out. */
    enc?: Enc;
    /** Data sent in the clear and authenticated; not possible in the compact serialization. */
    aad?: Bytes;
    /** Members of the protected header, such as `{ typ: "JWT" }`. */
    protected?: { readonly [name: string]: unknown };
}

export interface OpenOptions {
    /** The allowed content encryption; all three if left out. */
    enc?: readonly Enc[];
    /** The sender's `info`. */
    info?: Bytes;
    /** Pre-shared keys that the message may name. */
    psks?: readonly Psk[];
    /**
     * Set to refuse a message without a pre-shared key. If left out, it is set if `psks` is given,
     * even as an empty array.
     */
    requirePsk?: boolean;
}

export interface Opened {
    plaintext: Uint8Array<ArrayBuffer>;
    alg: Alg;
    /** The header of the recipient. Only its protected part is authenticated. */
    header: { [name: string]: unknown };
    /** The authenticated data, empty if the message has none. */
    aad: Uint8Array<ArrayBuffer>;
    /** The index of the recipient that was opened, from 0. */
    recipient: number;
    /** The index of the key that opened it, from 0. */
    key: number;
    /** The id of the pre-shared key that authenticates the sender, if there is one. */
    pskId?: Uint8Array<ArrayBuffer>;
}

export interface Inspected {
    serialization: Serialization;
    recipients: RecipientHeader[];
}

export interface RecipientHeader {
    header: { [name: string]: unknown };
    /** The length in bytes. */
    encryptedKeyLength: number;
}
