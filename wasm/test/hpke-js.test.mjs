// How hpke-js is used: each test runs the same program with @hpke/core and with pqseal/hpke-js.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { DHKEMS, POST_QUANTUM, both, hex, ours, suiteOf, text, theirs, utf8 } from "./hpke-js.mjs";

const KEMS = [...DHKEMS, ...POST_QUANTUM];
const psk = { id: utf8("our psk"), key: new Uint8Array(32).fill(7) };
const CODES = [
    ...readFileSync(new URL("../src/types.ts", import.meta.url), "utf8").matchAll(
        /^ {4}\| "(\w+)"/gm,
    ),
].map(([, code]) => code);

/** Runs a program with both. */
function program(name, run) {
    for (const [library, hpke] of both) test(`${library}: ${name}`, () => run(hpke));
}

/** It is rejected with an error of that class, which has a message. */
const fails = (hpke, name, promise) =>
    assert.rejects(promise, (error) => {
        assert.ok(error instanceof hpke[name], `${error.name} and not ${name}: ${error.message}`);
        assert.ok(error instanceof hpke.HpkeError && error instanceof Error);
        assert.equal(error.name, name);
        assert.ok(error.message.length > 0);
        if (hpke === ours)
            assert.ok(CODES.includes(error.code),
                `${name} has the code ${error.code}: ${error.message}`);
        return true;
    });

/**
 * It fails in the adapter with that class, code and message, and with the error of `pqseal` as its
 * cause.
 */
const failsWith = (name, code, message, action) =>
    assert.rejects(async () => action(), (error) => {
        assert.deepEqual([error.name, error.code], [name, code], error.stack);
        assert.ok(error instanceof ours[name] && error.cause instanceof Error);
        assert.match(error.message, message);
        return true;
    });

/** Both contexts of a fresh key. */
async function contexts(hpke, kem = "DhkemX25519HkdfSha256",
    { sender = {}, recipient = {}, aead } = {})
{
    const suite = suiteOf(hpke, kem, "HkdfSha256", aead);
    const keys = await suite.kem.generateKeyPair();
    const from = await suite.createSenderContext({ recipientPublicKey: keys.publicKey, ...sender });
    const to = await suite.createRecipientContext({
        recipientKey: keys.privateKey,
        enc: from.enc,
        ...recipient,
    });
    return { suite, keys, from, to };
}

program("a message through contexts, and one by each single call", async (hpke) => {
    for (const kem of KEMS) {
        const { suite, keys, from, to } = await contexts(hpke, kem);
        assert.equal(text(await to.open(await from.seal(utf8("one")))), "one");
        assert.equal(text(await to.open(await from.seal(utf8("two"), utf8("aad")), utf8("aad"))),
            "two");
        const { ct, enc } = await suite.seal({
            recipientPublicKey: keys.publicKey,
            info: utf8("info"),
        }, utf8("three"), utf8("aad"));
        // A pair is taken for its private key.
        assert.equal(
            text(
                await suite.open({ recipientKey: keys, enc, info: utf8("info") }, ct, utf8("aad")),
            ),
            "three",
        );
    }
});

program("psk, auth and both at once", async (hpke) => {
    for (const kem of DHKEMS) {
        const suite = suiteOf(hpke, kem, "HkdfSha512", "Aes256Gcm");
        const [keys, sender] = await Promise.all([suite.kem.generateKeyPair(),
            suite.kem.generateKeyPair()]);
        const from = {
            psk: { psk },
            auth: { senderKey: sender },
            authPsk: { psk, senderKey: sender.privateKey },
        };
        const to = {
            psk: { psk },
            auth: { senderPublicKey: sender.publicKey },
            authPsk: { psk, senderPublicKey: sender.publicKey },
        };
        for (const mode of Object.keys(from)) {
            const { ct, enc } = await suite.seal({
                recipientPublicKey: keys.publicKey,
                ...from[mode],
            }, utf8(mode));
            assert.equal(
                text(await suite.open({ recipientKey: keys.privateKey, enc, ...to[mode] }, ct)),
                mode,
            );
            await fails(hpke, "OpenError", suite.open({ recipientKey: keys.privateKey, enc }, ct));
        }
    }
});

