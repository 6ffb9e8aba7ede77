// What the vectors do not say: defaults, text forms, options, errors, and that no input stops the
// module.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect as printed } from "node:util";
import * as core from "../pkg/dist/index.js";
import { KeyRing, PqsealError, PrivateKey, Suite, derivePublicKey, generateKeyPair, inspect, open,
    seal, suites } from "../pkg/dist/full/index.js";
import { BLOB, KEY, PLAINTEXT } from "./published.mjs";

const utf8 = (text) => new TextEncoder().encode(text);
/** Experimental KEMs too. */
const all = { policy: "experimental" };
const text = (bytes) => new TextDecoder().decode(bytes);
const fails = (code, call) =>
    assert.throws(call, (error) => {
        assert.ok(
            error instanceof Error && error.name === "PqsealError" && error.message.length > 0,
            String(error),
        );
        assert.equal(error.code, code, error.message);
        return true;
    });

test("the published blob opens: text, bytes, with line breaks, by key and by ring", () => {
    const key = PrivateKey.parse(KEY);
    assert.equal(text(open(BLOB, key)), PLAINTEXT);
    assert.equal(text(open(Uint8Array.from(Buffer.from(BLOB, "base64")), key)), PLAINTEXT);
    assert.equal(text(open(`\n${BLOB.slice(0, 40)}\r\n${BLOB.slice(40)}\n`, key)), PLAINTEXT);
    const ring = new KeyRing();
    ring.add(generateKeyPair("x25519").privateKey);
    ring.add(key);
    key.free();
    const opened = ring.open(BLOB);
    assert.deepEqual({ ...opened, plaintext: text(opened.plaintext) }, {
        plaintext: PLAINTEXT,
        keyId: ring.keyIds[1],
    });
});

test("every KEM: a key made here, written in each form, read again, seals and opens", () => {
    for (const { name } of suites().kems) {
        const { privateKey, publicKey } = generateKeyPair(name, all);
        assert.equal(privateKey.kem, name);
        const forms = ["raw", "json", "pem", "jwk", "line"].filter((form) => {
            try {
                return privateKey.export(form);
            } catch (error) {
                assert.equal(error.code, "bad_argument");
                return false;
            }
        });
        assert.ok(forms.includes("line") && forms.includes("raw"));
        for (const form of forms) {
            const written = privateKey.export(form);
            const read = PrivateKey.parse(form === "json" ? written : utf8(written), name);
            assert.equal(read.publicKey(), publicKey, `${name} ${form}`);
            assert.equal(read.keyId, privateKey.fingerprint.slice(0, 16));
            assert.equal(
                derivePublicKey(written, name, undefined, form === "raw" ? "private" : undefined),
                publicKey,
            );
        }
        const blob = seal(publicKey, utf8("hello"), {
            version: 4,
            info: utf8("i"),
            aad: utf8("a"),
            ...all,
        });
        assert.equal(text(open(blob, privateKey, { info: utf8("i"), aad: utf8("a"), ...all })),
            "hello");
        fails("altered", () => open(blob, privateKey, all));
        assert.equal(inspect(blob).keyId, privateKey.keyId);
    }
});

test("an experimental KEM is for those who ask for it: keys, suites, sealing, opening", () => {
    const experimental = suites().kems.filter(({ status }) => status === "experimental");
    assert.equal(experimental.length, 6);
    assert.ok(
        suites().kems.every(({ status, caution }) =>
            (status === "experimental") === /NIST/.test(caution)
        ),
    );
    for (const { name } of experimental) {
        const { privateKey, publicKey } = generateKeyPair(name, all);
        const blob = seal(publicKey, utf8("x"), all);
        const suite = new Suite(name, 1, 3, "experimental");
        assert.equal(inspect(blob).kem.status, "experimental");
        for (const policy of ["standard", "draft", undefined]) {
            fails("unsupported_suite", () => generateKeyPair(name, { policy }));
            fails("unsupported_suite", () => seal(publicKey, utf8("x"), { policy }));
            fails("unsupported_suite", () => open(blob, privateKey, { policy }));
            fails("unsupported_suite", () => new Suite(name, 1, 3, policy));
        }
        const { enc, ct } = suite.seal(privateKey.publicKeyBytes(), utf8("hpke"));
        assert.equal(text(suite.open(enc, privateKey, ct)), "hpke");
    }
});

