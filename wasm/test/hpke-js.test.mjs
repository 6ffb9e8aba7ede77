// How hpke-js is used: each test runs the same program with @hpke/core and with pqseal/hpke-js.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DHKEMS, POST_QUANTUM, both, hex, ours, suiteOf, text, theirs, utf8 } from "./hpke-js.mjs";

const KEMS = [...DHKEMS, ...POST_QUANTUM];
const psk = { id: utf8("our psk"), key: new Uint8Array(32).fill(7) };

/** Runs a program with both. */
function program(name, run) {
    for (const [library, hpke] of both) test(`${library}: ${name}`, () => run(hpke));
}

/** It is rejected with an error of that class, which has a message. */
const fails = (hpke, name, promise) => assert.rejects(promise, (error) => {
    assert.ok(error instanceof hpke[name], `${error.name} and not ${name}: ${error.message}`);
    assert.ok(error instanceof hpke.HpkeError && error instanceof Error);
    assert.equal(error.name, name);
    assert.ok(error.message.length > 0);
    return true;
});

/** Both contexts of a fresh key. */
async function contexts(hpke, kem = "DhkemX25519HkdfSha256", { sender = {}, recipient = {}, aead } = {}) {
    const suite = suiteOf(hpke, kem, "HkdfSha256", aead);
    const keys = await suite.kem.generateKeyPair();
    const from = await suite.createSenderContext({ recipientPublicKey: keys.publicKey, ...sender });
    const to = await suite.createRecipientContext({ recipientKey: keys.privateKey, enc: from.enc, ...recipient });
    return { suite, keys, from, to };
}

program("a message through contexts, and one by each single call", async (hpke) => {
    for (const kem of KEMS) {
        const { suite, keys, from, to } = await contexts(hpke, kem);
        assert.equal(text(await to.open(await from.seal(utf8("one")))), "one");
        assert.equal(text(await to.open(await from.seal(utf8("two"), utf8("aad")), utf8("aad"))), "two");
        const { ct, enc } = await suite.seal({ recipientPublicKey: keys.publicKey, info: utf8("info") }, utf8("three"), utf8("aad"));
        // A pair is taken for its private key.
        assert.equal(text(await suite.open({ recipientKey: keys, enc, info: utf8("info") }, ct, utf8("aad"))), "three");
    }
});

program("psk, auth and both at once", async (hpke) => {
    for (const kem of DHKEMS) {
        const suite = suiteOf(hpke, kem, "HkdfSha512", "Aes256Gcm");
        const [keys, sender] = await Promise.all([suite.kem.generateKeyPair(), suite.kem.generateKeyPair()]);
        const from = { psk: { psk }, auth: { senderKey: sender }, authPsk: { psk, senderKey: sender.privateKey } };
        const to = { psk: { psk }, auth: { senderPublicKey: sender.publicKey }, authPsk: { psk, senderPublicKey: sender.publicKey } };
        for (const mode of Object.keys(from)) {
            const { ct, enc } = await suite.seal({ recipientPublicKey: keys.publicKey, ...from[mode] }, utf8(mode));
            assert.equal(text(await suite.open({ recipientKey: keys.privateKey, enc, ...to[mode] }, ct)), mode);
            await fails(hpke, "OpenError", suite.open({ recipientKey: keys.privateKey, enc }, ct));
        }
    }
});