program("both sides export the same, with each AEAD", async (hpke) => {
    for (const aead of ["ExportOnly", "Chacha20Poly1305"]) {
        const { from, to } = await contexts(hpke, "DhkemP256HkdfSha256", { aead });
        const [sent, received, other] = await Promise.all([from.export(utf8("a"), 48),
            to.export(utf8("a"), 48), to.export(utf8("b"), 48)]);
        assert.equal(sent.byteLength, 48);
        assert.equal(hex(sent), hex(received));
        assert.notEqual(hex(sent), hex(other));
        await fails(hpke, "ExportError", from.export(utf8("a"), 255 * 32 + 1));
        await fails(hpke, "InvalidParamError", to.export(new Uint8Array(8193), 32));
    }
});

program("what a context does not do is not supported", async (hpke) => {
    const { from, to } = await contexts(hpke);
    await fails(hpke, "NotSupportedError", from.open(new Uint8Array(32)));
    await fails(hpke, "NotSupportedError", to.seal(new Uint8Array(32)));
    const exporters = await contexts(hpke, "DhkemP256HkdfSha256", { aead: "ExportOnly" });
    await fails(hpke, "NotSupportedError", exporters.from.seal(utf8("text")));
    await fails(hpke, "NotSupportedError", exporters.to.open(new Uint8Array(32)));
});

program("what was altered does not open, and the next message does", async (hpke) => {
    const { from, to } = await contexts(hpke, "DhkemP384HkdfSha384", {
        sender: { info: utf8("info") },
        recipient: { info: utf8("info") },
    });
    const ct = await from.seal(utf8("text"), utf8("aad"));
    const altered = new Uint8Array(ct.slice());
    altered[0] ^= 1;
    await fails(hpke, "OpenError", to.open(altered, utf8("aad")));
    await fails(hpke, "OpenError", to.open(ct, utf8("another aad")));
    await fails(hpke, "OpenError", to.open(new Uint8Array(3), utf8("aad")));
    assert.equal(text(await to.open(ct, utf8("aad"))), "text");
    const other = await contexts(hpke, "DhkemP384HkdfSha384", {
        sender: { info: utf8("a") },
        recipient: { info: utf8("b") },
    });
    await fails(hpke, "OpenError", other.to.open(await other.from.seal(utf8("text"))));
});

program("messages that are sealed at once keep their order", async (hpke) => {
    const { from, to } = await contexts(hpke);
    const sealed = await Promise.all(["0", "1", "2", "3"].map((n) => from.seal(utf8(n))));
    assert.deepEqual((await Promise.all(sealed.map((ct) => to.open(ct)))).map(text), ["0", "1", "2",
        "3"]);
});

program("bytes come as ArrayBuffer, as a view and as a part of one", async (hpke) => {
    const { suite, keys, from, to } = await contexts(hpke);
    const within = new Uint8Array([...utf8("--text--")]).subarray(2, 6);
    const forms = [within, within.slice().buffer, new DataView(within.buffer, 2, 4),
        Buffer.from("text")];
    for (const form of forms) {
        const ct = await from.seal(form, form);
        assert.equal(hex(ct).length / 2, 20);
        assert.equal(hex(await to.open(Buffer.from(ct), form)),
            Buffer.from("text").toString("hex"));
    }
    const raw = await suite.kem.serializePublicKey(keys.publicKey);
    const longer = new Uint8Array([1, ...new Uint8Array(raw), 1]);
    assert.equal(
        hex(await suite.kem.serializePublicKey(
            await suite.kem.deserializePublicKey(longer.subarray(1, 33)),
        )),
        hex(raw),
    );
});

/** For P-521 @hpke/core says 64, writes 66 bytes and reads only 66. */
const privateKeySize = (kem) => kem instanceof theirs.DhkemP521HkdfSha512 ? 66 : kem.privateKeySize;

