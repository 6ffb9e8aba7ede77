// The types of @hpke/core and its modules, as far as this adapter supports them.

type BufferInput = ArrayBufferLike | ArrayBufferView;

export declare const KemId: {
    readonly NotAssigned: 0;
    readonly DhkemP256HkdfSha256: 16;
    readonly DhkemP384HkdfSha384: 17;
    readonly DhkemP521HkdfSha512: 18;
    /** Not supported. */
    readonly DhkemSecp256k1HkdfSha256: 19;
    readonly DhkemX25519HkdfSha256: 32;
    readonly DhkemX448HkdfSha512: 33;
    readonly HybridkemX25519Kyber768: 48;
    readonly MlKem512: 64;
    readonly MlKem768: 65;
    readonly MlKem1024: 66;
    readonly MlKem768P256: 80;
    readonly MlKem1024P384: 81;
    readonly XWing: 25722;
};
export type KemId = typeof KemId[keyof typeof KemId];

export declare const KdfId: {
    readonly HkdfSha256: 1;
    readonly HkdfSha384: 2;
    readonly HkdfSha512: 3;
    /** Not supported. */
    readonly Sha3256: 4;
    /** Not supported. */
    readonly Sha3384: 5;
    /** Not supported. */
    readonly Sha3512: 6;
    readonly Shake128: 16;
    readonly Shake256: 17;
    readonly TurboShake128: 18;
    readonly TurboShake256: 19;
};
export type KdfId = typeof KdfId[keyof typeof KdfId];

export declare const AeadId: {
    readonly Aes128Gcm: 1;
    readonly Aes256Gcm: 2;
    readonly Chacha20Poly1305: 3;
    readonly ExportOnly: 65535;
};
export type AeadId = typeof AeadId[keyof typeof AeadId];

/** A key created by this adapter. WebCrypto does not accept it: serialize it first. */
export interface HpkeKey extends CryptoKey {
    /** Overwrites a private key now instead of when it is collected. */
    free(): void;
}

export interface JsonWebKeyExtended extends JsonWebKey {
    pub?: string;
    priv?: string;
}

/** A KEM without `encap` and `decap`, since the shared secret stays inside. */
export interface KemInterface {
    readonly id: KemId;
    /** The lengths of the shared secret, of `enc` and of serialized keys, in bytes. */
    readonly secretSize: number;
    readonly encSize: number;
    readonly publicKeySize: number;
    readonly privateKeySize: number;
    serializePublicKey(key: CryptoKey): Promise<ArrayBuffer>;
    deserializePublicKey(key: BufferInput): Promise<CryptoKey>;
    serializePrivateKey(key: CryptoKey): Promise<ArrayBuffer>;
    deserializePrivateKey(key: BufferInput): Promise<CryptoKey>;
    /** Reads a key. `isPublic` is true if left out. */
    importKey(format: "raw" | "jwk", key: ArrayBuffer | JsonWebKeyExtended,
        isPublic?: boolean): Promise<CryptoKey>;
    generateKeyPair(): Promise<CryptoKeyPair>;
    deriveKeyPair(ikm: BufferInput): Promise<CryptoKeyPair>;
}

export interface KdfInterface {
    readonly id: KdfId;
    readonly hashSize: number;
}

export interface AeadInterface {
    readonly id: AeadId;
    readonly keySize: number;
    readonly nonceSize: number;
    readonly tagSize: number;
}

/** Any KEM of `suites()` that is not experimental, by its id. */
export declare class Kem implements KemInterface {
    constructor(id: KemId);
    readonly id: KemId;
    readonly name: string;
    /** Set if it has the modes auth and auth_psk. */
    readonly auth: boolean;
    readonly secretSize: number;
    readonly encSize: number;
    readonly publicKeySize: number;
    readonly privateKeySize: number;
    serializePublicKey(key: CryptoKey): Promise<ArrayBuffer>;
    deserializePublicKey(key: BufferInput): Promise<HpkeKey>;
    serializePrivateKey(key: CryptoKey): Promise<ArrayBuffer>;
    deserializePrivateKey(key: BufferInput): Promise<HpkeKey>;
    importKey(format: "raw" | "jwk", key: BufferInput | JsonWebKeyExtended,
        isPublic?: boolean): Promise<HpkeKey>;
    generateKeyPair(): Promise<{ privateKey: HpkeKey; publicKey: HpkeKey }>;
    deriveKeyPair(ikm: BufferInput): Promise<{ privateKey: HpkeKey; publicKey: HpkeKey }>;
}

