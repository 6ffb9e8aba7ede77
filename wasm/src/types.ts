/** An algorithm by its name or registered id, as `suites()` lists them: `"x25519"` or `0x0020`, `"HKDF-SHA256"`, `"ChaCha20Poly1305"`. */
export type Algorithm = string | number;

/** Bytes that go in. They are copied. */
export type Bytes = ArrayBuffer | ArrayBufferView;

/** What may be used, by its status: published RFCs; also Internet-Drafts (the post-quantum KEMs); also what has no registered id. */
export type Policy = "standard" | "draft" | "experimental";

export type Status = "standard" | "draft" | "experimental";

/** How public keys are written. `raw` does not say whose key it is; `pem` and `jwk` hold keys of curves and of ML-KEM, `jwk` also those of hybrids of both. */
export type PublicKeyFormat = "raw" | "pem" | "jwk" | "line";

/** The half of a key pair that base64 alone is: it does not say it itself. */
export type RawHalf = "private" | "public";

/** How private keys are written. `json` is the key-pair file of matched-data-cli, only for `x25519`. */
export type KeyFormat = PublicKeyFormat | "json";

/** What is thrown. `code` is stable, `message` is for people. */
export interface PqsealError extends Error {
    readonly name: "PqsealError";
    readonly code: ErrorCode;
}

export type ErrorCode =
    | "bad_argument" // An argument of the wrong type, an option that does not exist, or a format that does not hold this key.
    | "freed" // A key, ring, suite or context that was freed.
    | "not_loaded" // An algorithm that only `full` has, before `load`. Of `pqseal/slim`: any call before `start`, `startSync` or `load`.
    | "bad_key" // No key, a key of another KEM, or a public key in place of a private one.
    | "refused_kem" // A KEM that is known and not supported, such as SIKE, which was broken.
    | "unsupported_suite" // An algorithm that is not here, or that the policy refuses.
    | "rng" // The system gave no random bytes.
    // Blobs:
    | "empty"
    | "truncated" // The word that is logged in place of a payload that was too large.
    | "bad_base64"
    | "unsupported_version"
    | "version_refused" // Below the ring's `minVersion`.
    | "bad_length" // It ends early.
    | "trailing_bytes"
    | "wrong_kem" // A blob of versions 1 to 3 and no `x25519` key.
    | "no_key_matched" // Sealed to another key, or altered (versions 1 to 3).
    | "altered" // A version 4 blob whose key is here: bound to other info or aad, or altered.
    | "no_key_with_id" // A version 4 blob that names a key which is not here.
    // HPKE, as RFC 9180 names them:
    | "validation"
    | "deserialize"
    | "encap"
    | "decap"
    | "open"
    | "message_limit_reached"
    | "derive_key_pair"
    // HPKE, beyond:
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
    | "miscomputed" // Three computations of one thing gave three results; nothing was made.
    | "failed";

/** What `faults()` returns: how many wrong computations were noticed. 0 in an engine that computes right. */
export interface Faults {
    /** Keys and sealed data of which two computations differed. Where no third one decided, that was the error `miscomputed`. */
    corrected: number;
    /** What opened at the second attempt. */
    reopened: number;
}

export interface KeyPairOptions {
    /** `"draft"` if left out. */
    policy?: Policy;
}

export interface KeyPair {
    privateKey: PrivateKey;
    /** As `PrivateKey.publicKey()` writes it. */
    publicKey: string;
}

/** What the application binds a version 4 blob to: it opens only with the same `info` and `aad`. Versions 1 to 3 have neither. */
export interface OpenOptions {
    info?: Bytes;
    aad?: Bytes;
    /** `"draft"` if left out. */
    policy?: Policy;
}

export interface KeyRingOptions {
    /** The lowest version of blobs that opens; 1 if left out. */
    minVersion?: 1 | 2 | 3 | 4;
}

export interface SealOptions extends OpenOptions {
    version?: 3 | 4;
    /** The KEM is the key's. `suites().default` for what is left out. */
    suite?: { kdf?: Algorithm; aead?: Algorithm };
}

/** What `KeyRing.open` returns. */
export interface Opened {
    plaintext: Uint8Array<ArrayBuffer>;
    /** The id of the key that opened it. */
    keyId: string;
}

export interface OpenSuccess extends Opened {
    ok: true;
}

export interface OpenFailure {
    ok: false;
    error: { code: ErrorCode; message: string };
}

/** What `KeyRing.openMany` returns of each blob. */
export type OpenResult = OpenSuccess | OpenFailure;

/** What `KeyRing.openPacked` returns. */
export interface PackedResults {
    /** The plaintexts of those that opened, one after the other. */
    plaintexts: Uint8Array<ArrayBuffer>;
    /** For each blob where its plaintext ends, which begins where the one before it ends. */
    ends: Uint32Array<ArrayBuffer>;
    /** For each blob the place of the key in `keyIds`, or how many there are if no key opened it. */
    keys: Uint32Array<ArrayBuffer>;
    /** Why the others did not open, in the order of the blobs. */
    errors: OpenFailure["error"][];
    /** How many opened at the second attempt only, as `faults()` counts them. */
    reopened: number;
}

export interface Inspected {
    version: 1 | 2 | 3 | 4;
    /** The document whose HPKE it is. */
    specification: string;
    kem: KemInfo;
    /** Only a number if the algorithm is not supported. */
    kdf: KdfInfo | number;
    /** Only a number if the algorithm is not supported. */
    aead: AeadInfo | number;
    /** The key that it was sealed to, in version 4. */
    keyId?: string;
    /** The encapsulated key. */
    enc: Uint8Array<ArrayBuffer>;
    blobLength: number;
    plaintextLength: number;
    /** How many bytes follow its end, which `open` refuses. */
    trailingLength: number;
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

/** Lengths are in bytes. */
export interface KemInfo {
    id: number;
    name: string;
    registeredName: string;
    /** Whether it has the modes auth and auth_psk. */
    auth: boolean;
    status: Status;
    /** What to know before an experimental KEM is allowed. */
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
    /** 0 for export-only. */
    tagLength: number;
    status: Status;
}

export interface HpkeKeyPair {
    privateKey: PrivateKey;
    publicKey: Uint8Array<ArrayBuffer>;
}

/** What sender and recipient must agree on. */
export interface HpkeOptions {
    info?: Bytes;
    /** At least 32 bytes, from a source of as much entropy; goes with `pskId`. An empty one is `invalid_psk`. */
    psk?: Bytes;
    pskId?: Bytes;
}

export interface SenderOptions extends HpkeOptions {
    /** Makes the mode auth, which only RFC 9180 has. */
    senderKey?: PrivateKey;
}

export interface RecipientOptions extends HpkeOptions {
    /** Makes the mode auth, which only RFC 9180 has. */
    senderPublicKey?: Bytes;
}

export interface Sealed {
    enc: Uint8Array<ArrayBuffer>;
    ct: Uint8Array<ArrayBuffer>;
}

export interface SenderSetup {
    enc: Uint8Array<ArrayBuffer>;
    context: SenderContext;
}