program("keys are written and read again", async (hpke) => {
    for (const name of KEMS) {
        const kem = new hpke[name]();
        const keys = await kem.generateKeyPair();
        const [publicKey, privateKey] = [await kem.serializePublicKey(keys.publicKey),
            await kem.serializePrivateKey(keys.privateKey)];
        assert.deepEqual([publicKey.byteLength, privateKey.byteLength], [kem.publicKeySize,
            privateKeySize(kem)]);
        const [publicAgain, privateAgain] = [await kem.deserializePublicKey(publicKey),
            await kem.deserializePrivateKey(privateKey)];
        assert.equal(hex(await kem.serializePublicKey(publicAgain)), hex(publicKey));
        assert.equal(hex(await kem.serializePrivateKey(privateAgain)), hex(privateKey));
        assert.equal(hex(await kem.serializePublicKey(await kem.importKey("raw", publicKey))),
            hex(publicKey));
        assert.equal(
            hex(await kem.serializePrivateKey(await kem.importKey("raw", privateKey, false))),
            hex(privateKey),
        );
        const suite = suiteOf(hpke, name);
        const { ct, enc } = await suite.seal({ recipientPublicKey: publicAgain }, utf8("text"));
        assert.equal(enc.byteLength, kem.encSize);
        assert.equal(text(await suite.open({ recipientKey: privateAgain, enc }, ct)), "text");
    }
});

/** A key pair as JWK, made by neither library. */
async function jwkPair(name) {
    const curve = name.match(/P(\d+)|X\d+/)[0].replace("P", "P-");
    const algorithm = curve.startsWith("P") ? { name: "ECDH", namedCurve: curve } : { name: curve };
    const pair = await crypto.subtle.generateKey(algorithm, true, ["deriveBits"]);
    const [publicKey, privateKey] = await Promise.all(
        [pair.publicKey, pair.privateKey].map((key) => crypto.subtle.exportKey("jwk", key)),
    );
    return { publicKey, privateKey };
}

program("JWK of curves", async (hpke) => {
    for (const name of DHKEMS) {
        const { publicKey, privateKey } = await jwkPair(name);
        const suite = suiteOf(hpke, name);
        const recipientPublicKey = await suite.kem.importKey("jwk", publicKey, true);
        const { ct, enc } = await suite.seal({ recipientPublicKey }, utf8("text"));
        assert.equal(
            text(
                await suite.open({
                    recipientKey: await suite.kem.importKey("jwk", privateKey, false),
                    enc,
                }, ct),
            ),
            "text",
        );
        const { crv, ...without } = publicKey;
        for (const wrong of [without, { ...publicKey, crv: "P-999" }, privateKey])
            await fails(hpke, "DeserializeError", suite.kem.importKey("jwk", wrong, true));
        await fails(hpke, "DeserializeError", suite.kem.importKey("jwk", publicKey, false));
    }
});

test("a private JWK has its own public key", async () => {
    for (const name of DHKEMS) {
        const kem = suiteOf(ours, name).kem;
        const { publicKey, privateKey } = await jwkPair(name);
        const other = (await jwkPair(name)).publicKey;
        for (const member of ["x", "y"].filter((member) => member in publicKey)) {
            const { [member]: _, ...without } = privateKey;
            for (
                const wrong of [without, { ...privateKey, [member]: other[member] }, {
                    ...privateKey,
                    [member]: "",
                }]
            )
                await failsWith("DeserializeError", "bad_key", /./, () =>
                    kem.importKey("jwk", wrong, false));
        }
        const { x, y } = other;
        await failsWith("DeserializeError", "bad_key", /belong/, () =>
            kem.importKey("jwk", JSON.parse(JSON.stringify({ ...privateKey, x, y })), false));
        await kem.importKey("jwk", privateKey, false);
    }
    const kem = new ours.XWing();
    const [one, other] = await Promise.all([1, 2].map(async () => (await kem.generateKeyPair())));
    const base64url = (buffer) => Buffer.from(buffer).toString("base64url");
    const priv = base64url(await kem.serializePrivateKey(one.privateKey)),
        pub = base64url(await kem.serializePublicKey(other.publicKey));
    await failsWith("DeserializeError", "bad_key", /belong/,
        () => kem.importKey("jwk", { kty: "AKP", alg: "X-Wing", priv, pub }, false));
});

