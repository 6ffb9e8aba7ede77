// Names of algorithms and public keys: the same as in every other language.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PrivateKey, PublicKey, Suite, generateKeyPair, open,
    seal } from "../pkg/dist/full/index.js";

const utf8 = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
const fails = (code, call) => assert.throws(call, { name: "PqsealError", code });

const fixture = (name) =>
    JSON.parse(
        readFileSync(new URL(`../../crates/keys/tests/${name}.json`, import.meta.url), "utf8"),
    );

test("names are those of every front end", () => {
    for (const { kind, name, id } of fixture("names")) {
        const names = { kem: "x25519", kdf: "HKDF-SHA256", aead: "AES-128-GCM", [kind]: name };
        const suite = new Suite(names.kem, names.kdf, names.aead, "experimental");
        assert.equal(suite.ids[kind], id, name);
    }
    for (
        const [wrong, nearest] of [["x25518", "x25519"], ["mlkem", "mlkem768-x25519"], [9, "p256"]]
    ) {
        fails("unsupported_suite", () => generateKeyPair(wrong));
        assert.throws(() => generateKeyPair(wrong), {
            message: new RegExp(`choose one of ${nearest}`),
        });
    }
});

// Checks that the key is written in the formats that are bytes as its row has them, and read again.
const binary = (key, { alg, fingerprint, ...row }, half) => {
    for (const [format, hex] of Object.entries(row[half])) {
        const written = key.exportBinary(format, format === "cose-key" ? alg : undefined);
        assert.equal(Buffer.from(written).toString("hex"), hex);
        assert.equal(key.constructor.parse(written).fingerprint, fingerprint);
    }
};

test("a COSE_Key of a hybrid needs an algorithm of its KEM", () => {
    const { privateKey } = generateKeyPair("mlkem768-x25519");
    for (
        const [format, alg] of [["cose-key"], ["cose-key", "HPKE-0"], ["cose-key", "x"], ["der",
            "HPKE-9"], ["pem"]]
    )
        fails("bad_argument", () => privateKey.exportBinary(format, alg));
});

// Every language reads these texts and writes them, so each reads what another wrote.
test("keys of every language", () => {
    for (const row of fixture("written")) {
        const { kem, fingerprint, private: secret, public: shown } = row;
        for (const written of Object.values(secret)) {
            const key = PrivateKey.parse(written, kem);
            assert.deepEqual([key.kem, key.fingerprint], [kem, fingerprint]);
            for (const [format, expected] of Object.entries(secret))
                assert.equal(key.export(format), expected);
            binary(key, row, "private_binary");
            assert.equal(PublicKey.parse(written, kem, "private").fingerprint, fingerprint);
            assert.equal(key.toPublic().fingerprint, fingerprint);
        }
        for (const [format, written] of Object.entries(shown)) {
            const key = PublicKey.parse(utf8(written), kem, "public");
            assert.deepEqual([key.kem, key.fingerprint, key.keyId], [kem, fingerprint,
                fingerprint.slice(0, 16)]);
            for (const [other, expected] of Object.entries(shown))
                assert.equal(key.export(other), other === "pem" ? expected : expected.trimEnd());
            binary(key, row, "public_binary");
            assert.equal(key.export(), shown[kem === "x25519" ? "raw" : "line"].trimEnd());
            if (format === "raw") fails("bad_argument", () => PublicKey.parse(written, kem));
            else fails("bad_key", () => PrivateKey.parse(written));
        }
    }
});

test("a PublicKey goes wherever its bytes do", () => {
    const suite = new Suite("mlkem768-x25519", "HKDF-SHA256", "AES-128-GCM");
    const { privateKey, publicKey } = suite.generateKeyPair();
    const key = privateKey.toPublic();
    assert.deepEqual(key.bytes, publicKey);
    assert.deepEqual(PublicKey.deserialize("X-Wing", publicKey).fingerprint, key.fingerprint);
    for (const to of [key, publicKey]) {
        const { enc, ct } = suite.seal(to, utf8("x"));
        assert.equal(text(suite.open(enc, privateKey, ct)), "x");
        suite.createSenderContext(to);
        suite.checkPublicKey(to);
    }
    for (const to of [key, key.export(), utf8(key.export("jwk"))])
        assert.equal(text(open(seal(to, utf8("x")), privateKey)), "x");
    const p256 = new Suite("p256", 1, 1);
    fails("key_mismatch", () => p256.seal(key, utf8("x")));
    fails("bad_argument", () => suite.seal(privateKey, utf8("x")));
    const sender = p256.generateKeyPair();
    const sealed = p256.seal(sender.publicKey, utf8("x"), { senderKey: sender.privateKey });
    const senderPublicKey = sender.privateKey.toPublic();
    assert.equal(text(p256.open(sealed.enc, sender.privateKey, sealed.ct, { senderPublicKey })),
        "x");
    key.free();
    fails("bad_argument", () => suite.seal(key, utf8("x")));
});

test("a sealed message comes with its number", () => {
    const suite = new Suite("x25519", 1, 1);
    const { privateKey, publicKey } = suite.generateKeyPair();
    const { enc, context } = suite.createSenderContext(publicKey);
    context.seal(utf8("first"));
    const { sequence, ct } = context.sealWithSequence(utf8("second"), utf8("a"));
    assert.equal(sequence, 1n);
    const recipient = suite.createRecipientContext(enc, privateKey);
    assert.equal(text(recipient.openAt(sequence, ct, utf8("a"))), "second");
});
