// pqseal/jwe: what the vectors do not say: defaults, options, errors, and that no input stops the
// module.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PrivateKey as OtherPrivateKey } from "../pkg/dist/full/index.js";
import { PrivateKey, algorithms, generateKeyPair, inspect, open,
    seal } from "../pkg/dist/jwe/index.js";
import * as jwe from "../pkg/dist/jwe/index.js";
import { checkJose } from "./jose.mjs";

const utf8 = (text) => new TextEncoder().encode(text);
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
const vectors = (name) =>
    JSON.parse(readFileSync(new URL(`../../test-vectors/data/${name}.json`, import.meta.url)));
const named = (end) =>
    algorithms().filter(({ name }) => name.endsWith("-KE") === end).map(({ name }) => name);

test("the examples of both drafts open", () => {
    assert.equal(checkJose(jwe, [vectors("jose-hpke")]), 48);
    assert.equal(checkJose(jwe, [vectors("jose-hpke-pq")]), 30);
});

test("every algorithm: a key made here, written, read again, seals and opens", () => {
    assert.equal(algorithms().length, 26);
    for (const { name, kem, keyEncryption, postQuantum } of algorithms()) {
        const { privateKey, publicKey } = generateKeyPair(name, { kid: "1" });
        assert.deepEqual([privateKey.alg, privateKey.kid, keyEncryption, postQuantum], [name, "1",
            name.endsWith("-KE"), kem >= 0x40]);
        assert.deepEqual([JSON.parse(publicKey).alg, JSON.parse(publicKey).kid], [name, "1"]);
        for (
            const jwk of [privateKey.export(), utf8(privateKey.export()),
                JSON.parse(privateKey.export())]
        ) {
            const read = PrivateKey.parse(jwk);
            assert.equal(read.publicKey(), publicKey);
            const opened = open(seal(publicKey, utf8("hello")), read, [name]);
            assert.deepEqual([text(opened.plaintext), opened.alg, opened.header.kid], ["hello",
                name, "1"]);
        }
        assert.ok(!("priv" in JSON.parse(publicKey)) && !("d" in JSON.parse(publicKey)));
    }
});

test("the serialization follows from the message, or is chosen", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-9-KE");
    const other = generateKeyPair("HPKE-12-KE", { kid: "b" });
    for (
        const [to, options, expected] of [
            [publicKey, undefined, "compact"],
            [publicKey, { aad: utf8("a") }, "flattened"],
            [[publicKey, other.publicKey], {}, "general"],
            [publicKey, { serialization: "general" }, "general"],
            [JSON.parse(publicKey), { serialization: "flattened" }, "flattened"],
            [[{ publicKey }], {}, "compact"],
        ]
    ) {
        const sealed = seal(to, utf8("x"), options);
        assert.equal(inspect(sealed).serialization, expected);
        assert.equal(text(open(sealed, privateKey, ["HPKE-9-KE"]).aad), options?.aad ? "a" : "");
        if (expected !== "compact")
            assert.equal(text(open(JSON.parse(sealed), privateKey, ["HPKE-9-KE"]).plaintext), "x");
    }
    const general = seal([publicKey, other.publicKey], utf8("x"));
    assert.equal(inspect(general).recipients.length, 2);
    assert.deepEqual(
        inspect(general).recipients.map((
            { header, encryptedKeyLength },
        ) => [header.alg, header.kid, encryptedKeyLength]),
        [["HPKE-9-KE", undefined, 48], ["HPKE-12-KE", "b", 48]],
    );
    const opened = open(general, [generateKeyPair("HPKE-9-KE").privateKey, other.privateKey], [
        "HPKE-9-KE",
        "HPKE-12-KE",
    ]);
    assert.deepEqual([opened.recipient, opened.key, opened.alg], [1, 1, "HPKE-12-KE"]);
    fails("bad_argument",
        () => seal([publicKey, other.publicKey], utf8("x"), { serialization: "compact" }));
    fails("bad_argument",
        () => seal(publicKey, utf8("x"), { serialization: "compact", aad: utf8("a") }));
    fails("bad_argument", () => seal([generateKeyPair("HPKE-9").publicKey, publicKey], utf8("x")));
    fails("bad_argument",
        () => seal([publicKey, generateKeyPair("HPKE-0-KE").publicKey], utf8("x")));
    fails("bad_argument", () => seal([], utf8("x")));
});