program("JWK of post-quantum keys", async (hpke) => {
    const alg = {
        MlKem512: "ML-KEM-512",
        MlKem768: "ML-KEM-768",
        MlKem1024: "ML-KEM-1024",
        XWing: "X-Wing",
    };
    const base64url = (buffer) => Buffer.from(buffer).toString("base64url");
    for (const name of POST_QUANTUM) {
        const kem = new hpke[name]();
        const { publicKey, privateKey } = await kem.generateKeyPair();
        const jwk = {
            kty: "AKP",
            alg: alg[name],
            pub: base64url(await kem.serializePublicKey(publicKey)),
        };
        assert.equal(hex(await kem.serializePublicKey(await kem.importKey("jwk", jwk))),
            hex(await kem.serializePublicKey(publicKey)));
        const secret = {
            kty: "AKP",
            alg: alg[name],
            priv: base64url(await kem.serializePrivateKey(privateKey)),
            key_ops: ["deriveBits"],
        };
        assert.equal(hex(await kem.serializePrivateKey(await kem.importKey("jwk", secret, false))),
            hex(await kem.serializePrivateKey(privateKey)));
        await fails(hpke, "DeserializeError", kem.importKey("jwk", { ...jwk, alg: "ML-KEM-42" }));
        await fails(hpke, "DeserializeError", kem.importKey("jwk", jwk, false));
    }
});

program("what is no key", async (hpke) => {
    for (const name of KEMS) {
        const kem = new hpke[name]();
        await fails(hpke, "DeserializeError",
            kem.deserializePublicKey(new Uint8Array(kem.publicKeySize - 1)));
        await fails(hpke, "DeserializeError",
            kem.deserializePrivateKey(new Uint8Array(kem.privateKeySize + 1)));
        await fails(hpke, "DeserializeError", kem.importKey("raw", new ArrayBuffer(1)));
        if (name.startsWith("DhkemP"))
            await fails(hpke, "DeserializeError",
                kem.deserializePublicKey(new Uint8Array(kem.publicKeySize).fill(4)));
    }
    const [curve, other] = [suiteOf(hpke, "DhkemP256HkdfSha256"),
        suiteOf(hpke, "DhkemP384HkdfSha384")];
    const keys = await other.kem.generateKeyPair();
    await assert.rejects(curve.createSenderContext({ recipientPublicKey: keys.publicKey }),
        hpke.HpkeError);
    await fails(hpke, "SerializeError",
        curve.createSenderContext({ recipientPublicKey: keys.privateKey }));
    await fails(hpke, "SerializeError",
        curve.kem.serializePrivateKey((await curve.kem.generateKeyPair()).publicKey));
});

program("what a suite refuses", async (hpke) => {
    const { suite, keys, from } = await contexts(hpke, "DhkemP256HkdfSha256");
    const sender = (psk) => suite.createSenderContext({ recipientPublicKey: keys.publicKey, psk });
    await fails(hpke, "InvalidParamError", sender({ id: utf8("id"), key: new Uint8Array(31) }));
    await fails(hpke, "InvalidParamError", sender({ id: utf8("id"), key: new Uint8Array(8193) }));
    await fails(hpke, "InvalidParamError", sender({ id: new Uint8Array(8193), key: psk.key }));
    await fails(hpke, "InvalidParamError",
        sender({ id: new Uint8Array(0), key: new Uint8Array(0) }));
    await fails(hpke, "InvalidParamError", suite.kem.deriveKeyPair(new Uint8Array(8193)));
    const recipient = (enc) => suite.createRecipientContext({ recipientKey: keys, enc });
    await fails(hpke, "DeserializeError", recipient(new Uint8Array(from.enc).subarray(1)));
    await fails(hpke, "DeserializeError", recipient(new Uint8Array(65).fill(4)));
    for (const name of POST_QUANTUM) {
        const { suite, keys } = await contexts(hpke, name);
        await fails(hpke, "InvalidParamError",
            suite.createRecipientContext({ recipientKey: keys, enc: new Uint8Array(32) }));
    }
    // A point of low order: its multiples are zero.
    const low = await contexts(hpke);
    await fails(hpke, "DecapError",
        low.suite.createRecipientContext({ recipientKey: low.keys, enc: new Uint8Array(32) }));
    const recipientPublicKey = await low.suite.kem.deserializePublicKey(new Uint8Array(32));
    await fails(hpke, "EncapError", low.suite.createSenderContext({ recipientPublicKey }));
});

program("keys of WebCrypto", async (hpke) => {
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
        "deriveBits",
    ]);
    const suite = suiteOf(hpke, "DhkemP256HkdfSha256");
    const { ct, enc } = await suite.seal({ recipientPublicKey: pair.publicKey, senderKey: pair },
        utf8("text"));
    assert.equal(
        text(await suite.open({ recipientKey: pair, enc, senderPublicKey: pair.publicKey }, ct)),
        "text",
    );
    assert.equal((await suite.kem.serializePrivateKey(pair.privateKey)).byteLength, 32);
});