program("both sides export the same, with each AEAD", async (hpke) => {
    for (const aead of ["ExportOnly", "Chacha20Poly1305"]) {
        const { from, to } = await contexts(hpke, "DhkemP256HkdfSha256", { aead });
        const [sent, received, other] = await Promise.all([from.export(utf8("a"), 48), to.export(utf8("a"), 48), to.export(utf8("b"), 48)]);
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
    const { from, to } = await contexts(hpke, "DhkemP384HkdfSha384", { sender: { info: utf8("info") }, recipient: { info: utf8("info") } });
    const ct = await from.seal(utf8("text"), utf8("aad"));
    const altered = new Uint8Array(ct.slice());
    altered[0] ^= 1;
    await fails(hpke, "OpenError", to.open(altered, utf8("aad")));
    await fails(hpke, "OpenError", to.open(ct, utf8("another aad")));
    await fails(hpke, "OpenError", to.open(new Uint8Array(3), utf8("aad")));
    assert.equal(text(await to.open(ct, utf8("aad"))), "text");
    const other = await contexts(hpke, "DhkemP384HkdfSha384", { sender: { info: utf8("a") }, recipient: { info: utf8("b") } });
    await fails(hpke, "OpenError", other.to.open(await other.from.seal(utf8("text"))));
});

program("messages that are sealed at once keep their order", async (hpke) => {
    const { from, to } = await contexts(hpke);
    const sealed = await Promise.all(["0", "1", "2", "3"].map((n) => from.seal(utf8(n))));
    assert.deepEqual((await Promise.all(sealed.map((ct) => to.open(ct)))).map(text), ["0", "1", "2", "3"]);
});

program("bytes come as ArrayBuffer, as a view and as a part of one", async (hpke) => {
    const { suite, keys, from, to } = await contexts(hpke);
    const within = new Uint8Array([...utf8("--text--")]).subarray(2, 6);
    const forms = [within, within.slice().buffer, new DataView(within.buffer, 2, 4), Buffer.from("text")];
    for (const form of forms) {
        const ct = await from.seal(form, form);
        assert.equal(hex(ct).length / 2, 20);
        assert.equal(hex(await to.open(Buffer.from(ct), form)), Buffer.from("text").toString("hex"));
    }
    const raw = await suite.kem.serializePublicKey(keys.publicKey);
    const longer = new Uint8Array([1, ...new Uint8Array(raw), 1]);
    assert.equal(hex(await suite.kem.serializePublicKey(await suite.kem.deserializePublicKey(longer.subarray(1, 33)))), hex(raw));
});

/** For P-521 @hpke/core says 64, writes 66 bytes and reads only 66. */
const privateKeySize = (kem) => kem instanceof theirs.DhkemP521HkdfSha512 ? 66 : kem.privateKeySize;

program("keys are written and read again", async (hpke) => {
    for (const name of KEMS) {
        const kem = new hpke[name]();
        const keys = await kem.generateKeyPair();
        const [publicKey, privateKey] = [await kem.serializePublicKey(keys.publicKey), await kem.serializePrivateKey(keys.privateKey)];
        assert.deepEqual([publicKey.byteLength, privateKey.byteLength], [kem.publicKeySize, privateKeySize(kem)]);
        const [publicAgain, privateAgain] = [await kem.deserializePublicKey(publicKey), await kem.deserializePrivateKey(privateKey)];
        assert.equal(hex(await kem.serializePublicKey(publicAgain)), hex(publicKey));
        assert.equal(hex(await kem.serializePrivateKey(privateAgain)), hex(privateKey));
        assert.equal(hex(await kem.serializePublicKey(await kem.importKey("raw", publicKey))), hex(publicKey));
        assert.equal(hex(await kem.serializePrivateKey(await kem.importKey("raw", privateKey, false))), hex(privateKey));
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
    const [publicKey, privateKey] = await Promise.all([pair.publicKey, pair.privateKey].map((key) => crypto.subtle.exportKey("jwk", key)));
    return { publicKey, privateKey };
}

program("JWK of curves", async (hpke) => {
    for (const name of DHKEMS) {
        const { publicKey, privateKey } = await jwkPair(name);
        const suite = suiteOf(hpke, name);
        const recipientPublicKey = await suite.kem.importKey("jwk", publicKey, true);
        const { ct, enc } = await suite.seal({ recipientPublicKey }, utf8("text"));
        assert.equal(text(await suite.open({ recipientKey: await suite.kem.importKey("jwk", privateKey, false), enc }, ct)), "text");
        const { crv, ...without } = publicKey;
        for (const wrong of [without, { ...publicKey, crv: "P-999" }, privateKey])
            await fails(hpke, "DeserializeError", suite.kem.importKey("jwk", wrong, true));
        await fails(hpke, "DeserializeError", suite.kem.importKey("jwk", publicKey, false));
    }
});

program("JWK of post-quantum keys", async (hpke) => {
    const alg = { MlKem512: "ML-KEM-512", MlKem768: "ML-KEM-768", MlKem1024: "ML-KEM-1024", XWing: "X-Wing" };
    const base64url = (buffer) => Buffer.from(buffer).toString("base64url");
    for (const name of POST_QUANTUM) {
        const kem = new hpke[name]();
        const { publicKey, privateKey } = await kem.generateKeyPair();
        const jwk = { kty: "AKP", alg: alg[name], pub: base64url(await kem.serializePublicKey(publicKey)) };
        assert.equal(hex(await kem.serializePublicKey(await kem.importKey("jwk", jwk))), hex(await kem.serializePublicKey(publicKey)));
        const secret = { kty: "AKP", alg: alg[name], priv: base64url(await kem.serializePrivateKey(privateKey)), key_ops: ["deriveBits"] };
        assert.equal(hex(await kem.serializePrivateKey(await kem.importKey("jwk", secret, false))), hex(await kem.serializePrivateKey(privateKey)));
        await fails(hpke, "DeserializeError", kem.importKey("jwk", { ...jwk, alg: "ML-KEM-42" }));
        await fails(hpke, "DeserializeError", kem.importKey("jwk", jwk, false));
    }
});

program("what is no key", async (hpke) => {
    for (const name of KEMS) {
        const kem = new hpke[name]();
        await fails(hpke, "DeserializeError", kem.deserializePublicKey(new Uint8Array(kem.publicKeySize - 1)));
        await fails(hpke, "DeserializeError", kem.deserializePrivateKey(new Uint8Array(kem.privateKeySize + 1)));
        await fails(hpke, "DeserializeError", kem.importKey("raw", new ArrayBuffer(1)));
        if (name.startsWith("DhkemP"))
            await fails(hpke, "DeserializeError", kem.deserializePublicKey(new Uint8Array(kem.publicKeySize).fill(4)));
    }
    const [curve, other] = [suiteOf(hpke, "DhkemP256HkdfSha256"), suiteOf(hpke, "DhkemP384HkdfSha384")];
    const keys = await other.kem.generateKeyPair();
    await assert.rejects(curve.createSenderContext({ recipientPublicKey: keys.publicKey }), hpke.HpkeError);
    await fails(hpke, "SerializeError", curve.createSenderContext({ recipientPublicKey: keys.privateKey }));
    await fails(hpke, "SerializeError", curve.kem.serializePrivateKey((await curve.kem.generateKeyPair()).publicKey));
});

program("what a suite refuses", async (hpke) => {
    const { suite, keys, from } = await contexts(hpke, "DhkemP256HkdfSha256");
    const sender = (psk) => suite.createSenderContext({ recipientPublicKey: keys.publicKey, psk });
    await fails(hpke, "InvalidParamError", sender({ id: utf8("id"), key: new Uint8Array(31) }));
    await fails(hpke, "InvalidParamError", sender({ id: utf8("id"), key: new Uint8Array(8193) }));
    await fails(hpke, "InvalidParamError", sender({ id: new Uint8Array(8193), key: psk.key }));
    await fails(hpke, "InvalidParamError", sender({ id: new Uint8Array(0), key: new Uint8Array(0) }));
    await fails(hpke, "InvalidParamError", suite.kem.deriveKeyPair(new Uint8Array(8193)));
    const recipient = (enc) => suite.createRecipientContext({ recipientKey: keys, enc });
    await fails(hpke, "DeserializeError", recipient(new Uint8Array(from.enc).subarray(1)));
    await fails(hpke, "DeserializeError", recipient(new Uint8Array(65).fill(4)));
    for (const name of POST_QUANTUM) {
        const { suite, keys } = await contexts(hpke, name);
        await fails(hpke, "InvalidParamError", suite.createRecipientContext({ recipientKey: keys, enc: new Uint8Array(32) }));
    }
    // A point of low order: its multiples are zero.
    const low = await contexts(hpke);
    await fails(hpke, "DecapError", low.suite.createRecipientContext({ recipientKey: low.keys, enc: new Uint8Array(32) }));
    const recipientPublicKey = await low.suite.kem.deserializePublicKey(new Uint8Array(32));
    await fails(hpke, "EncapError", low.suite.createSenderContext({ recipientPublicKey }));
});

program("keys of WebCrypto", async (hpke) => {
    const pair = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const suite = suiteOf(hpke, "DhkemP256HkdfSha256");
    const { ct, enc } = await suite.seal({ recipientPublicKey: pair.publicKey, senderKey: pair }, utf8("text"));
    assert.equal(text(await suite.open({ recipientKey: pair, enc, senderPublicKey: pair.publicKey }, ct)), "text");
    assert.equal((await suite.kem.serializePrivateKey(pair.privateKey)).byteLength, 32);
});

test("names, ids, sizes and keys look the same", async () => {
    for (const ids of ["KemId", "KdfId", "AeadId"]) assert.deepEqual({ ...ours[ids], ...theirs[ids] }, { ...ours[ids] });
    for (const name of Object.keys(theirs).filter((name) => /Error$/.test(name))) assert.ok(new ours[name]("why") instanceof ours.HpkeError, name);
    const missing = Object.keys(theirs).filter((name) => !(name in ours));
    assert.deepEqual(missing.sort(), ["X25519", "X448"]);
    for (const name of [...KEMS, "HkdfSha256", "HkdfSha384", "HkdfSha512", "Aes128Gcm", "Aes256Gcm", "Chacha20Poly1305", "ExportOnly"]) {
        const [their, our] = [new theirs[name](), new ours[name]()];
        for (const member of ["id", "hashSize", "keySize", "nonceSize", "tagSize", "secretSize", "encSize", "publicKeySize"])
            assert.equal(our[member], their[member], `${name}.${member}`);
        assert.equal(our.privateKeySize, privateKeySize(their), name);
    }
    for (const name of KEMS) {
        const [their, our] = await Promise.all([theirs, ours].map((hpke) => new hpke[name]().generateKeyPair()));
        for (const type of ["publicKey", "privateKey"])
            for (const member of ["type", "algorithm", "extractable"]) assert.deepEqual(our[type][member], their[type][member], `${name}: ${member}`);
    }
});

test("what only the adapter does", async () => {
    const { AeadId, CipherSuite, KdfId, KemId } = ours;
    const suite = new CipherSuite({ kem: KemId.MlKem768P256, kdf: KdfId.TurboShake256, aead: AeadId.Chacha20Poly1305 });
    const keys = await suite.kem.generateKeyPair();
    const { ct, enc } = await suite.seal({ recipientPublicKey: keys.publicKey }, utf8("text"));
    assert.equal(text(await suite.open({ recipientKey: keys, enc }, ct)), "text");
    await fails(ours, "NotSupportedError", suite.createSenderContext({ recipientPublicKey: keys.publicKey, senderKey: keys }));
    await fails(ours, "NotSupportedError", suite.createSenderContext({ recipientPublicKey: keys.publicKey, ekm: new Uint8Array(64) }));
    await fails(ours, "InvalidParamError", suite.createSenderContext({ recipientPublicKey: keys.publicKey, psk: { ...psk, id: new Uint8Array() } }));
    await fails(ours, "InvalidParamError", suite.seal({ recipientPublicKey: keys.publicKey }, "text"));
    assert.throws(() => new CipherSuite({ kem: KemId.DhkemSecp256k1HkdfSha256, kdf: 1, aead: 1 }), ours.NotSupportedError);
    assert.throws(() => new CipherSuite({ kem: "x25519", kdf: 1, aead: 1 }), ours.InvalidParamError);

    // Keys of a module of @hpke, and X25519 keys of WebCrypto.
    const x25519 = suiteOf(ours, "DhkemX25519HkdfSha256");
    const native = await crypto.subtle.generateKey({ name: "X25519" }, true, ["deriveBits"]);
    for (const pair of [await new theirs.DhkemX25519HkdfSha256().generateKeyPair(), native]) {
        const sealed = await x25519.seal({ recipientPublicKey: pair.publicKey }, utf8("text"));
        assert.equal(text(await x25519.open({ recipientKey: pair, enc: sealed.enc }, sealed.ct)), "text");
    }
    const locked = await crypto.subtle.generateKey({ name: "X25519" }, false, ["deriveBits"]);
    await fails(ours, "SerializeError", x25519.kem.serializePrivateKey(locked.privateKey));
    await assert.rejects(x25519.kem.serializePrivateKey(locked.privateKey), /not extractable/);

    // Nothing secret is in what is printed, and free() takes the key away.
    const { privateKey } = await x25519.kem.generateKeyPair();
    const secret = [...new Uint8Array(await x25519.kem.serializePrivateKey(privateKey))].join(", ");
    assert.doesNotMatch(JSON.stringify(privateKey) + (await import("node:util")).inspect(privateKey, { showHidden: true, depth: 9 }), new RegExp(secret));
    privateKey.free();
    await fails(ours, "SerializeError", x25519.kem.serializePrivateKey(privateKey));
});

test("what the caller overwrites after a call was read before", async () => {
    const suite = suiteOf(ours, "DhkemX25519HkdfSha256");
    const keys = await suite.kem.generateKeyPair();
    const [pt, aad, info] = ["text", "aad", "info"].map(utf8);
    const sealing = suite.seal({ recipientPublicKey: keys.publicKey, info }, pt, aad);
    for (const bytes of [pt, aad, info]) bytes.fill(0);
    const { ct, enc } = await sealing;
    const opened = await suite.open({ recipientKey: keys, enc, info: utf8("info") }, ct, utf8("aad"));
    assert.equal(text(opened), "text");
});