test("defaults: the hybrid for new keys, version 3 where dashboards must open it, else 4", () => {
    assert.equal(generateKeyPair().privateKey.kem, "mlkem768-x25519");
    const { privateKey, publicKey } = generateKeyPair("x25519");
    assert.match(publicKey, /^[A-Za-z0-9+/]{43}=$/);
    assert.equal(inspect(seal(publicKey, utf8("x"))).version, 3);
    const suite = { kdf: "HKDF-SHA512", aead: "AES-256-GCM" };
    const blob = seal(publicKey, utf8("x"), { suite });
    const { version, kem, kdf, aead, plaintextLength } = inspect(blob);
    assert.deepEqual([version, kem.name, kdf.name, aead.id, plaintextLength], [4, "x25519",
        "HKDF-SHA512", 2, 1]);
    assert.equal(text(open(blob, privateKey, { policy: "standard" })), "x");
    fails("bad_argument", () => seal(publicKey, utf8("x"), { version: 3, aad: utf8("a") }));
    fails("wrong_kem", () => seal(generateKeyPair().publicKey, utf8("x"), { version: 3 }));
});

test("a ring refuses blobs below its minVersion", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    for (const minVersion of [undefined, 1, 2, 3, 4]) {
        const ring = new KeyRing({ minVersion });
        ring.add(privateKey);
        for (const version of [3, 4]) {
            const blob = seal(publicKey, utf8("x"), { version });
            if (version < (minVersion ?? 1)) fails("version_refused", () => ring.open(blob));
            else assert.equal(text(ring.open(blob).plaintext), "x");
        }
    }
    for (const minVersion of [0, 5, 1.5, "4", null])
        fails("bad_argument", () => new KeyRing({ minVersion }));
});

test("openMany: one result per blob, in order", () => {
    const ring = new KeyRing();
    ring.add(PrivateKey.parse(KEY));
    const blobs = [BLOB, "", "truncated", "???", BLOB.slice(0, 80),
        seal(generateKeyPair("x25519").publicKey, utf8("x")), Buffer.of(9),
        `${BLOB}AAAA`.replace("=", ""), seal(generateKeyPair().publicKey, utf8("x")), BLOB, 7];
    const codes = ring.openMany(blobs).map((
        result,
    ) => (result.ok ? text(result.plaintext) : result.error.code));
    assert.deepEqual(codes, [PLAINTEXT, "empty", "truncated", "bad_base64", "bad_length",
        "no_key_matched", "unsupported_version", codes[7], "no_key_with_id", PLAINTEXT,
        "bad_argument"]);
    assert.ok(["trailing_bytes", "bad_base64"].includes(codes[7]));
    fails("bad_argument", () => ring.openMany(BLOB));
});

test("openPacked: what openMany says, in few arrays", () => {
    const ring = new KeyRing();
    ring.add(generateKeyPair("x25519").privateKey);
    ring.add(PrivateKey.parse(KEY));
    const blobs = [BLOB, "", "truncated", "???", "\u2026", ` ${BLOB}\n`,
        seal(PrivateKey.parse(KEY).publicKey(), utf8("")),
        seal(generateKeyPair().publicKey, utf8("x")), BLOB];
    const packed = (texts) => {
        const each = texts.map(utf8);
        let end = 0;
        return [Buffer.concat(each), Uint32Array.from(each, ({ length }) => (end += length))];
    };
    const { plaintexts, ends, keys, errors } = ring.openPacked(...packed(blobs));
    const refused = errors.values();
    const results = blobs.map((_, i) => {
        const keyId = ring.keyIds[keys[i]];
        if (keyId === undefined) return { ok: false, error: refused.next().value };
        return { ok: true, plaintext: plaintexts.slice(ends[i - 1] ?? 0, ends[i]), keyId };
    });
    assert.deepEqual(results, ring.openMany(blobs));
    assert.ok(refused.next().done);
    assert.equal(ends.at(-1), plaintexts.length);
    assert.deepEqual(ring.openPacked(new Uint8Array(), new Uint32Array()).errors, []);
    const [bytes, good] = packed(blobs);
    const wrong = [good.slice(1).reverse(), good.slice(0, -1), good.map((end) => end + 1),
        new Uint32Array(), new Uint8Array(5), [1], "1", undefined,
        new Uint32Array([2 ** 32 - 1, bytes.length])];
    for (const ends of wrong) fails("bad_argument", () => ring.openPacked(bytes, ends));
    fails("bad_argument", () => ring.openPacked(BLOB, good));
});

