// Keys: objects of the shape of a CryptoKey. Private ones are handles to wasm memory.
import { PrivateKey } from "../full/core.js";
import { failure } from "./attempt.js";
import { fromBase64Url, view } from "./bytes.js";

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
        Object.freeze(this);
    }

    /** Overwrites a private key now, and not when it is collected. */
    free() {
        if (this.type === "private") this.#value.free();
    }

    /** The bytes or the PrivateKey of a key of that KEM and type; `name` is the parameter. */
    static value(key, kem, type, name) {
        if (key.type !== type) throw failure("bad_key", `${name} is a ${key.type} key; a ${type} key is needed`);
        if (key.#kem !== kem.id)
            throw failure("bad_key", `${name} is a key for ${key.algorithm.namedCurve ?? key.algorithm.name}, and not for ${kem.name}`);
        return key.#value;
    }
}

export const publicKey = (kem, bytes) => {
    kem.suite.checkPublicKey(bytes);
    return new HpkeKey(kem, "public", bytes.slice());
};
export const privateKey = (kem, bytes) => new HpkeKey(kem, "private", PrivateKey.deserialize(kem.id, bytes));
export const keyPair = (kem, pair) =>
    ({ privateKey: new HpkeKey(kem, "private", pair.privateKey), publicKey: new HpkeKey(kem, "public", pair.publicKey) });

/** What was exported from CryptoKeys of WebCrypto, for as long as these are there. */
const imported = new WeakMap();

/** The bytes of a public key, or the PrivateKey: of a key of ours, of WebCrypto's, or of a module of @hpke. */
export async function valueOf(kem, key, type, name) {
    if (key instanceof HpkeKey) return HpkeKey.value(key, kem, type, name);
    if (!imported.has(key)) imported.set(key, await foreign(kem, key, type, name));
    return HpkeKey.value(imported.get(key), kem, type, name);
}

async function foreign(kem, key, type, name) {
    const read = key?.type === "public" ? publicKey : privateKey;
    if (key?.key instanceof Uint8Array) return read(kem, key.key);
    if (Object.prototype.toString.call(key) !== "[object CryptoKey]")
        throw failure("bad_argument", `${name} must be a ${type} key (of bytes: deserialize${type === "public" ? "Public" : "Private"}Key)`);
    if (!key.extractable)
        throw failure("bad_key", `${name} is a CryptoKey that is not extractable, so it cannot be used here: import it with extractable set to true`);
    if (kem.jwk === undefined) throw failure("bad_key", `${name} is a CryptoKey, and WebCrypto has no keys for ${kem.name}`);
    return read(kem, jwkBytes(kem, await crypto.subtle.exportKey("jwk", key), key.type === "public"));
}

/** The bytes of the public or private key that a JWK holds. */
export function jwkBytes(kem, jwk, isPublic) {
    const { kty, crv, alg } = kem.jwk;
    for (const [name, expected] of Object.entries({ kty, crv, alg }))
        if (expected !== undefined && jwk?.[name] !== expected)
            throw failure("bad_key", `the JWK has ${name} ${String(jwk?.[name])}, and ${expected} is needed`);
    const secret = kty === "AKP" ? "priv" : "d";
    if (isPublic && jwk[secret] !== undefined) throw failure("bad_key", `the JWK has a private key (${secret}): it is not a public key`);
    const member = (name) => {
        if (typeof jwk[name] !== "string") throw failure("bad_key", `the JWK has no ${name}`);
        try {
            return fromBase64Url(jwk[name]);
        } catch {
            throw failure("bad_key", `${name} of the JWK is not base64url`);
        }
    };
    if (!isPublic) return member(secret);
    if (kty === "EC") return Uint8Array.of(4, ...member("x"), ...member("y"));
    return member(kty === "AKP" ? "pub" : "x");
}

export const rawBytes = (key) => view(key, "key");
