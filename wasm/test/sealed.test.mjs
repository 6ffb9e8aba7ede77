// Sealed values other than matched data, by the vectors of crates/sealed. RSA is that of Node's
// WebCrypto.
import assert from "node:assert/strict";
import { createHash, createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { decryptPem, encrypt } from "../pkg/dist/files/index.js";
import { KeyRing, PqsealError, PrivateKey, SealedKeys, inspectSealed, readKeys,
    sealedKind } from "../pkg/dist/sealed/index.js";

const json = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8"));
const vectors = (name) => json(`test-vectors/data/${name}.json`).entries;
const gateway = json("crates/sealed/tests/ai_gateway.json");
const jwes = ["jose-hpke", "jose-hpke-pq"].flatMap(vectors);
const receipts = vectors("receipts");
const age = vectors("age-kit").filter(({ armored, passphrases, expect }) =>
    armored && !passphrases.length && expect === "success"
).map(({ compressed, file, ...vector }) => {
    const bytes = Buffer.from(file, "hex");
    return { ...vector, text: (compressed ? inflateSync(bytes) : bytes).toString("latin1") };
});
const rsa = gateway.keys;
const text = (value) => (typeof value === "string" ? value : JSON.stringify(value));
const utf8 = (value) => new TextEncoder().encode(text(value));
const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** Keys of these files, in their order: those of a ring first. */
async function keysOf(...files) {
    const read = await Promise.all(files.map(readKeys));
    const ring = new KeyRing();
    for (const key of read.flatMap(({ keys }) => keys)) {
        ring.add(key);
        key.free();
    }
    const keys = new SealedKeys(ring);
    ring.free();
    for (const key of read.flatMap(({ others }) => others)) keys.add(key);
    return keys;
}

/** Opens values at once. Of each, the plaintext and the index of its key, or its error. */
async function openAll(keys, values, options) {
    const parts = values.map(utf8);
    let end = 0;
    const ends = Uint32Array.from(parts, ({ length }) => (end += length));
    const results = await keys.openPacked(Buffer.concat(parts), ends, options);
    const errors = results.errors.values();
    return values.map((_, i) => {
        const key = results.keys[i];
        const plaintext = results.plaintexts.subarray(results.ends[i - 1] ?? 0, results.ends[i]);
        return key < keys.keyIds.length ? { key, plaintext } : errors.next().value;
    });
}

const openOne = async (keys, value, options) => (await openAll(keys, [value], options))[0];
const codeOf = async (keys, value, options) => (await openOne(keys, value, options)).code;
const wrong = "it was sealed to another key, or altered";

test("each kind opens by its vectors, all at once", async () => {
    const x25519 = receipts.map(({ sk_r: key }) => Buffer.from(key, "hex").toString("base64"));
    const identities = [...new Set(age.flatMap(({ identities }) => identities))];
    const jwks = jwes.map(({ jwk }) => JSON.stringify(jwk));
    const keys = await keysOf(...x25519, ...jwks, ...Object.values(rsa), ...identities);
    const all = [
        ...gateway.objects.map((
            { value, text, key },
        ) => ["ai-gateway", value, sha256(text), Object.keys(rsa).indexOf(key)]),
        ...receipts.map(({ envelope, pt_sha256: hash }) => ["agent-receipt", envelope, hash]),
        ...jwes.map(({ compact }) => ["jwe", compact]),
        ...age.map(({ text, payload_sha256: hash }) => ["age", text, hash]),
    ];
    assert.deepEqual([gateway.objects.length, receipts.length, jwes.length, age.length], [27, 2, 26,
        6]);
    const opened = await openAll(keys, all.map(([, value]) => value));
    all.forEach(([kind, value, hash, place], i) => {
        assert.equal(sealedKind(text(value)), kind);
        const { plaintext, key, ...error } = opened[i];
        assert.deepEqual(error, {}, kind);
        if (hash) assert.equal(sha256(plaintext), hash, kind);
        else assert.match(Buffer.from(plaintext).toString(), /^You can trust us/);
        if (place !== undefined)
            assert.equal(key, x25519.length + jwks.length + place, keys.keyIds[key]);
        const found = inspectSealed(utf8(value));
        assert.equal(found.kind, kind);
        if (kind !== "jwe") assert.equal(found.plaintextLength, plaintext.length);
    });
    assert.deepEqual(inspectSealed(text(gateway.objects.at(-1).value)), {
        kind: "ai-gateway",
        algorithm: "RSA-OAEP with SHA-256, AES-256-GCM",
        rsaBits: 4096,
        kid: undefined,
        plaintextLength: 0,
    });
    assert.equal(inspectSealed(text(receipts[0].envelope)).kid,
        receipts[0].envelope.recipients[0].kid);
    keys.free();
});

/** The first object, to the key of 2,048 bits, with a member changed. */
function changed(name, change) {
    const value = { ...gateway.objects[0].value };
    const bytes = Buffer.from(value[name], "base64");
    return { ...value, [name]: (change(bytes) ?? bytes).toString("base64") };
}
const flip = (at) => (bytes) => void (bytes[at] ^= 1);
const resize = (size) => (bytes) => Buffer.concat([bytes, Buffer.alloc(size)], size);

test("what does not unwrap and what has a wrong tag are one error", async () => {
    const keys = await keysOf(rsa["2048"]);
    const altered = ["key", "iv", "data"].flatMap((name) =>
        [0, 11].map((at) => changed(name, flip(at)))
    );
    const above = changed("key", (bytes) => bytes.fill(255));
    const others = [...Object.values(gateway.refused), ...altered, above];
    assert.equal(others.length, 11);
    // The second time what was unwrapped is known.
    for (let time = 0; time < 2; time++)
        for (const error of await openAll(keys, others))
            assert.deepEqual(error, { code: "no_key_matched", message: wrong });
    const [other] = Object.values(await readKeys(rsa["2048"])).at(-1);
    assert.equal((await openOne(keys, gateway.objects[0].value)).key, 0, other.keyId);
});

test("hostile values have their reasons, and stop no other", async () => {
    const keys = await keysOf(rsa["2048"]);
    const envelope = (change) => {
        const value = structuredClone(receipts[0].envelope);
        change(value);
        return value;
    };
    const jwe = jwes.find(({ alg }) => alg === "HPKE-9").compact;
    const withHeader = (header) => jwe.replace(/^[^.]*/, Buffer.from(header).toString("base64url"));
    const recipients = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
    const cases = [
        ...[0, 11, 13, 16].map((size) => [changed("iv", resize(size)), "bad_iv"]),
        ...[0, 15].map((size) => [changed("data", resize(size)), "bad_length"]),
        ...[0, 255, 513, 100_000].map((size) => [changed("key", resize(size)), "bad_length"]),
        ...[257, 384].map((size) => [changed("key", resize(size)), "no_key_matched"]),
        [{ ...gateway.objects[0].value, iv: "no base64!" }, "bad_base64"],
        [gateway.objects.at(-1).value, "no_key_matched"],
        [envelope((value) => (value.v = "2")), "unsupported_version"],
        [envelope((value) => (value.alg = "hpke")), "unsupported_suite"],
        [envelope((value) => (value.nonce = "AA")), "bad_object"],
        [envelope((value) => (value.recipients = [])), "recipient_count"],
        [envelope((value) => (value.recipients = Array(10_000).fill(value.recipients[0]))),
            "recipient_count"],
        [envelope((value) => (value.ct = "AAAA")), "bad_length"],
        [envelope((value) => (value.ct += " ")), "bad_base64"],
        [receipts[0].envelope, "wrong_kem"],
        [jwe, "wrong_kem"],
        [withHeader("{\"alg\":\"RSA-OAEP-256\",\"enc\":\"A256GCM\"}"), "unsupported_suite"],
        [withHeader("{\"alg"), "malformed"],
        [age[0].text, "wrong_kem"],
        [new TextDecoder().decode(encrypt(Array(101).fill(recipients), utf8(""), { armor: true })),
            "recipient_count"],
    ];
    const opened = await openAll(keys, [...cases.map(([value]) => value),
        gateway.objects[1].value]);
    cases.forEach(([value, code], i) =>
        assert.equal(opened[i].code, code, `${text(value).slice(0, 200)} ${opened[i].message}`)
    );
    assert.equal(Buffer.from(opened.at(-1).plaintext).toString(), gateway.objects[1].text);
});

test("values in the clear and matched data are not sealed, and a kind may be given", async () => {
    const keys = await keysOf(rsa["2048"]);
    for (const clear of ["", "AxzJ", "{", "{}", "[]", "null", "{\"type\":\"text\"}", "eyJ.a.b"]) {
        assert.equal(sealedKind(clear), undefined, clear);
        assert.equal(inspectSealed(clear), undefined, clear);
        assert.equal(await codeOf(keys, clear), "not_sealed", clear);
        for (const kind of ["ai-gateway", "agent-receipt", "age"])
            assert.equal(await codeOf(keys, clear, { kind }), "not_sealed", clear);
    }
    const incomplete = { type: "encrypted", size: 5 };
    assert.equal(sealedKind(text(incomplete)), undefined);
    assert.equal(await codeOf(keys, incomplete, { kind: "ai-gateway" }), "bad_object");
    assert.equal(await codeOf(keys, gateway.objects[0].value, { kind: "jwe" }), "not_sealed");
    const { code } = await openOne(await keysOf(), gateway.objects[0].value);
    assert.equal(code, "wrong_kem");
    assert.throws(() => inspectSealed(text(changed("iv", resize(11)))), { code: "bad_iv" });
    for (const options of [{ kind: "matched-data" }, { kind: 1 }, { kinds: "jwe" }])
        await assert.rejects(openOne(keys, "", options),
            (error) => error instanceof PqsealError && error.code === "bad_argument");
    assert.throws(() => new SealedKeys({}), { code: "bad_argument" });
    for (const key of [undefined, {}, { kind: "age", secret: "text" }, { secret: 1 }])
        assert.throws(() => keys.add(key), { code: "bad_argument" });
    keys.free();
    await assert.rejects(openOne(keys, ""), { code: "freed" });
});

test("RSA keys in PEM and DER, under a passphrase too, and not extractable", async () => {
    const node = createPrivateKey(rsa["4096"]);
    const form = (type, format) => node.export({ type, format });
    const locked = node.export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "a passphrase",
    });
    const forms = [form("pkcs1", "pem"), form("pkcs8", "pem"), form("pkcs1", "der"),
        form("pkcs8", "der"), decryptPem(locked, { passphrase: "a passphrase" })];
    const last = gateway.objects.at(-2);
    for (const file of forms) {
        const { keys, others: [key] } = await readKeys(file);
        assert.deepEqual([keys, key.kind, key.description], [[], "ai-gateway",
            "RSA with 4096 bits"]);
        assert.equal(key.secret.extractable, false);
        assert.deepEqual(key.secret.usages, ["decrypt"]);
        const { plaintext } = await openOne(await keysOf(file), last.value);
        assert.equal(Buffer.from(plaintext).toString(), last.text);
        // As a helper of the page gets it.
        assert.deepEqual(Object.keys(structuredClone(key)), Object.keys(key));
    }
    const [one, two] = await Promise.all([rsa["2048"], forms[0]].map(readKeys));
    assert.notEqual(one.others[0].keyId, two.others[0].keyId);
    for (const damaged of [form("pkcs1", "der").subarray(0, -1), forms[0].replace("MIIJ", "MIIK")])
        await assert.rejects(readKeys(damaged), { code: "bad_key", name: "PqsealError" });
    await assert.rejects(readKeys("no key"), { code: "bad_key" });
    await assert.rejects(readKeys(1), { code: "bad_argument" });
});

