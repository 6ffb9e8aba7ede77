// Keys: objects of the shape of a CryptoKey. Private ones are handles to wasm memory.
import { PrivateKey, derivePublicKey } from "../full/core.js";
import { failure } from "./attempt.js";
import { fromBase64, view } from "./bytes.js";
import { DeserializeError } from "./errors.js";

function uncloned() {
    throw failure("bad_argument",
        "a key cannot be cloned, stored or sent to a worker: serialize it, and read it there");
}

/** A key of one KEM. `serializePublicKey` and `serializePrivateKey` give its bytes. */
export class HpkeKey {
    #kem;
    #value;

    /** `value`: the bytes of a public key, or the PrivateKey. */
    constructor(kem, type, value) {
        this.#kem = kem.id;
        this.#value = value;
        this.type = type;
        this.extractable = true;
        this.algorithm = { ...kem.algorithm };
        this.usages = type === "private" ? ["deriveBits"] : [];
        // structuredClone, which IndexedDB and postMessage call, reads this member, and would
        // otherwise make an object without the key.
        Object.defineProperty(this, "cannot be cloned", { enumerable: true, get: uncloned });
        Object.freeze(this);
    }

    toJSON() {
        const { type, extractable, algorithm, usages } = this;
        return { type, extractable, algorithm, usages };
    }

    /** Overwrites a private key now, and not when it is collected. */
    free() {
        if (this.type === "private") this.#value.free();
    }

    /** The bytes or the PrivateKey of a key of that KEM and type; `name` is the parameter. */
    static value(key, kem, type, name) {
        if (key.type !== type)
            throw failure("bad_key", `${name} is a ${key.type} key; a ${type} key is needed`);
        if (key.#kem !== kem.id)
            throw failure("bad_key",
                `${name} is a key for ${
                    key.algorithm.namedCurve ?? key.algorithm.name
                }, and not for ${kem.name}`);
        return key.#value;
    }
}

export const publicKey = (kem, bytes) => {
    kem.suite.checkPublicKey(bytes);
    return new HpkeKey(kem, "public", bytes.slice());
};
export const privateKey = (kem, bytes) =>
    new HpkeKey(kem, "private", PrivateKey.deserialize(kem.id, bytes));
export const keyPair = (kem, pair) => ({
    privateKey: new HpkeKey(kem, "private", pair.privateKey),
    publicKey: new HpkeKey(kem, "public", pair.publicKey),
});

/** What was exported from CryptoKeys of WebCrypto, for as long as these are there. */
const imported = new WeakMap();

/**
 * The bytes of a public key, or the PrivateKey: of a key of ours, of WebCrypto's, or of a module of
 * @hpke.
 */
export async function valueOf(kem, key, type, name) {
    if (key instanceof HpkeKey) return HpkeKey.value(key, kem, type, name);
    if (!imported.has(key)) imported.set(key, await foreign(kem, key, type, name));
    return HpkeKey.value(imported.get(key), kem, type, name);
}

async function foreign(kem, key, type, name) {
    const isPublic = key?.type === "public";
    if (key?.key instanceof Uint8Array) return (isPublic ? publicKey : privateKey)(kem, key.key);
    if (Object.prototype.toString.call(key) !== "[object CryptoKey]")
        throw failure("bad_argument",
            `${name} must be a ${type} key (of bytes: deserialize${
                type === "public" ? "Public" : "Private"
            }Key)`);
    if (!key.extractable)
        throw failure("bad_key",
            `${name} is a CryptoKey that is not extractable, so it cannot be used here: import it with extractable set to true`);
    return fromJwk(kem, await crypto.subtle.exportKey("jwk", key), isPublic);
}

/** The key in a JWK, by the reader that every key goes through. */
export function fromJwk(kem, jwk, isPublic) {
    if (typeof jwk?.kty !== "string") throw failure("bad_key", "it is not a JWK: it has no kty");
    const text = JSON.stringify(jwk);
    if (!isPublic) return new HpkeKey(kem, "private", PrivateKey.parse(text, kem.id));
    for (const secret of ["d", "priv"])
        if (jwk[secret] !== undefined)
            throw failure("bad_key",
                `the JWK has a private key (${secret}): it is not a public key`);
    return publicKey(kem, fromBase64(derivePublicKey(text, kem.id, "raw")));
}

export const rawBytes = (key) => view(key, "key", DeserializeError);
