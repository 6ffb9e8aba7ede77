/// <reference lib="esnext.disposable" />

/**
 * An algorithm by its name or registered id, as `suites()` lists them: `"x25519"` or `0x0020`,
 * `"HKDF-SHA256"`, `"ChaCha20Poly1305"`. Names are understood in any case, with or without hyphens.
 */
export type Algorithm = string | number;

/** Input bytes. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/**
 * The allowed algorithms by status: published RFCs; also Internet-Drafts (the post-quantum KEMs);
 * also those without a registered id.
 */
export type Policy = "standard" | "draft" | "experimental";

export type Status = "standard" | "draft" | "experimental";

/** The errors that are thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    // An argument of the wrong type, an option that does not exist, or a format that does not hold
    // this key.
    | "bad_argument"
    | "freed" // A key, ring, suite or context that was freed.
    // An algorithm that only `full` has, before `load`. In `pqseal/slim`, any call before `start`,
    // `startSync` or `load`.
    | "not_loaded"
    | "bad_key" // Not a key, a key of another KEM, or a public key instead of a private one.
    | "refused_kem" // A KEM that is known and not supported, such as SIKE, which was broken.
    | "unsupported_suite" // An algorithm that is not supported, or that the policy refuses.
    | "rng" // The system gave no random bytes.
    // Blobs:
    | "empty"
    | "truncated" // The word that is logged instead of a payload that was too large.
    | "bad_base64"
    | "unsupported_version"
    | "version_refused" // The version is below the ring's `minVersion`.
    | "bad_length" // It ends early.
    | "trailing_bytes"
    | "wrong_kem" // A blob of versions 1 to 3, but no `x25519` key.
    | "no_key_matched" // Sealed to another key, or altered (versions 1 to 3).
    | "altered" // A version 4 blob whose key is given: bound to other info or aad, or altered.
    | "no_key_with_id" // A version 4 blob that names a key which is not given.
    | "key_shredded" // Such a key was in a calendar, and was shredded.
    | "key_not_lent" // Such a key is of a period that a lent calendar does not have.
    | "no_period" // A time before the first or after the last period of a calendar.
    // Sealed values other than matched data, of `pqseal/sealed`, with some of the above:
    | "not_sealed" // It is in the clear, or matched data.
    | "bad_object" // Members or parts are missing, or not those of its format.
    | "bad_iv" // Its IV has not 12 bytes.
    | "bad_plaintext" // It opened, and is not what its format requires.
    | "recipient_count" // It has more recipients than are allowed.
    | "malformed" // A JWE, as the next six.
    | "too_long"
    | "refused" // It has `crit` or `zip`.
    | "algorithm_not_allowed"
    | "content_not_allowed"
    | "key_algorithm"
    | "not_age" // An age file, as the next three.
    | "bad_header"
    | "altered_header"
    | "bad_armor"
    | "no_webcrypto" // An RSA key in a page that has no WebCrypto.
    // HPKE, as RFC 9180 names them:
    | "validation"
    | "deserialize"
    | "encap"
    | "decap"
    | "open"
    | "message_limit_reached"
    | "derive_key_pair"
    // HPKE, beyond RFC 9180:
    | "auth_unsupported"
    | "export_only"
    | "export_too_long"
    | "invalid_psk"
    | "key_mismatch"
    | "key_length"
    | "input_too_long"
    | "no_seed"
    | "key_unavailable" // A private key that is held elsewhere did not answer; not in this package.
    | "key_held_elsewhere" // The same, for versions 1 and 2.
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

export interface SuiteIds {
    kem: number;
    kdf: number;
    aead: number;
}

export interface Registry {
    kems: KemInfo[];
    kdfs: KdfInfo[];
    aeads: AeadInfo[];
    default: SuiteIds;
}

/** A KEM. Lengths are in bytes. */
export interface KemInfo {
    id: number;
    name: string;
    registeredName: string;
    /** Set if it has the modes auth and auth_psk. */
    auth: boolean;
    status: Status;
    /** The caution to read before an experimental KEM is allowed. */
    caution?: string;
    sharedSecretLength: number;
    encLength: number;
    publicKeyLength: number;
    privateKeyLength: number;
}

export interface KdfInfo {
    id: number;
    name: string;
    oneStage: boolean;
    status: Status;
}

export interface AeadInfo {
    id: number;
    name: string;
    /** The length of the tag, 0 for export-only. */
    tagLength: number;
    status: Status;
}

export interface HpkeKeyPair {
    privateKey: PrivateKey;
    publicKey: Uint8Array<ArrayBuffer>;
}

/** The inputs that sender and recipient must agree on. */
export interface HpkeOptions {
    info?: Bytes;
    /**
     * The pre-shared key: at least 32 bytes, from a source of as much entropy, together with
     * `pskId`. An empty one is `invalid_psk`.
     */
    psk?: Bytes;
    pskId?: Bytes;
}

export interface SenderOptions extends HpkeOptions {
    /** The sender's key, which selects the mode auth. Only RFC 9180 has it. */
    senderKey?: PrivateKey;
}

export interface RecipientOptions extends HpkeOptions {
    /** The sender's public key, which selects the mode auth. Only RFC 9180 has it. */
    senderPublicKey?: PublicKey | Bytes;
}

/** A message with its number, for `RecipientContext.openAt`. */
export interface SealedWithSequence {
    sequence: bigint;
    ct: Uint8Array<ArrayBuffer>;
}

export interface Sealed {
    enc: Uint8Array<ArrayBuffer>;
    ct: Uint8Array<ArrayBuffer>;
}

export interface SenderSetup {
    enc: Uint8Array<ArrayBuffer>;
    context: SenderContext;
}
