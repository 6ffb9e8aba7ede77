// KEMs: keys are made, read and written here.
import { Suite, suites } from "../full/core.js";
import { attempt, badArgument, failure } from "./attempt.js";
import { buffer, shortView } from "./bytes.js";
import { DeriveKeyPairError, DeserializeError, NotSupportedError,
    SerializeError } from "./errors.js";
import { KemId } from "./ids.js";
import { importJwk } from "./jwk.js";
import { keyPair, privateKey, publicKey, rawBytes, valueOf } from "./keys.js";

/** What `suites()` says of each KEM, asked once: it makes a list of all. */
const infos = new Map();

/**
 * The suite of a KEM by which its keys are made and checked: these operations do not depend on KDF
 * and AEAD.
 */
const bySuite = new Map();
const ANY_KDF = 0x0001;
const ANY_AEAD = 0x0001;

/** How the KEMs of @hpke name themselves in CryptoKeys. */
const ec = (namedCurve) => ({ name: "ECDH", namedCurve });
const ALGORITHMS = {
    [KemId.DhkemP256HkdfSha256]: ec("P-256"),
    [KemId.DhkemP384HkdfSha384]: ec("P-384"),
    [KemId.DhkemP521HkdfSha512]: ec("P-521"),
    [KemId.DhkemX25519HkdfSha256]: { name: "X25519" },
    [KemId.DhkemX448HkdfSha512]: { name: "X448" },
    [KemId.MlKem512]: { name: "ML-KEM-512" },
    [KemId.MlKem768]: { name: "ML-KEM-768" },
    [KemId.MlKem1024]: { name: "ML-KEM-1024" },
    [KemId.XWing]: { name: "X-Wing" },
};

/**
 * Any KEM of `suites()` that is not experimental, by its id; the classes below are those that @hpke
 * names.
 */
export class Kem {
    constructor(id) {
        if (typeof id !== "number") throw badArgument("id must be a number: one of KemId");
        this.id = id;
    }

    get name() {
        return this.#info.registeredName;
    }
    get secretSize() {
        return this.#info.sharedSecretLength;
    }
    get encSize() {
        return this.#info.encLength;
    }
    get publicKeySize() {
        return this.#info.publicKeyLength;
    }
    get privateKeySize() {
        return this.#info.privateKeyLength;
    }
    get auth() {
        return this.#info.auth;
    }
    get algorithm() {
        return ALGORITHMS[this.id] ?? { name: this.name };
    }

    async generateKeyPair() {
        return attempt(NotSupportedError, () => keyPair(this, this.suite.generateKeyPair()));
    }

    async deriveKeyPair(ikm) {
        return attempt(DeriveKeyPairError,
            () =>
                keyPair(this, this.suite.deriveKeyPair(shortView(ikm, "ikm", DeriveKeyPairError))));
    }

    async serializePublicKey(key) {
        return buffer((await this.value(key, "public", SerializeError)).slice());
    }

    async deserializePublicKey(key) {
        return attempt(DeserializeError, () => publicKey(this, rawBytes(key)));
    }

    async serializePrivateKey(key) {
        const handle = await this.value(key, "private", SerializeError);
        return attempt(SerializeError, () => buffer(handle.serialize()));
    }

    async deserializePrivateKey(key) {
        return attempt(DeserializeError, () => privateKey(this, rawBytes(key)));
    }

    async importKey(format, key, isPublic = true) {
        const read = isPublic ? publicKey : privateKey;
        if (format !== "raw" && format !== "jwk")
            throw new DeserializeError(failure("bad_argument", "format must be raw or jwk"));
        return attempt(DeserializeError,
            () => format === "jwk" ? importJwk(this, key, isPublic) : read(this, rawBytes(key)));
    }

    /**
     * For this package: the bytes of a public key, or the PrivateKey; an error of that class if the
     * parameter `name` is another thing.
     */
    async value(key, type, Failure, name = "key") {
        try {
            return await valueOf(this, key, type, name);
        } catch (error) {
            throw new Failure(error);
        }
    }

    get suite() {
        if (!bySuite.has(this.id)) bySuite.set(this.id, new Suite(this.id, ANY_KDF, ANY_AEAD));
        return bySuite.get(this.id);
    }

    get #info() {
        if (infos.size === 0) { for (const info of suites().kems) infos.set(info.id, info); }
        const info = infos.get(this.id);
        if (info === undefined)
            throw new NotSupportedError(
                failure("unsupported_suite",
                    `KEM ${this.id} is unknown; suites() lists those that are supported`),
            );
        return info;
    }
}

const kem = (id) =>
    class extends Kem {
        constructor() {
            super(id);
        }
    };

export class DhkemP256HkdfSha256 extends kem(KemId.DhkemP256HkdfSha256) {}
export class DhkemP384HkdfSha384 extends kem(KemId.DhkemP384HkdfSha384) {}
export class DhkemP521HkdfSha512 extends kem(KemId.DhkemP521HkdfSha512) {}
export class DhkemX25519HkdfSha256 extends kem(KemId.DhkemX25519HkdfSha256) {}
export class DhkemX448HkdfSha512 extends kem(KemId.DhkemX448HkdfSha512) {}
export class HybridkemX25519Kyber768 extends kem(KemId.HybridkemX25519Kyber768) {}
export class MlKem512 extends kem(KemId.MlKem512) {}
export class MlKem768 extends kem(KemId.MlKem768) {}
export class MlKem1024 extends kem(KemId.MlKem1024) {}
export class MlKem768P256 extends kem(KemId.MlKem768P256) {}
export class MlKem1024P384 extends kem(KemId.MlKem1024P384) {}
export class XWing extends kem(KemId.XWing) {}