test("HPKE: contexts, sequence, exports, psk and auth, by name and by id", () => {
    const suite = new Suite("x25519", "HKDF-SHA256", "AES-128-GCM", "standard");
    assert.deepEqual(suite.ids, new Suite(0x20, 1, 1).ids);
    const [recipient, sender] = [suite.generateKeyPair(), suite.generateKeyPair()];
    const psk = { psk: new Uint8Array(32).fill(7), pskId: utf8("id") };
    const { enc, context } = suite.createSenderContext(recipient.publicKey, {
        info: utf8("i"),
        ...psk,
        senderKey: sender.privateKey,
    });
    const opening = suite.createRecipientContext(enc, recipient.privateKey, {
        info: utf8("i"),
        ...psk,
        senderPublicKey: sender.publicKey,
    });
    const messages = ["one", "two", "three"].map((message) =>
        context.seal(utf8(message), utf8("a"))
    );
    assert.equal(context.sequence, 3n);
    assert.equal(text(opening.openAt(2n, messages[2], utf8("a"))), "three");
    fails("open", () => opening.open(messages[1], utf8("a")));
    assert.deepEqual(messages.map((ct) => text(opening.open(ct, utf8("a")))), ["one", "two",
        "three"]);
    assert.deepEqual(context.export(utf8("e"), 40), opening.export(utf8("e"), 40));
    // The sender's handle is its owner's still.
    assert.deepEqual(sender.privateKey.publicKeyBytes(), sender.publicKey);
    fails("invalid_psk", () => suite.createSenderContext(recipient.publicKey, { psk: psk.psk }));
    fails("invalid_psk",
        () => suite.createSenderContext(recipient.publicKey, { pskId: psk.pskId }));
    fails("bad_argument", () => suite.createSenderContext(recipient.publicKey, { senderKey: {} }));
    fails("unsupported_suite", () => new Suite("mlkem768-x25519", 1, 3, "standard"));
    fails("refused_kem", () => new Suite("sikep434", 1, 3));
    fails("key_mismatch",
        () =>
            new Suite("p256", 1, 1).open(new Uint8Array(65), recipient.privateKey,
                new Uint8Array(16)));
    const pq = new Suite("mlkem768-x25519", 1, 3);
    fails("auth_unsupported", () =>
        pq.seal(pq.generateKeyPair().publicKey, utf8("x"), {
            senderKey: pq.generateKeyPair().privateKey,
        }));
});

test("wrong types are refused by name, and texts are not taken for bytes", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const suite = new Suite("x25519", 1, 3);
    fails("bad_argument", () => seal(publicKey, "text"));
    fails("bad_argument", () => seal(publicKey, [1, 2]));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { aad: "text" }));
    fails("bad_argument", () => seal(publicKey, utf8("x"), "options"));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { version: 5 }));
    fails("bad_argument", () => open(undefined, privateKey));
    fails("bad_argument", () => open(BLOB, privateKey, { policy: "all" }));
    fails("bad_argument", () => PrivateKey.parse(undefined));
    fails("bad_argument", () => privateKey.export("der"));
    fails("bad_argument", () => suite.seal("key", utf8("x")));
    fails("bad_argument", () => generateKeyPair({}));
    fails("unsupported_suite", () => generateKeyPair(1.5));
    fails("unsupported_suite", () => generateKeyPair("x25518"));
    fails("deserialize", () => suite.seal(new Uint8Array(31), utf8("x")));
    fails("validation", () => suite.seal(new Uint8Array(32), utf8("x")));
    fails("bad_key", () => PrivateKey.parse("AAAA"));
    fails("bad_key", () => PrivateKey.parse(privateKey.publicKey("pem")));
    fails("bad_key", () => PrivateKey.parse(Uint8Array.of(0x30, 0x80, 0xff)));
    fails("bad_key", () => PrivateKey.parse(privateKey.export("pem"), "p256"));
    privateKey.free();
    assert.throws(() => privateKey.publicKey(), Error);
    assert.throws(() => open(BLOB, privateKey), Error);
    assert.throws(() => open(BLOB, {}), Error);
});

