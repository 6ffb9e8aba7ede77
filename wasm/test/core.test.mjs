// The module `core`: what it has, what it says of the rest, and `full` in its place.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { KeyRing, PrivateKey, PublicKey, Suite, derivePublicKey, generateKeyPair, inspect, load,
    open, seal, suites } from "../pkg/dist/index.js";
import * as full from "../pkg/dist/full/index.js";
import { BLOB, KEY, PLAINTEXT } from "./published.mjs";

const utf8 = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
const all = { policy: "experimental" };
const fails = (code, call) =>
    assert.throws(call, (error) => {
        assert.equal(error.name, "PqsealError");
        assert.equal(error.code, code, error.message);
        if (code === "not_loaded") assert.match(error.message, /await load\(\)/);
        return true;
    });
const names = ["x25519", "mlkem768-x25519"];
const others = full.suites().kems.map(({ name }) => name).filter((name) => !names.includes(name));

test("core has X25519 and X-Wing, HKDF and all AEADs, and opens what full sealed and the other way round", () => {
    assert.deepEqual(suites().kems.map(({ name }) => name), names);
    assert.deepEqual(suites().kdfs.map(({ name }) => name), ["HKDF-SHA256", "HKDF-SHA384",
        "HKDF-SHA512"]);
    assert.deepEqual(suites().aeads, full.suites().aeads);
    assert.deepEqual(suites().default, full.suites().default);
    assert.equal(text(open(BLOB, PrivateKey.parse(KEY))), PLAINTEXT);
    for (const name of names)
        for (const kdf of [1, 2, 3])
            for (const aead of [1, 2, 3]) {
                const { privateKey, publicKey } = generateKeyPair(name);
                const options = { suite: { kdf, aead }, info: utf8("i"), aad: utf8("a") };
                const there = full.PrivateKey.parse(privateKey.export("line"));
                assert.equal(
                    text(
                        full.open(seal(publicKey, utf8("x"), options), there, {
                            info: utf8("i"),
                            aad: utf8("a"),
                        }),
                    ),
                    "x",
                );
                assert.equal(
                    text(
                        open(full.seal(publicKey, utf8("y"), options), privateKey, {
                            info: utf8("i"),
                            aad: utf8("a"),
                        }),
                    ),
                    "y",
                );
            }
});

test("core writes DER, and says where COSE_Key is", () => {
    const { privateKey } = generateKeyPair("x25519");
    assert.equal(PrivateKey.parse(privateKey.exportBinary("der")).keyId, privateKey.keyId);
    const there = full.PrivateKey.parse(privateKey.export("line"));
    fails("not_loaded", () => privateKey.exportBinary("cose-key"));
    fails("not_loaded", () => PrivateKey.parse(there.exportBinary("cose-key")));
});

test("core passes the vectors of its suites", () => {
    let passed = 0;
    for (const file of ["rfc9180", "hpke-pq"]) {
        const { entries } = JSON.parse(
            readFileSync(new URL(`../../test-vectors/data/${file}.json`, import.meta.url)),
        );
        for (const vector of entries) {
            const here = suites().kems.some(({ id }) => id === vector.kem_id)
                && suites().kdfs.some(({ id }) => id === vector.kdf_id);
            if (!here || vector.mode !== 0) continue;
            const bytes = (field) => Buffer.from(vector[field], "hex");
            const key = PrivateKey.deserialize(vector.kem_id, bytes("sk_r"));
            const suite = new Suite(vector.kem_id, vector.kdf_id, vector.aead_id);
            const context = suite.createRecipientContext(bytes("enc"), key, {
                info: bytes("info"),
            });
            for (const { seq, aad, ct, pt } of vector.encryptions ?? []) {
                assert.equal(
                    Buffer.from(
                        context.openAt(BigInt(seq), Buffer.from(ct, "hex"),
                            Buffer.from(aad, "hex")),
                    ).toString("hex"),
                    pt,
                );
            }
            for (const { exporter_context, length, exported_value } of vector.exports ?? [])
                assert.equal(
                    Buffer.from(context.export(Buffer.from(exporter_context, "hex"), length))
                        .toString("hex"),
                    exported_value,
                );
            passed++;
        }
    }
    assert.ok(passed > 3, `${passed} vectors`);
});

test("what no module has is not said to be in full", () => {
    for (const name of ["x25518", "rsa", 7]) {
        fails("unsupported_suite", () => generateKeyPair(name));
        fails("unsupported_suite", () => new Suite("x25519", name, 1));
        fails("unsupported_suite", () => new Suite("x25519", 1, name));
    }
});

