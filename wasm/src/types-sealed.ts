/** The kind of a sealed value other than matched data. */
export type SealedKind = "ai-gateway" | "agent-receipt" | "jwe" | "age";

export interface SealedOptions {
    /** The kind of all values. If left out, each value's kind is detected by its form. */
    kind?: SealedKind;
}

/** What is known of a sealed value without a key. */
export interface SealedDescription {
    kind: SealedKind;
    /** The algorithms. Those of a JWE and an age file are any text that the value has there. */
    algorithm: string;
    /** The size of the RSA key, for AI Gateway. */
    rsaBits?: number;
    /** The key that it names, a hint. */
    kid?: string;
    /** The length of the plaintext in bytes; unknown for a JWE. */
    plaintextLength?: number;
}

/** A private key for sealed values of one kind. `postMessage` takes it. */
export type OtherKey = {
    keyId: string;
    /** The comment behind the key in its file. */
    label?: string;
    /** Its kind, such as `RSA with 4096 bits`. */
    description: string;
} & (
    | {
        kind: "ai-gateway";
        /** An RSA key of WebCrypto that is not extractable and only decrypts. */
        secret: CryptoKey;
    }
    | {
        kind: "age";
        /** The text of an age identity, to be overwritten. */
        secret: Uint8Array<ArrayBuffer>;
    }
);

/** The keys of a file. */
export interface FileKeys {
    /** Those for a `KeyRing`, with which `SealedKeys` opens too. */
    keys: PrivateKey[];
    others: OtherKey[];
}

/** The result of `SealedRing.keysIn`, of which `readKeys` makes `FileKeys`. */
export interface RawKeys {
    keys: PrivateKey[];
    others: {
        kind: "ai-gateway" | "age";
        keyId: string;
        label?: string;
        description: string;
        bytes: Uint8Array<ArrayBuffer>;
    }[];
}

/** The result of `SealedRing.wrappedKeys`: the keys one after the other, and the end of each. */
export interface WrappedKeys {
    keys: Uint8Array<ArrayBuffer>;
    ends: Uint32Array<ArrayBuffer>;
}