test("every error has a code: wrong handles, freed objects, numbers", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const [blob, suite, ring] = [seal(publicKey, utf8("x")), new Suite("x25519", 1, 3),
        new KeyRing()];
    const { enc, ct } = suite.seal(privateKey.publicKeyBytes(), utf8("x"));
    for (const key of ["x", 1, null, undefined, {}, ring]) {
        fails("bad_argument", () => open(blob, key));
        fails("bad_argument", () => ring.add(key));
        fails("bad_argument", () => suite.open(enc, key, ct));
        fails("bad_argument", () => suite.createRecipientContext(enc, key));
    }
    const context = suite.createRecipientContext(enc, privateKey);
    for (const length of ["32", -1, 1.5, NaN, 2 ** 32, undefined, 32n])
        fails("bad_argument", () => context.export(utf8("x"), length));
    for (const sequence of ["0", -1n, 2n ** 64n, 0, undefined])
        fails("bad_argument", () => context.openAt(sequence, ct));
    assert.equal(text(context.openAt(0n, ct)), "x");
    assert.equal(context.export(utf8("x"), 32).length, 32);
    for (const freed of [privateKey, suite, ring, context]) freed.free();
    for (
        const call of [
            () => privateKey.keyId,
            () => privateKey.clone(),
            () => privateKey.export("line"),
            () => open(blob, privateKey),
            () => suite.ids,
            () => suite.generateKeyPair(),
            () => ring.keyIds,
            () => ring.open(blob),
            () => context.sequence,
            () => context.open(ct),
            () => new PrivateKey().kem,
            () => open(blob, new PrivateKey()),
        ]
    ) fails("freed", call);
});

test("free may be called twice, as by `using` after it", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const suite = new Suite("x25519", 1, 3);
    const { enc, context } = suite.createSenderContext(privateKey.publicKeyBytes());
    for (
        const object of [suite.createRecipientContext(enc, privateKey), context, suite, privateKey,
            new KeyRing(), new PrivateKey()]
    ) {
        object.free();
        object.free();
    }
    assert.equal(inspect(seal(publicKey, utf8("x"))).version, 3);
});

test("an error is a PqsealError, whichever module made it", () => {
    for (const call of [() => generateKeyPair("x25518"), () => core.open("", undefined)])
        assert.throws(call, (error) => {
            assert.ok(error instanceof PqsealError && error instanceof core.PqsealError);
            assert.match(error.stack, /^PqsealError: /);
            return true;
        });
    for (const other of [new Error("x"), { name: "PqsealError" }, null])
        assert.ok(!(other instanceof PqsealError));
});

test("a key names its KEM where it is printed, and cannot be cloned", () => {
    const { privateKey } = generateKeyPair("p256");
    const suite = new Suite("x25519", 1, 3);
    assert.equal(printed(privateKey), "PrivateKey {\"kem\":\"p256\"}");
    assert.equal(printed([privateKey.toPublic()]), "[ PublicKey {\"kem\":\"p256\"} ]");
    assert.equal(JSON.stringify({ privateKey, suite }),
        "{\"privateKey\":{\"kem\":\"p256\"},\"suite\":{}}");
    const { port1 } = new MessageChannel();
    for (const handle of [privateKey, privateKey.toPublic(), suite, new KeyRing()]) {
        fails("bad_argument", () => structuredClone(handle));
        fails("bad_argument", () => port1.postMessage({ handle }));
    }
    port1.close();
    privateKey.free();
    assert.equal(printed(privateKey), "PrivateKey (freed)");
});