test("names, ids, sizes and keys look the same", async () => {
    for (const ids of ["KemId", "KdfId", "AeadId"])
        assert.deepEqual({ ...ours[ids], ...theirs[ids] }, { ...ours[ids] });
    for (const name of Object.keys(theirs).filter((name) => /Error$/.test(name)))
        assert.ok(new ours[name]("why") instanceof ours.HpkeError, name);
    const missing = Object.keys(theirs).filter((name) => !(name in ours));
    assert.deepEqual(missing.sort(), ["X25519", "X448"]);
    for (
        const name of [...KEMS, "HkdfSha256", "HkdfSha384", "HkdfSha512", "Aes128Gcm", "Aes256Gcm",
            "Chacha20Poly1305", "ExportOnly"]
    ) {
        const [their, our] = [new theirs[name](), new ours[name]()];
        for (
            const member of ["id", "hashSize", "keySize", "nonceSize", "tagSize", "secretSize",
                "encSize", "publicKeySize"]
        )
            assert.equal(our[member], their[member], `${name}.${member}`);
        assert.equal(our.privateKeySize, privateKeySize(their), name);
    }
    for (const name of KEMS) {
        const [their, our] = await Promise.all(
            [theirs, ours].map((hpke) => new hpke[name]().generateKeyPair()),
        );
        for (const type of ["publicKey", "privateKey"])
            for (const member of ["type", "algorithm", "extractable"])
                assert.deepEqual(our[type][member], their[type][member], `${name}: ${member}`);
    }
});

test("what only the adapter does", async () => {
    const { AeadId, CipherSuite, KdfId, KemId } = ours;
    const suite = new CipherSuite({
        kem: KemId.MlKem768P256,
        kdf: KdfId.TurboShake256,
        aead: AeadId.Chacha20Poly1305,
    });
    const keys = await suite.kem.generateKeyPair();
    const { ct, enc } = await suite.seal({ recipientPublicKey: keys.publicKey }, utf8("text"));
    assert.equal(text(await suite.open({ recipientKey: keys, enc }, ct)), "text");
    for (const key of [keys.publicKey, keys.privateKey]) {
        assert.throws(() => structuredClone(key), { code: "bad_argument" });
        assert.equal(JSON.parse(JSON.stringify(key)).type, key.type);
    }
    await fails(ours, "NotSupportedError",
        suite.createSenderContext({ recipientPublicKey: keys.publicKey, senderKey: keys }));
    await fails(ours, "NotSupportedError",
        suite.createSenderContext({ recipientPublicKey: keys.publicKey, ekm: new Uint8Array(64) }));
    await fails(ours, "InvalidParamError", suite.createSenderContext({
        recipientPublicKey: keys.publicKey,
        psk: { ...psk, id: new Uint8Array() },
    }));
    await fails(ours, "InvalidParamError",
        suite.seal({ recipientPublicKey: keys.publicKey }, "text"));
    assert.throws(() => new CipherSuite({ kem: KemId.DhkemSecp256k1HkdfSha256, kdf: 1, aead: 1 }),
        ours.NotSupportedError);
    assert.throws(() => new CipherSuite({ kem: "x25519", kdf: 1, aead: 1 }),
        ours.InvalidParamError);

    // Keys of a module of @hpke, and X25519 keys of WebCrypto.
    const x25519 = suiteOf(ours, "DhkemX25519HkdfSha256");
    const native = await crypto.subtle.generateKey({ name: "X25519" }, true, ["deriveBits"]);
    for (const pair of [await new theirs.DhkemX25519HkdfSha256().generateKeyPair(), native]) {
        const sealed = await x25519.seal({ recipientPublicKey: pair.publicKey }, utf8("text"));
        assert.equal(text(await x25519.open({ recipientKey: pair, enc: sealed.enc }, sealed.ct)),
            "text");
    }
    const locked = await crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"]);
    await fails(ours, "SerializeError", x25519.kem.serializePrivateKey(locked.privateKey));
    await assert.rejects(x25519.kem.serializePrivateKey(locked.privateKey), /not extractable/);

    // Nothing secret is in what is printed, and free() takes the key away.
    const { privateKey } = await x25519.kem.generateKeyPair();
    const secret = [...new Uint8Array(await x25519.kem.serializePrivateKey(privateKey))].join(", ");
    assert.doesNotMatch(
        JSON.stringify(privateKey)
            + (await import("node:util")).inspect(privateKey, { showHidden: true, depth: 9 }),
        new RegExp(secret),
    );
    privateKey.free();
    await fails(ours, "SerializeError", x25519.kem.serializePrivateKey(privateKey));
});

