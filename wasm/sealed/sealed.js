// The keys that open sealed values other than matched data, around the class of core.js. RSA is
// WebCrypto's, since there is none in the WebAssembly.
import { PqsealError, SealedRing } from "./core.js";

/** How AI Gateway wraps keys (RFC 8017, section 7.1): MGF1 with the same hash, and no label. */
const algorithm = { name: "RSA-OAEP", hash: "SHA-256" };
/** The size of an unwrapped key in bytes. */
const keySize = 32;
/** The maximum number of unwrapped keys that are kept. When it is reached, all are overwritten. */
const mostUnwrapped = 1024;

const coded = (code, message) =>
    Object.assign(new PqsealError(message), { name: "PqsealError", code });

export async function readKeys(file) {
    const { keys, others } = SealedRing.keysIn(file);
    try {
        return { keys, others: await Promise.all(others.map(imported)) };
    } catch (error) {
        for (const key of keys) key.free();
        for (const { bytes } of others) bytes.fill(0);
        throw error;
    } finally {
        for (const { kind, bytes } of others) if (kind === "ai-gateway") bytes.fill(0);
    }
}

async function imported({ bytes, ...key }) {
    if (key.kind === "age") return { ...key, secret: bytes };
    const subtle = globalThis.crypto?.subtle;
    if (!subtle)
        throw coded("no_webcrypto",
            "RSA keys need WebCrypto, which pages have only over HTTPS, on localhost or from disk");
    try {
        const secret = await subtle.importKey("pkcs8", bytes, algorithm, false, ["decrypt"]);
        return { ...key, secret };
    } catch {
        throw coded("bad_key", "it is an RSA key whose integers do not belong together");
    }
}

export class SealedKeys {
    #ring;
    /** RSA keys, each with its index among all keys and the size of its modulus. */
    #rsa = [];
    /** By wrapped key, the unwrapped one with the index of its RSA key; null if none unwraps it. */
    #unwrapped = new Map();

    constructor(ring) {
        this.#ring = new SealedRing(ring);
    }

    add({ kind, keyId, secret } = {}) {
        if (kind === "age") return this.#ring.addIdentity(secret);
        if (secret?.algorithm?.name !== algorithm.name)
            throw coded("bad_argument", "key must be one of the others that readKeys returns");
        const [place, size] = [this.keyIds.length, secret.algorithm.modulusLength / 8];
        this.#ring.addRsa(keyId, size);
        this.#rsa.push({ place, size, secret });
    }

    get keyIds() {
        return this.#ring.keyIds;
    }

    async openPacked(values, ends, options) {
        const wrapped = this.#ring.wrappedKeys(values, ends, options);
        const count = wrapped.ends.length;
        const unwrapped = new Uint8Array(wrapped.keys.length ? keySize * count : 0);
        const places = new Uint32Array(count).fill(this.keyIds.length);
        const take = (value, found) => {
            if (!found) return;
            unwrapped.set(found.key, keySize * value);
            places[value] = found.place;
        };
        /** By wrapped key, the values that have it. */
        const unknown = new Map();
        wrapped.ends.forEach((end, value) => {
            const name = String.fromCharCode(
                ...wrapped.keys.subarray(wrapped.ends[value - 1] ?? 0, end),
            );
            if (!name) return;
            const known = this.#unwrapped?.get(name);
            if (known !== undefined) take(value, known);
            else if (unknown.has(name)) unknown.get(name).push(value);
            else unknown.set(name, [value]);
        });
        try {
            await Promise.all(Array.from(unknown, async ([name, values]) => {
                const found = await this.#unwrap(name);
                for (const value of values) take(value, found);
                this.#keep(name, found);
            }));
            return this.#ring.openPacked(values, ends, unwrapped, places, options);
        } finally {
            unwrapped.fill(0);
        }
    }

    free() {
        this.#forget();
        this.#unwrapped = undefined;
        this.#rsa = [];
        this.#ring.free();
    }

    /** Tries the keys of the right size in turn. */
    async #unwrap(name) {
        const wrapped = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
        for (const { place, size, secret } of this.#rsa) {
            if (size !== wrapped.length) continue;
            const opened = await crypto.subtle.decrypt(algorithm, secret, wrapped).catch(() =>
                null
            );
            const key = new Uint8Array(opened ?? 0);
            if (key.length === keySize) return { place, key };
            key.fill(0);
        }
        return null;
    }

    #keep(name, found) {
        if (this.#unwrapped?.size >= mostUnwrapped) this.#forget();
        // The object may have been freed meanwhile.
        if (this.#unwrapped) this.#unwrapped.set(name, found);
        else found?.key.fill(0);
    }

    #forget() {
        for (const found of this.#unwrapped?.values() ?? []) found?.key.fill(0);
        this.#unwrapped?.clear();
    }
}

// As wasm-bindgen does where the engine knows it.
if (Symbol.dispose) SealedKeys.prototype[Symbol.dispose] = SealedKeys.prototype.free;
