// The suite and its contexts.
import { Suite } from "../full/core.js";
import { attempt, badArgument, failure } from "./attempt.js";
import { buffer, copy, shortView, view } from "./bytes.js";
import { DecapError, DeserializeError, EncapError, ExportError, InvalidParamError,
    NotSupportedError, OpenError, SealError, SerializeError } from "./errors.js";
import { Kem } from "./kem.js";

/** RFC 9180, section 9.5. */
const SHORTEST_PSK = 32;
const EMPTY = new Uint8Array();

export class CipherSuite {
    #kem;
    #kdf;
    #aead;
    #suite;

    constructor(params) {
        const { kem, kdf, aead } = parameters(params, ["kem", "kdf", "aead"]);
        this.#kem = kem instanceof Kem ? kem : new Kem(idOf(kem, "kem"));
        this.#kdf = typeof kdf === "object" ? kdf : { id: kdf };
        this.#aead = typeof aead === "object" ? aead : { id: aead };
        this.#suite = attempt(InvalidParamError,
            () => new Suite(this.#kem.id, idOf(kdf, "kdf"), idOf(aead, "aead")));
    }

    get kem() {
        return this.#kem;
    }
    get kdf() {
        return this.#kdf;
    }
    get aead() {
        return this.#aead;
    }

    async createSenderContext(params) {
        const [recipient, options] = await this.#sender(params);
        const { enc, context } = attempt(EncapError,
            () => this.#suite.createSenderContext(recipient, options));
        return new SenderContext(context, buffer(enc));
    }

    async createRecipientContext(params) {
        const [enc, key, options] = await this.#recipient(params);
        return new RecipientContext(
            attempt(DecapError, () => this.#suite.createRecipientContext(enc, key, options)),
        );
    }

    async seal(params, pt, aad = EMPTY) {
        const [plaintext, bound] = [copy(pt, "pt"), copy(aad, "aad")];
        try {
            const [recipient, options] = await this.#sender(params);
            const { enc, ct } = attempt(EncapError, () =>
                this.#suite.seal(recipient, plaintext, { ...options, aad: bound }));
            return { ct: buffer(ct), enc: buffer(enc) };
        } finally {
            plaintext.fill(0);
        }
    }

    async open(params, ct, aad = EMPTY) {
        const [ciphertext, bound] = [copy(ct, "ct", OpenError), copy(aad, "aad", OpenError)];
        const [enc, key, options] = await this.#recipient(params);
        return buffer(
            attempt(DecapError,
                () => this.#suite.open(enc, key, ciphertext, { ...options, aad: bound })),
        );
    }

    async #sender(params) {
        if (params?.ekm !== undefined)
            throw new NotSupportedError(
                failure("bad_argument",
                    "ekm, which is only for tests, is not supported: leave it out"),
            );
        const options = shared(params, ["recipientPublicKey", "senderKey"], "ekm");
        if (params.senderKey !== undefined)
            options.senderKey = await this.#private(params.senderKey, EncapError, "senderKey");
        const key = params.recipientPublicKey;
        const Failure = this.#kem.auth && key?.type === "public" ? EncapError : SerializeError;
        return [await this.#kem.value(key, "public", Failure, "recipientPublicKey"), options];
    }

    async #recipient(params) {
        const options = shared(params, ["recipientKey", "enc", "senderPublicKey"]);
        const enc = copy(params.enc, "enc", this.#kem.auth ? DeserializeError : InvalidParamError);
        if (!this.#kem.auth && enc.byteLength !== this.#kem.encSize)
            throw new InvalidParamError(
                failure("deserialize",
                    `enc has ${enc.byteLength} bytes, and ${this.#kem.encSize} are needed`),
            );
        if (params.senderPublicKey !== undefined)
            options.senderPublicKey = await this.#kem.value(params.senderPublicKey, "public",
                DecapError, "senderPublicKey");
        const key = params.recipientKey;
        return [enc, await this.#private(key, this.#failureOf(key), "recipientKey"), options];
    }

    /** The class of @hpke/core for a recipient's key that is not one of this KEM. */
    #failureOf(key) {
        if (!this.#kem.auth) return SerializeError;
        return key?.privateKey || key?.type === "public" ? DecapError : DeserializeError;
    }

    /** Of a key or a key pair. */
    #private(key, Failure, name) {
        return this.#kem.value(key?.privateKey ?? key, "private", Failure, name);
    }
}

function idOf(algorithm, name) {
    const id = typeof algorithm === "object" ? algorithm?.id : algorithm;
    if (typeof id !== "number")
        throw badArgument(`${name} must be an algorithm of this package, or its id`);
    return id;
}

/**
 * An object whose members are all `known` or `unnamed`, which the message leaves out: a misspelt
 * `psk` would be ignored silently.
 */
function parameters(object, known, { within = "", unnamed } = {}) {
    if (typeof object !== "object" || object === null)
        throw badArgument(`${within || "params"} must be an object`);
    const full = (name) => within === "" ? name : `${within}.${name}`;
    const unknown = Object.keys(object).find((name) => !known.includes(name) && name !== unnamed);
    if (unknown !== undefined)
        throw badArgument(
            `unknown parameter ${full(unknown)}; the parameters are ${known.map(full).join(", ")}`,
        );
    return object;
}

/** What both sides have; `more` is what only one has. The suite would call psk.id pskId. */
function shared(params, more, unnamed) {
    const { info, psk } = parameters(params, ["info", "psk", ...more], { unnamed });
    const options = {};
    if (info !== undefined) options.info = copy(info, "info");
    if (psk === undefined) return options;
    const { id, key } = parameters(psk, ["id", "key"], { within: "psk" });
    options.psk = shortView(key, "psk.key").slice();
    options.pskId = shortView(id, "psk.id").slice();
    if (options.psk.byteLength < SHORTEST_PSK)
        throw new InvalidParamError(
            failure("invalid_psk", `psk.key must have at least ${SHORTEST_PSK} bytes`),
        );
    if (options.pskId.byteLength === 0)
        throw new InvalidParamError(failure("invalid_psk", "psk.id must not be empty"));
    return options;
}

class Context {
    #context;

    constructor(context) {
        this.#context = context;
    }

    async seal(data, aad = EMPTY) {
        return this.#run(SealError, "seal", view(data, "data"), view(aad, "aad"));
    }

    async open(data, aad = EMPTY) {
        return this.#run(OpenError, "open", view(data, "data", OpenError),
            view(aad, "aad", OpenError));
    }

    async export(exporterContext, length) {
        if (!Number.isInteger(length) || length < 0)
            throw badArgument("length must be a whole number of bytes", ExportError);
        return this.#run(ExportError, "export", shortView(exporterContext, "exporterContext"),
            length);
    }

    /** Overwrites its keys now, and not when it is collected. */
    free() {
        this.#context.free();
    }

    #run(Failure, name, ...inputs) {
        if (typeof this.#context[name] !== "function")
            throw new NotSupportedError(failure("bad_argument", `this context does not ${name}`));
        return buffer(attempt(Failure, () => this.#context[name](...inputs)));
    }
}

class RecipientContext extends Context {}

class SenderContext extends Context {
    constructor(context, enc) {
        super(context);
        this.enc = enc;
    }
}
