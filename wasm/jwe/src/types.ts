/** Bytes that go in. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** A JSON Web Key: its text, the bytes of its text, or an object. */
export type Jwk = string | Bytes | JwkObject;

export interface JwkObject {
    readonly kty?: string;
    readonly [member: string]: unknown;
}

/** A message: its text, the bytes of its text, or the object of a flattened or general JWE. */
export type Jwe = string | Bytes | { readonly ciphertext: string; readonly [member: string]: unknown };

/** HPKE encrypts the plaintext (Integrated Encryption), for one recipient. */
export type IntegratedAlg =
    | "HPKE-0" | "HPKE-1" | "HPKE-2" | "HPKE-3" | "HPKE-4" | "HPKE-5" | "HPKE-6" | "HPKE-7"
    | "HPKE-8" | "HPKE-9" | "HPKE-10" | "HPKE-12" | "HPKE-13";

/** An algorithm, as `algorithms()` lists them. With `-KE` HPKE encrypts a key for each of one or more recipients. */
export type Alg = IntegratedAlg | `${IntegratedAlg}-KE`;

/** Content encryption of the algorithms that end in `-KE`. */
export type Enc = "A128GCM" | "A256GCM" | "A128CBC-HS256";

export type Serialization = "compact" | "flattened" | "general";

/** What is thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    | "bad_argument" // An argument of the wrong type, an option that does not exist, or recipients that no message can have.
    | "freed" // A key that was freed.
    | "not_loaded" // `pqseal/jwe/slim` before `start` or `startSync`.
    | "bad_key" // No JWK, or a public key in place of a private one.
    | "key_algorithm" // A key for another algorithm than this one.
    | "rng" // The system gave no random bytes.
    // Messages:
    | "malformed"
    | "too_long" // A part of it is longer than is accepted.
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
    | "miscomputed" // Three computations of one thing gave three results; nothing was made.
    | "failed";

/** What `faults()` returns: how many wrong computations were noticed. 0 in an engine that computes right. */
export interface Faults {
    /** Keys and sealed data of which two computations differed. Where no third one decided, that was the error `miscomputed`. */
    corrected: number;
    /** What opened at the second attempt. */
    reopened: number;
}

export interface AlgorithmInfo {
    name: Alg;
    /** The ids of the HPKE suite. */
    kem: number;
    kdf: number;
    aead: number;
    /** Whether it ends in `-KE`. */
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
    /** At least 32 bytes, from a source of as much entropy. */
    psk: Bytes;
    /** The message names it. */
    pskId: Bytes;
}

export interface Recipient extends Partial<Psk> {
    publicKey: Jwk;
    /** What the JWK says, if this is left out. */
    alg?: Alg;
    /** The id that the message gives the key; what the JWK says, if this is left out. */
    kid?: string;
    /** Information that both sides know and that is not sent. */
    info?: Bytes;
}

export interface SealOptions {
    serialization?: Serialization;
    /** Of the algorithms that end in `-KE` only; `"A256GCM"` if left out. */
    enc?: Enc;
    /** Sent in the clear and authenticated; not in the compact serialization. */
    aad?: Bytes;
    /** Members of the protected header, such as `{ typ: "JWT" }`. */
    protected?: { readonly [name: string]: unknown };
}

export interface OpenOptions {
    /** The content encryption that is allowed; all three if left out. */
    enc?: readonly Enc[];
    /** What the sender gave as `info`. */
    info?: Bytes;
    /** Pre-shared keys that the message may name. */
    psks?: readonly Psk[];
    /** Whether a message without a pre-shared key is refused; if left out, it is as soon as `psks` is given, also as an empty array. */
    requirePsk?: boolean;
}

export interface Opened {
    plaintext: Uint8Array<ArrayBuffer>;
    alg: Alg;
    /** The header of the recipient. Only its protected part is authenticated. */
    header: { [name: string]: unknown };
    /** Authenticated. Empty if the message has none. */
    aad: Uint8Array<ArrayBuffer>;
    /** Which recipient it was opened as, from 0. */
    recipient: number;
    /** Which of the keys opened it, from 0. */
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
    /** In bytes. */
    encryptedKeyLength: number;
}
