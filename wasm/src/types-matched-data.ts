/**
 * The format of a public key. `raw` does not name its KEM; `pem` and `jwk` hold keys of curves and
 * of ML-KEM, `jwk` also those of hybrids of both.
 */
export type PublicKeyFormat = "raw" | "pem" | "jwk" | "line";

/** The half of a key pair in base64, which the text itself does not show. */
export type RawHalf = "private" | "public";

/**
 * The format of a private key. `json` is the key-pair file of matched-data-cli, only for `x25519`.
 */
export type KeyFormat = PublicKeyFormat | "json";

/**
 * A format of keys that are bytes: PKCS#8 or SubjectPublicKeyInfo, or COSE_Key, which only `full`
 * has.
 */
export type BinaryFormat = "der" | "cose-key";

export interface KeyPairOptions {
    /** The policy; `"draft"` if left out. */
    policy?: Policy;
}

export interface KeyPair {
    privateKey: PrivateKey;
    /** The public key, in the format of `PrivateKey.publicKey()`. */
    publicKey: string;
}

/**
 * The values that the application binds a version 4 blob to: it opens only with the same `info` and
 * `aad`. Versions 1 to 3 have neither.
 */
export interface OpenOptions {
    info?: Bytes;
    aad?: Bytes;
    /** The policy; `"draft"` if left out. */
    policy?: Policy;
}

export interface KeyRingOptions {
    /** The lowest version of blobs that opens; 1 if left out. */
    minVersion?: 1 | 2 | 3 | 4;
}

export interface SealOptions extends OpenOptions {
    version?: 3 | 4;
    /** The KDF and AEAD, those of `suites().default` if left out. The KEM is that of the key. */
    suite?: { kdf?: Algorithm; aead?: Algorithm };
}

/** A period of a calendar. */
export interface CalendarPeriod {
    /** Its start in UTC, such as `2026-12-01` or, of an hour, `2026-12-01T05:00Z`. */
    name: string;
    /** The start, in milliseconds since 1970. */
    start: number;
    /** The end, in milliseconds since 1970. */
    end: number;
    /** The id of its key. */
    keyId: string;
    /** The state of its key in this calendar. */
    state: "key" | "shredded" | "not-lent" | "left-out";
}

/** The result of `KeyRing.open`. */
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

/** The result of `KeyRing.openMany` for each blob. */
export type OpenResult = OpenSuccess | OpenFailure;

/** The result of `KeyRing.openPacked`. */
export interface PackedResults {
    /** The plaintexts of the blobs that opened, one after the other. */
    plaintexts: Uint8Array<ArrayBuffer>;
    /** The end of each blob's plaintext, which begins at the end of the one before it. */
    ends: Uint32Array<ArrayBuffer>;
    /** For each blob, the index of its key in `keyIds`, or the number of keys if none opened it. */
    keys: Uint32Array<ArrayBuffer>;
    /** The reasons why the others did not open, in the order of the blobs. */
    errors: OpenFailure["error"][];
    /** The number of blobs that only opened at the second attempt, as `faults()` counts them. */
    reopened: number;
}

export interface Inspected {
    version: 1 | 2 | 3 | 4;
    /** The document that specifies its HPKE. */
    specification: string;
    kem: KemInfo;
    /** The KDF, or only its number if it is not supported. */
    kdf: KdfInfo | number;
    /** The AEAD, or only its number if it is not supported. */
    aead: AeadInfo | number;
    /** The id of the key that it was sealed to, in version 4. */
    keyId?: string;
    /** The encapsulated key. */
    enc: Uint8Array<ArrayBuffer>;
    blobLength: number;
    plaintextLength: number;
    /** The number of bytes after its end, which `open` refuses. */
    trailingLength: number;
}
