import type { Bytes, FileKeys, KeyRing, OtherKey, PackedResults, SealedOptions } from "./core.js";

/**
 * Reads all keys of a file, also RSA keys (PKCS#8, PKCS#1; 2,048 to 4,096 bits) and age identities.
 * RSA keys go to WebCrypto, which pages have only over HTTPS, on localhost or from disk
 * (`no_webcrypto`).
 */
export function readKeys(file: string | Bytes): Promise<FileKeys>;

/**
 * Private keys that open sealed values in log fields other than matched data: objects of AI
 * Gateway, envelopes of agent receipts, JWE and age files. Nothing binds such a value to its
 * record. `free` overwrites the keys.
 */
export class SealedKeys {
    /** Takes the keys of a ring, which may be freed. */
    constructor(ring: KeyRing);
    /** Adds a key at the end. The secret of an age identity is copied. */
    add(key: OtherKey): void;
    /** The ids of the keys: those of the ring, then those that were added. */
    readonly keyIds: string[];
    /**
     * Opens many values, which are the JSON text of objects and what is between the quotes of
     * strings. They are one directly after another in `values`, and `ends` has the end of each. One
     * that is not sealed, or is matched data, has the code `not_sealed`. At most 1,024 unwrapped
     * keys of AI Gateway are kept for later calls.
     */
    openPacked(values: Bytes, ends: Uint32Array, options?: SealedOptions): Promise<PackedResults>;
    free(): void;
    [Symbol.dispose](): void;
}