const x25519 = () => contexts(ours);

test("arguments that are not bytes have a code", async () => {
    const { suite, keys, from, to } = await x25519();
    const params = { recipientPublicKey: keys.publicKey };
    const bytes = (name, action, Failure = "InvalidParamError") =>
        failsWith(Failure, "bad_argument", new RegExp(`^${name} must be`), action);
    await bytes("pt", () => suite.seal(params, "text"));
    await bytes("aad", () => suite.seal(params, utf8("text"), "aad"));
    await bytes("ct", () => suite.open({ recipientKey: keys, enc: from.enc }, "text"), "OpenError");
    await bytes("enc", () => suite.createRecipientContext({ recipientKey: keys }),
        "DeserializeError");
    await bytes("info", () => suite.createSenderContext({ ...params, info: null }));
    await bytes("psk.key", () => suite.createSenderContext({ ...params, psk: { id: psk.id } }));
    await bytes("psk.id", () => suite.createSenderContext({ ...params, psk: { key: psk.key } }));
    await bytes("data", () => from.seal("text"));
    await bytes("aad", () => to.open(new Uint8Array(16), 5), "OpenError");
    await bytes("exporterContext", () => from.export("context", 32));
    await bytes("length", () => from.export(utf8("context"), "32"), "ExportError");
    await bytes("ikm", () => suite.kem.deriveKeyPair("ikm"), "DeriveKeyPairError");
    await bytes("key", () => suite.kem.deserializePublicKey("key"), "DeserializeError");
    await bytes("key", () => suite.kem.importKey("raw", "key"), "DeserializeError");
    const transferred = new Uint8Array(4);
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] });
    for (const gone of [transferred, transferred.buffer])
        await bytes("pt", () => suite.seal(params, gone));
});

test("psks, lengths and calls that are refused have a code", async () => {
    const { suite, keys, from, to } = await x25519();
    const sender = (more) =>
        suite.createSenderContext({ recipientPublicKey: keys.publicKey, ...more });
    await failsWith("InvalidParamError", "invalid_psk", /32 bytes/,
        () => sender({ psk: { ...psk, key: new Uint8Array(31) } }));
    await failsWith("InvalidParamError", "invalid_psk", /psk\.id/,
        () => sender({ psk: { ...psk, id: new Uint8Array() } }));
    await failsWith("InvalidParamError", "input_too_long", /psk\.key/,
        () => sender({ psk: { ...psk, key: new Uint8Array(8193) } }));
    await failsWith("InvalidParamError", "input_too_long", /ikm/,
        () => suite.kem.deriveKeyPair(new Uint8Array(8193)));
    await failsWith("NotSupportedError", "bad_argument", /ekm/,
        () => sender({ ekm: new Uint8Array(32) }));
    await failsWith("NotSupportedError", "bad_argument", /does not open/,
        () => from.open(new Uint8Array(32)));
    await failsWith("NotSupportedError", "bad_argument", /does not seal/,
        () => to.seal(new Uint8Array(32)));
    const pq = await contexts(ours, "MlKem768");
    const short = { recipientKey: pq.keys, enc: new Uint8Array(32) };
    await failsWith("InvalidParamError", "deserialize", /^enc has 32 bytes/,
        () => pq.suite.createRecipientContext(short));
});

