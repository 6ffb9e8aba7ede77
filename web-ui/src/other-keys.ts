// Keys for sealed values other than matched data: RSA keys and age identities. A part of the chunk
// with the module `full`, whose class opens these values.
import { type KeyRing, type OtherKey, type PrivateKey, SealedKeys, readKeys } from "pqseal/sealed";
import type { KeyFacts } from "./protocol.ts";

/** A key for values of one kind. */
export class HeldOther {
    constructor(readonly other: OtherKey) {}

    get keyId(): string {
        return this.other.keyId;
    }

    get kem(): string {
        return this.other.description;
    }

    /** Adds nothing: matched data does not open with it. */
    addTo(): void {}

    /** Overwrites an age identity. An RSA key is WebCrypto's, which frees it. */
    free(): void {
        if (this.other.kind === "age") this.other.secret.fill(0);
    }

    /** Returns the key in `held` that is the same. */
    sameIn<Held extends object>(held: Map<string, Held>): Held | undefined {
        return held.get(this.keyId);
    }

    facts(): KeyFacts {
        const { kem, keyId } = this;
        const opens = this.other.kind === "age" ? "age files in fields" : "fields of AI Gateway";
        return { kem, keyId, fingerprint: "", publicKey: "", opens };
    }
}

/** Reads all keys of a file. The caller overwrites the bytes. */
export async function keysIn(file: Uint8Array<ArrayBuffer>): Promise<(PrivateKey | HeldOther)[]> {
    const { keys, others } = await readKeys(file);
    return [...keys, ...others.map((key) => new HeldOther(key))];
}

/** Returns what opens sealed values with the keys of a ring and these. */
export function sealedKeys(ring: KeyRing, others: OtherKey[]): SealedKeys {
    const keys = new SealedKeys(ring);
    for (const key of others) keys.add(key);
    return keys;
}