test("an option that does not exist is refused, and named", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const [suite, ring, x, publicBytes] = [new Suite("x25519", 1, 3), new KeyRing(), utf8("x"),
        privateKey.publicKeyBytes()];
    ring.add(privateKey);
    const [blob, { enc, ct }] = [seal(publicKey, x), suite.seal(publicBytes, x)];
    const refused = (name, call) =>
        assert.throws(() => call({ [name]: x }), (error) => {
            assert.deepEqual([error.name, error.code], ["PqsealError", "bad_argument"]);
            return error.message.includes(`unknown option ${name}`);
        });
    for (const name of ["adda", "AAD", "associatedData", "psk"]) {
        refused(name, (options) => seal(publicKey, x, options));
        refused(name, (options) => open(blob, privateKey, options));
        refused(name, (options) => ring.open(blob, options));
        refused(name, (options) => ring.openMany([blob], options));
    }
    for (const name of ["pskid", "adda", "policy"]) {
        refused(name, (options) => suite.seal(publicBytes, x, options));
        refused(name, (options) => suite.open(enc, privateKey, ct, options));
    }
    // These belong to the other side, or to each message.
    refused("senderKey", (options) => suite.open(enc, privateKey, ct, options));
    refused("senderPublicKey", (options) => suite.createSenderContext(publicBytes, options));
    refused("aad", (options) => suite.createSenderContext(publicBytes, options));
    refused("aad", (options) => suite.createRecipientContext(enc, privateKey, options));
    refused("polcy", (options) => generateKeyPair("x25519", options));
    refused("kem", (suite) => seal(publicKey, x, { suite }));
});

test("bytes in an ArrayBuffer or any view; text is refused with what to do", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const bytes = utf8("xyz");
    for (
        const [value, expected] of [[bytes.buffer, "xyz"], [new DataView(bytes.buffer, 1), "yz"], [
            bytes.subarray(2),
            "z",
        ], [new ArrayBuffer(0), ""]]
    )
        assert.equal(text(open(seal(publicKey, value), privateKey)), expected);
    assert.throws(() => seal(publicKey, "xyz"), /TextEncoder/);
    // Keys, blobs, aad, and what Suite takes: an ArrayBuffer and Node's Buffer, a part of a longer one.
    const suite = new Suite("x25519", 1, 3);
    const forms = [(part) => Uint8Array.from(part).buffer,
        (part) => Buffer.concat([Buffer.of(0), part, Buffer.of(0)]).subarray(1, -1)];
    for (const of of forms) {
        const key = PrivateKey.parse(of(Buffer.from(privateKey.export("pem"))));
        const options = { version: 4, aad: of(bytes), info: of(bytes) };
        const blob = seal(of(Buffer.from(publicKey)), of(bytes), options);
        const { aad, info } = options;
        assert.equal(text(open(of(Buffer.from(blob, "base64")), key, { aad, info })), "xyz");
        const { enc, ct } = suite.seal(of(key.publicKeyBytes()), of(bytes), { aad, info });
        assert.equal(text(suite.open(of(enc), key, of(ct), { aad, info })), "xyz");
        assert.equal(PrivateKey.deserialize("x25519", of(key.serialize())).keyId, key.keyId);
    }
});

test("a public key is checked without sealing", () => {
    for (const { name, publicKeyLength } of suites().kems) {
        const suite = new Suite(name, 1, 3, "experimental");
        const { publicKey } = suite.generateKeyPair();
        assert.equal(suite.checkPublicKey(publicKey), undefined);
        fails("deserialize", () => suite.checkPublicKey(publicKey.subarray(1)));
        // No point of a curve begins with 255, and no coefficient of ML-KEM is 4095; for others any
        // bytes are a key.
        if (/^(p\d|mlkem)/.test(name))
            fails("deserialize", () =>
                suite.checkPublicKey(new Uint8Array(publicKeyLength).fill(255)));
    }
});

test("where an object is in memory is not shown", () => {
    const { privateKey } = generateKeyPair("x25519");
    const { context } = new Suite("x25519", 1, 3).createSenderContext(privateKey.publicKeyBytes());
    for (const object of [privateKey, context, new KeyRing(), privateKey.clone()]) {
        assert.doesNotMatch(JSON.stringify(object) + printed(object, { showHidden: true }),
            /\b\d{4,}|ptr/);
        object.free();
        assert.equal(JSON.stringify(object), "{}");
    }
});