test("suites that do not exist have a code", async () => {
    const { CipherSuite, Kem } = ours;
    for (
        const [name, params] of Object.entries({
            kem: { kem: "x", kdf: 1, aead: 1 },
            kdf: { kem: 32, kdf: null, aead: 1 },
            aead: { kem: 32, kdf: 1, aead: {} },
        })
    )
        await failsWith("InvalidParamError", "bad_argument", new RegExp(`^${name} must be`),
            () => new CipherSuite(params));
    for (const params of [undefined, null, "x"])
        await failsWith("InvalidParamError", "bad_argument", /^params must be an object/,
            () => new CipherSuite(params));
    await failsWith("NotSupportedError", "refused_kem", /compact P-256 points/,
        () => new CipherSuite({ kem: ours.KemId.DhkemSecp256k1HkdfSha256, kdf: 1, aead: 1 }));
    await failsWith("NotSupportedError", "unsupported_suite", /./, () => new Kem(99).encSize);
    await failsWith("NotSupportedError", "unsupported_suite", /./,
        () => new Kem(99).generateKeyPair());
    await failsWith("InvalidParamError", "bad_argument", /^id must be/, () => new Kem("x25519"));
});

test("what is not the key that is needed has a code", async () => {
    const { suite, keys, from } = await x25519();
    const other = await new ours.DhkemP256HkdfSha256().generateKeyPair();
    const sender = (recipientPublicKey) => suite.createSenderContext({ recipientPublicKey });
    for (const key of [5, null, undefined, "key", {}, utf8("key")])
        await failsWith("SerializeError", "bad_argument",
            /^recipientPublicKey must be a public key/, () => sender(key));
    await failsWith("SerializeError", "bad_key", /^recipientPublicKey is a private key/,
        () => sender(keys.privateKey));
    await failsWith("EncapError", "bad_key", /^recipientPublicKey is a key for P-256/,
        () => sender(other.publicKey));
    const recipient = (more) =>
        suite.createRecipientContext({ recipientKey: keys, enc: from.enc, ...more });
    await failsWith("DeserializeError", "bad_argument", /^recipientKey must be a private key/,
        () => recipient({ recipientKey: 5 }));
    await failsWith("DecapError", "bad_key", /^recipientKey is a public key/,
        () => recipient({ recipientKey: keys.publicKey }));
    await failsWith("DecapError", "bad_argument", /^senderPublicKey must be a public key/,
        () => recipient({ senderPublicKey: 5 }));
    const senderKey = () =>
        suite.createSenderContext({ recipientPublicKey: keys.publicKey, senderKey: null });
    await failsWith("EncapError", "bad_argument", /^senderKey must be a private key/, senderKey);
    await failsWith("SerializeError", "bad_argument", /^key must be a public key/,
        () => suite.kem.serializePublicKey());

    const locked = await crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"]);
    await failsWith("DeserializeError", "bad_key", /not extractable/,
        () => recipient({ recipientKey: locked.privateKey }));
    const curve = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, [
        "deriveBits",
    ]);
    await failsWith("EncapError", "bad_key", /p256/, () => sender(curve.publicKey));
    await failsWith("SerializeError", "bad_key", /p256/,
        () => new ours.MlKem768P256().serializePublicKey(curve.publicKey));
    keys.privateKey.free();
    await failsWith("SerializeError", "freed", /./,
        () => suite.kem.serializePrivateKey(keys.privateKey));
});

test("what cannot be imported has a code", async () => {
    const kem = new ours.DhkemX25519HkdfSha256();
    const jwk = { kty: "OKP", crv: "X25519", x: Buffer.alloc(32, 9).toString("base64url") };
    await kem.importKey("jwk", jwk);
    for (
        const wrong of [null, 5, {}, { ...jwk, crv: "X448" }, { ...jwk, x: 5 }, { ...jwk, x: "!!" },
            { ...jwk, d: jwk.x }, { ...jwk, kty: Symbol("x") }]
    )
        await failsWith("DeserializeError", "bad_key", /./, () => kem.importKey("jwk", wrong));
    await failsWith("DeserializeError", "bad_key", /public key/,
        () => kem.importKey("jwk", jwk, false));
    await failsWith("DeserializeError", "bad_key", /32 bytes/,
        () => kem.importKey("jwk", { ...jwk, x: "AA" }));
    for (const format of ["pem", "spki", undefined])
        await failsWith("DeserializeError", "bad_argument", /raw.*jwk/,
            () => kem.importKey(format, new Uint8Array(32)));
    await failsWith("DeserializeError", "bad_key", /x25519/,
        () => new ours.MlKem768P256().importKey("jwk", jwk));
});