test("content encryption, header, aad and info are as they were given", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-3-KE");
    const to = { publicKey, kid: "other", info: utf8("i") };
    for (const enc of ["A128GCM", "A256GCM", "A128CBC-HS256"]) {
        const sealed = seal(to, utf8("x"), {
            enc,
            aad: utf8("a"),
            protected: { typ: "JWT", n: [1, { deep: null }] },
        });
        const { header } = open(sealed, privateKey, ["HPKE-3-KE"], { enc: [enc], info: utf8("i") });
        assert.deepEqual([header.enc, header.typ, header.n, header.kid], [enc, "JWT", [1, {
            deep: null,
        }], "other"]);
        fails("altered", () => open(sealed, privateKey, ["HPKE-3-KE"]));
        const others = ["A128GCM", "A256GCM"].filter((other) => other !== enc);
        fails("content_not_allowed", () =>
            open(sealed, privateKey, ["HPKE-3-KE"], { enc: others, info: utf8("i") }));
    }
    for (const name of ["alg", "enc", "kid", "ek", "zip", "crit"])
        fails("bad_argument", () => seal(publicKey, utf8("x"), { protected: { [name]: "x" } }));
});

test("a pre-shared key authenticates the sender, and is required once it is given", () => {
    for (const name of ["HPKE-0", "HPKE-9-KE"]) {
        const { privateKey, publicKey } = generateKeyPair(name);
        const psk = { psk: new Uint8Array(32).fill(7), pskId: utf8("id") };
        const sealed = seal({ publicKey, ...psk }, utf8("x"));
        const other = { psk: new Uint8Array(32).fill(8), pskId: utf8("other") };
        assert.equal(text(open(sealed, privateKey, [name], { psks: [other, psk] }).pskId), "id");
        fails("unknown_psk", () => open(sealed, privateKey, [name]));
        fails("unknown_psk", () => open(sealed, privateKey, [name], { psks: [other] }));
        fails("altered", () =>
            open(sealed, privateKey, [name], { psks: [{ ...other, pskId: psk.pskId }] }));
        const base = seal(publicKey, utf8("x"));
        fails("psk_required", () => open(base, privateKey, [name], { psks: [psk] }));
        fails("psk_required", () => open(base, privateKey, [name], { requirePsk: true }));
        assert.equal(open(base, privateKey, [name], { psks: [psk], requirePsk: false }).pskId,
            undefined);
        fails("invalid_psk", () => seal({ publicKey, psk: psk.psk }, utf8("x")));
        fails("invalid_psk", () => seal({ publicKey, pskId: psk.pskId }, utf8("x")));
        fails("invalid_psk", () => open(base, privateKey, [name], { psks: [{ psk: psk.psk }] }));
        const empty = new Uint8Array(0);
        for (
            const wrong of [{ psk: empty }, { pskId: empty }, { psk: empty, pskId: empty }, {
                ...psk,
                psk: empty,
            }, { ...psk, pskId: empty }]
        ) {
            fails("invalid_psk", () => seal({ publicKey, ...wrong }, utf8("x")));
            fails("invalid_psk", () => open(base, privateKey, [name], { psks: [wrong] }));
        }
        fails("psk_required", () => open(base, privateKey, [name], { psks: [] }));
        assert.throws(() => seal({ publicKey, psk: psk.psk }, utf8("x")), /pskId/);
    }
});