test("a file has keys of several kinds, with labels", async () => {
    const x25519 = Buffer.from(receipts[0].sk_r, "hex").toString("base64");
    const [identity] = age[0].identities;
    const file = `# created: now\n# public key: age1x\n${identity} # of the mail gate\n${x25519}\n`;
    const { keys, others: [key] } = await readKeys(file);
    assert.ok(keys[0] instanceof PrivateKey);
    assert.deepEqual({ ...key, secret: Buffer.from(key.secret).toString() }, {
        kind: "age",
        keyId: key.keyId,
        label: "of the mail gate",
        description: "x25519, an age identity",
        secret: identity,
    });
    await assert.rejects(readKeys(identity.replace("AGE-SECRET-KEY-1E", "AGE-SECRET-KEY-1Q")), {
        code: "bad_key",
    });
});

test("at most 1,024 unwrapped keys are kept, equal ones once, and overwritten by free", async (t) => {
    const { decrypt } = crypto.subtle;
    const made = [];
    t.mock.method(crypto.subtle, "decrypt", async (...inputs) => {
        const key = await decrypt.apply(crypto.subtle, inputs);
        made.push(new Uint8Array(key));
        return key;
    });
    const keys = await keysOf(rsa["2048"]);
    const { value, text } = gateway.objects[0];
    const same = await openAll(keys, Array(300).fill(value));
    assert.ok(same.every(({ plaintext }) => Buffer.from(plaintext).toString() === text));
    await openOne(keys, value);
    assert.equal(made.length, 1);
    // None of these unwraps, and each is kept as well.
    const others = Array.from({ length: 1200 },
        (_, i) => changed("key", (bytes) => void bytes.writeUInt32BE(i, 100)));
    assert.ok((await openAll(keys, others)).every(({ code }) => code === "no_key_matched"));
    assert.ok(made[0].every((byte) => byte === 0), "all were dropped");
    await openOne(keys, value);
    assert.equal(made.length, 2);
    assert.ok(made[1].some((byte) => byte !== 0));
    keys.free();
    assert.ok(made[1].every((byte) => byte === 0), "freed");
});

test("keys that are unwrapped while the object is freed are overwritten", async (t) => {
    const { decrypt } = crypto.subtle;
    let made;
    t.mock.method(crypto.subtle, "decrypt",
        async (...inputs) => (made = await decrypt.apply(crypto.subtle, inputs)));
    const keys = await keysOf(rsa["2048"]);
    const opened = openOne(keys, gateway.objects[0].value);
    keys.free();
    await assert.rejects(opened, { code: "freed" });
    assert.ok(new Uint8Array(made).every((byte) => byte === 0));
});

test("without WebCrypto RSA keys are refused, and others are read", async (t) => {
    t.mock.getter(globalThis, "crypto", () => ({}));
    await assert.rejects(readKeys(rsa["2048"]), { code: "no_webcrypto", name: "PqsealError" });
    assert.equal((await readKeys(age[0].identities[0])).others.length, 1);
});