test("a code is one of pqseal's, also of errors that are made from others", () => {
    const coded = Object.assign(new Error("why"), { name: "PqsealError", code: "open" });
    assert.equal(new ours.OpenError(coded).code, "open");
    assert.equal(new ours.SealError(new ours.OpenError(coded)).code, "open");
    // A DOMException has a number as its code, and Node's errors have codes of their own.
    const foreign = [new DOMException("why", "InvalidAccessError"),
        Object.assign(new Error("why"), { code: "ERR_WHY" }), "why", undefined];
    for (const reason of foreign) assert.equal(new ours.OpenError(reason).code, "failed");
});

test("a parameter that does not exist is refused by name", async () => {
    const { suite, keys, from } = await x25519();
    const to = { recipientPublicKey: keys.publicKey };
    const here = { recipientKey: keys, enc: from.enc };
    const sent = "the parameters are info, psk, recipientPublicKey, senderKey$";
    const received = "the parameters are info, psk, recipientKey, enc, senderPublicKey$";
    const unknown = (name, known, action) =>
        failsWith("InvalidParamError", "bad_argument",
            new RegExp(`^unknown parameter ${name}; ${known}`), action);
    // A value that is undefined has a misspelt name all the same. `aad` is an argument, and the
    // other side's key would not make the mode auth.
    for (
        const more of [{ inof: utf8("info") }, { inof: undefined }, { aad: utf8("aad") }, {
            senderPublicKey: keys.publicKey,
        }]
    ) {
        await unknown(Object.keys(more)[0], sent, () =>
            suite.createSenderContext({ ...to, ...more }));
        await unknown(Object.keys(more)[0], sent, () =>
            suite.seal({ ...to, ...more }, utf8("text")));
    }
    for (
        const more of [{ inof: utf8("info") }, { aad: utf8("aad") }, { senderKey: keys }, {
            ekm: undefined,
        }]
    ) {
        await unknown(Object.keys(more)[0], received, () =>
            suite.createRecipientContext({ ...here, ...more }));
        await unknown(Object.keys(more)[0], received, () =>
            suite.open({ ...here, ...more }, new Uint8Array(16)));
    }
    const pskKnown = "the parameters are psk.id, psk.key$";
    await unknown("psk.pskId", pskKnown,
        () => suite.createSenderContext({ ...to, psk: { ...psk, pskId: psk.id } }));
    await unknown("psk.pskId", pskKnown,
        () => suite.createRecipientContext({ ...here, psk: { ...psk, pskId: psk.id } }));
    const parts = { kem: 32, kdf: 1, aead: 1 };
    await unknown("policy", "the parameters are kem, kdf, aead$",
        () => new ours.CipherSuite({ ...parts, policy: "standard" }));
    for (const params of [undefined, null, 5]) {
        await failsWith("InvalidParamError", "bad_argument", /^params must be an object/, () =>
            suite.createSenderContext(params));
        await failsWith("InvalidParamError", "bad_argument", /^params must be an object/, () =>
            suite.createRecipientContext(params));
    }
    await failsWith("InvalidParamError", "bad_argument", /^psk must be an object/,
        () => suite.createSenderContext({ ...to, psk: null }));
});

program("every parameter of @hpke/core may be undefined", async (hpke) => {
    const { suite, keys } = await contexts(hpke);
    const common = { info: undefined, psk: undefined };
    const params = {
        ...common,
        recipientPublicKey: keys.publicKey,
        senderKey: undefined,
        ekm: undefined,
    };
    const { ct, enc } = await suite.seal(params, utf8("text"), undefined);
    assert.equal(
        text(
            await suite.open({ ...common, recipientKey: keys, enc, senderPublicKey: undefined }, ct,
                undefined),
        ),
        "text",
    );
});

test("what the caller overwrites after a call was read before", async () => {
    const suite = suiteOf(ours, "DhkemX25519HkdfSha256");
    const keys = await suite.kem.generateKeyPair();
    const [pt, aad, info] = ["text", "aad", "info"].map(utf8);
    const sealing = suite.seal({ recipientPublicKey: keys.publicKey, info }, pt, aad);
    for (const bytes of [pt, aad, info]) bytes.fill(0);
    const { ct, enc } = await sealing;
    const opened = await suite.open({ recipientKey: keys, enc, info: utf8("info") }, ct,
        utf8("aad"));
    assert.equal(text(opened), "text");
});