test("a public key of core is used after load", () => {
    const { publicKey, privateKey } = new Suite("X-Wing", 1, 1).generateKeyPair();
    const key = PublicKey.deserialize("X-Wing", publicKey);
    const { enc, ct } = new full.Suite("X-Wing", 1, 1).seal(key, utf8("x"));
    assert.equal(text(new Suite("X-Wing", 1, 1).open(enc, privateKey, ct)), "x");
});

test("what only full has is not_loaded, in whatever way it is named", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    for (const name of others) {
        const made = full.generateKeyPair(name, all);
        fails("not_loaded", () => generateKeyPair(name, all));
        fails("not_loaded", () => new Suite(name, 1, 1, "experimental"));
        fails("not_loaded", () =>
            PrivateKey.deserialize(made.privateKey.serialize().length && name,
                made.privateKey.serialize()));
        fails("not_loaded", () =>
            seal(made.publicKey, utf8("x"), all));
        fails("not_loaded", () => inspect(full.seal(made.publicKey, utf8("x"), all)));
        for (const format of ["line", "pem", "jwk"]) {
            try {
                made.privateKey.export(format);
            } catch {
                continue;
            }
            fails("not_loaded", () => PrivateKey.parse(made.privateKey.export(format)));
            fails("not_loaded", () => derivePublicKey(made.privateKey.export(format)));
            fails("not_loaded", () => seal(made.privateKey.publicKey(format), utf8("x"), all));
        }
    }
    const set = `{"keys":[${privateKey.export("jwk")}]}`;
    fails("not_loaded", () => PrivateKey.parse(set));
    fails("not_loaded", () => PublicKey.parse(set));
    fails("not_loaded", () => derivePublicKey(set));
    assert.equal(full.PrivateKey.parse(set).keyId, privateKey.keyId);
    const { id } = full.suites().kems.find(({ name }) => name === "p256");
    fails("not_loaded", () => generateKeyPair(id));
    const shake = full.seal(publicKey, utf8("x"), { suite: { kdf: "SHAKE256" } });
    fails("not_loaded", () => open(shake, privateKey));
    fails("not_loaded", () => inspect(shake));
    fails("not_loaded", () => new Suite("x25519", "SHAKE256", 1));
    fails("not_loaded", () => seal(publicKey, utf8("x"), { suite: { kdf: 0x0011 } }));
    const ring = new KeyRing();
    ring.add(privateKey);
    assert.equal(ring.openMany([shake])[0].error.code, "not_loaded");
});

test("what no module has keeps its own code", () => {
    fails("refused_kem", () => generateKeyPair("sikep434"));
    fails("unsupported_suite", () => new Suite("x25519", 1, "AES-GCM-SIV"));
    fails("unsupported_suite", () => new Suite("mlkem768-x25519", 1, 1, "standard"));
    fails("bad_key", () => PrivateKey.parse("no key"));
});

// The last: it changes what all of the above are about.
test("load() puts full in the place of core, whose objects go on with it", async () => {
    const { privateKey: old, publicKey } = generateKeyPair("x25519");
    const [suite, ring] = [new Suite("x25519", 1, 1), new KeyRing()];
    ring.add(old);
    await Promise.all([load(), load()]);
    await load();
    assert.deepEqual(suites(), full.suites());
    for (const name of others) assert.equal(generateKeyPair(name, all).privateKey.kem, name);
    assert.equal(inspect(full.seal(full.generateKeyPair("p521").publicKey, utf8("x"))).kem.name,
        "p521");

    const blob = seal(publicKey, utf8("x"));
    assert.equal(text(ring.open(blob).plaintext), "x");
    assert.equal(suite.ids.kem, 0x20);
    const { enc, context } = suite.createSenderContext(old.publicKeyBytes());
    assert.equal(text(suite.createRecipientContext(enc, old).open(context.seal(utf8("y")))), "y");
    // Never a pointer into the memory of the other module.
    const [newSuite, newRing, { privateKey }] = [new Suite("x25519", 1, 1), new KeyRing(),
        generateKeyPair("x25519")];
    for (
        const call of [
            () => open(blob, old),
            () => newRing.add(old),
            () => ring.add(privateKey),
            () => newSuite.createRecipientContext(enc, old),
            () => newSuite.createSenderContext(old.publicKeyBytes(), { senderKey: old }),
        ]
    )
        assert.throws(call,
            (error) => error.code === "bad_argument" && /after load\(\)/.test(error.message));
    assert.equal(text(open(blob, PrivateKey.deserialize(old.kem, old.serialize()))), "x");
    for (const key of [old, privateKey]) assert.ok(key instanceof PrivateKey);
    for (const each of [ring, newRing])
        assert.ok(each instanceof KeyRing && !(each instanceof Suite));
    for (const object of [old, ring, suite, context]) {
        object.free();
        object.free();
    }
    fails("freed", () => old.keyId);
});