test("a raw key has to say which half it is", () => {
    for (const { name } of suites().kems) {
        const { privateKey } = generateKeyPair(name, all);
        const line = privateKey.publicKey("line");
        const halves = { private: privateKey.export("raw"), public: privateKey.publicKey("raw") };
        for (const [half, written] of Object.entries(halves)) {
            for (const key of [written, utf8(written)]) {
                for (const format of [undefined, "line", "raw"]) {
                    fails("bad_argument", () => derivePublicKey(key, name, format));
                    assert.throws(() => derivePublicKey(key, name, format),
                        /raw.*"private".*"public"/);
                }
                assert.equal(derivePublicKey(key, name, "line", half), line);
            }
        }
        fails("bad_argument", () => derivePublicKey(halves.private, name, "line", "half"));
        // Other formats say it themselves, and a public key can be written in another one.
        assert.equal(derivePublicKey(line, undefined, "raw"), halves.public.trim());
        assert.equal(derivePublicKey(`# for dashboards: ${halves.public}\n${line}\n`, name, "line"),
            line);
        assert.equal(derivePublicKey(privateKey.export("line"), undefined, "line"), line);
    }
});

test("what keygen writes is read: a comment with the base64 above the line", () => {
    const { privateKey, publicKey } = generateKeyPair("x25519");
    const made = `# for dashboards: ${publicKey}\n${privateKey.publicKey("line")}\n`;
    assert.equal(text(open(seal(made, utf8("x")), privateKey)), "x");
    fails("bad_key", () => PrivateKey.parse(made));
});

test("an empty psk or pskId is not a missing one, in any mode and on both sides", () => {
    const suite = new Suite("x25519", 1, 1);
    const { privateKey, publicKey } = suite.generateKeyPair();
    const { enc, ct } = suite.seal(publicKey, utf8("x"));
    const empty = new Uint8Array(0),
        given = {
            psk: [undefined, empty, new Uint8Array(32)],
            pskId: [undefined, empty, utf8("id")],
        };
    for (const psk of given.psk)
        for (const pskId of given.pskId) {
            if (psk?.length !== 0 && pskId?.length !== 0 && !psk === !pskId) continue;
            for (const auth of [false, true]) {
                const to = { psk, pskId, ...(auth ? { senderKey: privateKey } : {}) };
                const from = { psk, pskId, ...(auth ? { senderPublicKey: publicKey } : {}) };
                fails("invalid_psk", () => suite.seal(publicKey, utf8("x"), to));
                fails("invalid_psk", () => suite.createSenderContext(publicKey, to));
                fails("invalid_psk", () => suite.open(enc, privateKey, ct, from));
                fails("invalid_psk", () => suite.createRecipientContext(enc, privateKey, from));
            }
        }
});

test("lengths of exports and sequence numbers at their limits", () => {
    for (const [kdf, most] of [[1, 255 * 32], [2, 255 * 48], [3, 255 * 64], ["SHAKE256", 65535]]) {
        const suite = new Suite("x25519", kdf, 1);
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, context } = suite.createSenderContext(publicKey);
        const opening = suite.createRecipientContext(enc, privateKey);
        for (const length of [0, 1, most]) {
            assert.deepEqual(context.export(utf8("x"), length), opening.export(utf8("x"), length));
            assert.equal(context.export(utf8("x"), length).length, length);
        }
        for (const side of [context, opening]) {
            for (const length of [most + 1, 65536, 2 ** 32 - 1])
                fails("export_too_long", () => side.export(utf8("x"), length));
            for (const length of [-1, 2 ** 32, 1.5])
                fails("bad_argument", () => side.export(utf8("x"), length));
        }
        const ct = context.seal(utf8("x"));
        fails("open", () => opening.openAt(2n ** 64n - 2n, ct));
        fails("message_limit_reached", () => opening.openAt(2n ** 64n - 1n, ct));
        for (const sequence of [2n ** 64n, 2n ** 64n + 1n, 2n ** 128n, -1n])
            fails("bad_argument", () => opening.openAt(sequence, ct));
        assert.equal(text(opening.openAt(0n, ct)), "x");
    }
});