test("the list of algorithms is required, and a key is for its algorithm only", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-9");
    const sealed = seal(publicKey, utf8("x"));
    for (const list of [undefined, null, [], "HPKE-9", ["HPKE-11"], [9], ["dir"], ["hpke-9"]])
        fails("bad_argument", () => open(sealed, privateKey, list));
    fails("algorithm_not_allowed", () => open(sealed, privateKey, named(true)));
    fails("key_algorithm", () => seal({ publicKey, alg: "HPKE-9-KE" }, utf8("x")));
    fails("key_algorithm", () => seal({ publicKey, alg: "HPKE-0" }, utf8("x")));
    fails("key_algorithm", () => PrivateKey.parse(privateKey.export(), { alg: "HPKE-9-KE" }));
    fails("no_key_matched", () => open(sealed, generateKeyPair("HPKE-0").privateKey, named(false)));
    fails("altered", () => open(sealed, generateKeyPair("HPKE-9").privateKey, ["HPKE-9"]));
    const curve = {
        kty: "OKP",
        crv: "X25519",
        x: JSON.parse(generateKeyPair("HPKE-3").publicKey).x,
    };
    fails("bad_argument", () => seal(curve, utf8("x")));
    assert.equal(
        inspect(seal({ publicKey: curve, alg: "HPKE-4" }, utf8("x"))).recipients[0].header.alg,
        "HPKE-4",
    );
    const unnamed = {
        ...JSON.parse(generateKeyPair("HPKE-3").privateKey.export()),
        alg: undefined,
    };
    assert.equal(PrivateKey.parse(unnamed).alg, undefined);
    assert.equal(PrivateKey.parse(unnamed, { alg: "HPKE-4", kid: "k" }).kid, "k");
});

test("the kid of a message chooses the key", () => {
    const [a, b] = ["a", "b"].map((kid) => generateKeyPair("HPKE-7", { kid }));
    assert.equal(open(seal(b.publicKey, utf8("x")), [a.privateKey, b.privateKey], ["HPKE-7"]).key,
        1);
    fails("no_key_matched", () => open(seal(b.publicKey, utf8("x")), a.privateKey, ["HPKE-7"]));
    fails("no_key_matched", () => open(seal(b.publicKey, utf8("x")), [], ["HPKE-7"]));
});

test("algorithm confusion, crit, zip and duplicate members are refused", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-0");
    const [header, ...rest] = seal(publicKey, utf8("x")).split(".");
    const all = algorithms().map(({ name }) => name);
    const members = JSON.parse(Buffer.from(header, "base64url"));
    const as = (json) => [Buffer.from(json).toString("base64url"), ...rest].join(".");
    for (
        const [code, change] of Object.entries({
            key_algorithm: { alg: "HPKE-7" },
            no_key_matched: { alg: "HPKE-3" },
            refused: { zip: "DEF" },
            algorithm_not_allowed: { alg: "dir" },
            malformed: { enc: "A128GCM" },
        })
    ) fails(code, () => open(as(JSON.stringify({ ...members, ...change })), privateKey, all));
    fails("refused",
        () => open(as(JSON.stringify({ ...members, crit: ["exp"] })), privateKey, all));
    fails("malformed", () => open(as("{\"alg\":\"HPKE-0\",\"alg\":\"HPKE-0\"}"), privateKey, all));
    fails("malformed",
        () => open(as(JSON.stringify({ ...members, alg: undefined })), privateKey, all));
    fails("key_algorithm",
        () =>
            open(as(JSON.stringify({ ...members, alg: "HPKE-0-KE", enc: "A128GCM", ek: rest[0] })),
                privateKey, all));
});