declare class NamedKem extends Kem {
    constructor();
}
export declare class DhkemP256HkdfSha256 extends NamedKem {}
export declare class DhkemP384HkdfSha384 extends NamedKem {}
export declare class DhkemP521HkdfSha512 extends NamedKem {}
export declare class DhkemX25519HkdfSha256 extends NamedKem {}
export declare class DhkemX448HkdfSha512 extends NamedKem {}
export declare class HybridkemX25519Kyber768 extends NamedKem {}
export declare class MlKem512 extends NamedKem {}
export declare class MlKem768 extends NamedKem {}
export declare class MlKem1024 extends NamedKem {}
export declare class MlKem768P256 extends NamedKem {}
export declare class MlKem1024P384 extends NamedKem {}
export declare class XWing extends NamedKem {}

declare class Kdf implements KdfInterface {
    readonly id: KdfId;
    readonly hashSize: number;
}
export declare class HkdfSha256 extends Kdf {}
export declare class HkdfSha384 extends Kdf {}
export declare class HkdfSha512 extends Kdf {}

declare class Aead implements AeadInterface {
    readonly id: AeadId;
    readonly keySize: number;
    readonly nonceSize: number;
    readonly tagSize: number;
}
export declare class Aes128Gcm extends Aead {}
export declare class Aes256Gcm extends Aead {}
export declare class Chacha20Poly1305 extends Aead {}
export declare class ExportOnly extends Aead {}

/**
 * The algorithms: objects of this adapter, objects with the same `id`, or ids. Here and below,
 * members that are not declared are refused.
 */
export interface CipherSuiteParams {
    kem: KemId | { readonly id: KemId };
    kdf: KdfId | { readonly id: KdfId };
    aead: AeadId | { readonly id: AeadId };
}

/** A key of at least 32 bytes, and an id that is not empty. */
export interface PreSharedKey {
    id: BufferInput;
    key: BufferInput;
}

export interface KeyScheduleParams {
    info?: BufferInput;
    psk?: PreSharedKey;
}

export interface SenderContextParams extends KeyScheduleParams {
    recipientPublicKey: CryptoKey;
    /** The sender's key, which selects the mode auth. */
    senderKey?: CryptoKey | CryptoKeyPair;
}

export interface RecipientContextParams extends KeyScheduleParams {
    recipientKey: CryptoKey | CryptoKeyPair;
    enc: BufferInput;
    /** The sender's public key, which selects the mode auth. */
    senderPublicKey?: CryptoKey;
}

export interface EncryptionContext {
    /** Seals a message. Only for a sender's context. */
    seal(data: BufferInput, aad?: BufferInput): Promise<ArrayBuffer>;
    /** Opens a message. Only for a recipient's context. */
    open(data: BufferInput, aad?: BufferInput): Promise<ArrayBuffer>;
    export(exporterContext: BufferInput, length: number): Promise<ArrayBuffer>;
    /** Overwrites its keys now instead of when it is collected. */
    free(): void;
}

export type RecipientContext = EncryptionContext;

export interface SenderContext extends EncryptionContext {
    enc: ArrayBuffer;
}

export interface CipherSuiteSealResponse {
    ct: ArrayBuffer;
    enc: ArrayBuffer;
}

export declare class CipherSuite {
    constructor(params: CipherSuiteParams);
    get kem(): Kem;
    get kdf(): { readonly id: KdfId };
    get aead(): { readonly id: AeadId };
    createSenderContext(params: SenderContextParams): Promise<SenderContext>;
    createRecipientContext(params: RecipientContextParams): Promise<RecipientContext>;
    seal(params: SenderContextParams, pt: BufferInput,
        aad?: BufferInput): Promise<CipherSuiteSealResponse>;
    open(params: RecipientContextParams, ct: BufferInput, aad?: BufferInput): Promise<ArrayBuffer>;
}

/** The base class of all errors. */
export declare class HpkeError extends Error {
    constructor(reason: unknown);
    /**
     * The code, as in `pqseal`. Also `bad_argument` if a context or a KEM lacks the function that
     * was called, `bad_key` if a `CryptoKey` is not extractable, and `failed` if `reason` has no
     * code of `pqseal`.
     */
    readonly code: import("../full/index.js").ErrorCode;
}
export declare class InvalidParamError extends HpkeError {}
export declare class ValidationError extends HpkeError {}
export declare class SerializeError extends HpkeError {}
export declare class DeserializeError extends HpkeError {}
export declare class EncapError extends HpkeError {}
export declare class DecapError extends HpkeError {}
export declare class ExportError extends HpkeError {}
export declare class SealError extends HpkeError {}
export declare class OpenError extends HpkeError {}
export declare class MessageLimitReachedError extends HpkeError {}
export declare class DeriveKeyPairError extends HpkeError {}
export declare class NotSupportedError extends HpkeError {}