test("keys and encapsulated keys one byte short and long are refused", () => {
    for (const { name } of suites().kems) {
        const suite = new Suite(name, 1, 1, "experimental");
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, ct } = suite.seal(publicKey, utf8("x"));
        const off = (bytes) => [bytes.slice(1), new Uint8Array([...bytes, 0])];
        for (const wrong of off(enc)) {
            fails("deserialize", () => suite.open(wrong, privateKey, ct));
            fails("deserialize", () => suite.createRecipientContext(wrong, privateKey));
        }
        for (const wrong of off(publicKey)) {
            fails("deserialize", () => suite.seal(wrong, utf8("x")));
            fails("deserialize", () => suite.checkPublicKey(wrong));
        }
        for (const wrong of off(privateKey.serialize()))
            fails("deserialize", () => PrivateKey.deserialize(name, wrong));
    }
});

test("the message about a psk names the option", () => {
    const { privateKey } = generateKeyPair("x25519");
    assert.throws(
        () =>
            new Suite("x25519", 1, 3).createSenderContext(privateKey.publicKeyBytes(), {
                psk: new Uint8Array(32),
            }),
        /pskId/,
    );
});

test("slim before its start says so", async () => {
    const slim = await import("../pkg/dist/slim.js?not-started");
    // The same core.js would be started already.
    const core = await import("../pkg/dist/core.js?not-started");
    for (
        const call of [() => core.generateKeyPair(), () => new core.KeyRing(), () => core.suites()]
    ) fails("not_loaded", call);
    assert.equal(typeof slim.start, "function");
});

test("DER, and views of another kind and realm than Uint8Array", async () => {
    const pem = generateKeyPair("p256").privateKey.export("pem");
    const der = Buffer.from(pem.replace(/-----.*-----|\n/g, ""), "base64");
    assert.equal(PrivateKey.parse(der).publicKey(), derivePublicKey(pem));
    fails("bad_key", () => PrivateKey.parse(der, "x25519"));
    const { runInNewContext } = await import("node:vm");
    const foreign = runInNewContext("Uint8Array.from([104, 105])");
    assert.ok(!(foreign instanceof Uint8Array));
    const { privateKey, publicKey } = generateKeyPair("x25519");
    assert.equal(text(open(seal(publicKey, foreign), privateKey)), "hi");
    assert.equal(text(open(seal(publicKey, utf8("--hi--").subarray(2, 4)), privateKey)), "hi");
});

test("no damaged blob or key stops the module", () => {
    const { privateKey, publicKey } = generateKeyPair();
    const blobs = [Buffer.from(BLOB, "base64"), Buffer.from(seal(publicKey, utf8("x")), "base64")];
    const ring = new KeyRing();
    ring.add(privateKey);
    ring.add(PrivateKey.parse(KEY));
    let seed = 1;
    const random = (n) => (seed = (seed * 48271) % 0x7fffffff) % n;
    const damaged = [];
    for (let n = 0; n < 2000; n++) {
        const bytes = Uint8Array.from(blobs[n % 2]);
        for (let flips = 0; flips < 1 + (n % 3); flips++)
            bytes[random(n % 5 ? bytes.length : 50)] = random(256);
        damaged.push(bytes.subarray(0, n % 4 ? bytes.length : random(bytes.length)));
    }
    for (const result of ring.openMany(damaged))
        assert.ok(result.ok || !["failed", "rng"].includes(result.error.code));
    const keys = ["pem", "jwk", "json", "line", "raw"].map((form) =>
        PrivateKey.parse(KEY).export(form)
    );
    for (let n = 0; n < 2000; n++) {
        const bytes = Buffer.from(keys[n % 5]);
        bytes[random(bytes.length)] = random(256);
        try {
            PrivateKey.parse(bytes);
        } catch (error) {
            assert.equal(error.code, "bad_key", error.message);
        }
    }
    assert.equal(text(open(BLOB, PrivateKey.parse(KEY))), PLAINTEXT);
});

test("bytes whose buffer was transferred are refused, and the object stays usable", () => {
    const suite = new Suite("x25519", "HKDF-SHA256", "AES-128-GCM");
    const { privateKey, publicKey } = suite.generateKeyPair();
    const { context } = suite.createSenderContext(publicKey);
    const gone = utf8("text");
    structuredClone(gone, { transfer: [gone.buffer] });
    for (const bytes of [gone, gone.buffer]) {
        fails("bad_argument", () => context.seal(bytes));
        fails("bad_argument", () => suite.open(bytes, privateKey, bytes));
    }
    assert.equal(context.seal(utf8("text")).length, 20);
    for (const object of [context, privateKey, suite]) object.free();
});