test("wrong types and options are refused by name", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-0");
    const sealed = seal(publicKey, utf8("x"));
    const circle = {};
    circle.self = circle;
    fails("bad_argument", () => seal(publicKey, "text"));
    fails("bad_argument", () => seal(undefined, utf8("x")));
    fails("bad_argument", () => seal(circle, utf8("x")));
    for (const protectedHeader of [circle, "x", ["x"], 1])
        fails("bad_argument", () => seal(publicKey, utf8("x"), { protected: protectedHeader }));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { enc: "A192GCM" }));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { enc: "A256GCM" }));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { serialization: "json" }));
    fails("bad_argument", () => seal({ publicKey, pks: utf8("x") }, utf8("x")));
    fails("bad_argument", () => seal(publicKey, utf8("x"), { add: utf8("x") }));
    fails("bad_argument", () => open(sealed, privateKey, ["HPKE-0"], { psk: utf8("x") }));
    fails("bad_argument", () => open(sealed, privateKey, ["HPKE-0"], { requirePsk: "yes" }));
    fails("bad_argument", () => open(7, privateKey, ["HPKE-0"]));
    fails("bad_argument", () => open(Uint8Array.of(0xff), privateKey, ["HPKE-0"]));
    for (
        const key of [undefined, null, 7, "key", {}, publicKey, OtherPrivateKey, { clone: () => 7 }]
    ) fails("bad_argument", () => open(sealed, key, ["HPKE-0"]));
    fails("bad_argument",
        () => open(sealed, OtherPrivateKey.parse(privateKey.export()), ["HPKE-0"]));
    fails("bad_argument", () => generateKeyPair("HPKE-11"));
    fails("bad_argument", () => generateKeyPair("HPKE-0", { kid: 7 }));
    fails("bad_key", () => PrivateKey.parse(publicKey));
    fails("bad_key", () => PrivateKey.parse("{}"));
    fails("bad_key", () => PrivateKey.parse("not JSON"));
    const freed = privateKey.clone();
    freed.free();
    freed.free();
    fails("freed", () => freed.export());
    fails("bad_argument", () => open(sealed, freed, ["HPKE-0"]));
    assert.equal(text(open(sealed, privateKey, ["HPKE-0"]).plaintext), "x");
});

test("keys move between pqseal and pqseal/jwe", () => {
    for (const name of ["HPKE-0", "HPKE-5", "HPKE-9", "HPKE-13"]) {
        const { privateKey, publicKey } = generateKeyPair(name);
        const there = OtherPrivateKey.parse(privateKey.export());
        assert.equal(there.kem, privateKey.kem);
        const back = PrivateKey.parse(there.export("jwk"), { alg: name });
        assert.equal(text(open(seal(publicKey, utf8("x")), back, [name]).plaintext), "x");
    }
});

test("no damaged or hostile message stops the module", () => {
    const { privateKey, publicKey } = generateKeyPair("HPKE-3-KE");
    const all = algorithms().map(({ name }) => name);
    const messages = [seal(publicKey, utf8("x")), seal(publicKey, utf8("x"), { aad: utf8("a") }),
        seal([publicKey, publicKey], utf8("x"))].map(utf8);
    let seed = 1;
    const random = (n) => (seed = (seed * 48271) % 0x7fffffff) % n;
    const refused = new Set();
    for (let n = 0; n < 1500; n++) {
        const bytes = messages[n % 3].slice();
        for (let flips = 0; flips < 1 + (n % 3); flips++) bytes[random(bytes.length)] = random(128);
        try {
            open(bytes.subarray(0, n % 4 ? bytes.length : random(bytes.length)), privateKey, all);
        } catch (error) {
            refused.add(error.code);
        }
    }
    assert.ok(
        refused.has("malformed") && refused.has("altered") && !refused.has("failed")
            && !refused.has(undefined),
        [...refused].join(),
    );
    const nested = (depth) =>
        `{"protected":"e30","ciphertext":"AA","unprotected":${"[".repeat(depth)}${
            "]".repeat(depth)
        }}`;
    const encoded = (text) => Buffer.from(text).toString("base64url");
    fails("malformed", () => open(nested(20_000), privateKey, all));
    fails("too_long", () => open(nested(200_000), privateKey, all));
    fails("too_long", () => inspect(`${"e".repeat(10_000_000)}....`));
    fails("malformed", () => inspect(`${encoded(`{"alg":"HPKE-0","x":${"[".repeat(5000)}`)}....`));
    for (
        const hostile of ["", ".", "....", "{", "{}", "[]", "null", "a.b.c.d.e.f", "\u0000",
            "eyJhbGciOiJIUEtFLTAifQ==...."]
    ) fails("malformed", () => inspect(hostile));
    assert.equal(text(open(messages[0], privateKey, all).plaintext), "x");
});

test("where a key is in memory is not shown", () => {
    const { privateKey } = generateKeyPair("HPKE-3");
    assert.equal(JSON.stringify(privateKey), "{\"kem\":\"x25519\"}");
});
