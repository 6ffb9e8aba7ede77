// The module `hpke`: HPKE alone, which works with the other entries and is much smaller.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as full from "../pkg/dist/full/index.js";
import { PqsealError, PrivateKey, PublicKey, Suite, suites } from "../pkg/dist/hpke/index.js";

const utf8 = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
const NAMES = ["x25519", "mlkem768-x25519"];

test("it has X25519 and X-Wing, HKDF and all AEADs", () => {
    assert.deepEqual(suites().kems.map(({ name }) => name), NAMES);
    assert.deepEqual(suites().aeads, full.suites().aeads);
});

test("it opens what full sealed, and the other way round", () => {
    const options = { info: utf8("info"), aad: utf8("aad") };
    for (const name of NAMES)
        for (const aead of [1, 2, 3]) {
            const [here, there] = [new Suite(name, 1, aead), new full.Suite(name, 1, aead)];
            const { privateKey, publicKey } = here.generateKeyPair();
            const same = full.PrivateKey.deserialize(name, privateKey.serialize());
            const to = there.seal(publicKey, utf8("to"), options);
            assert.equal(text(here.open(to.enc, privateKey, to.ct, options)), "to");
            const from = here.seal(same.toPublic(), utf8("from"), options);
            assert.equal(text(there.open(from.enc, same, from.ct, options)), "from");
            assert.equal(PublicKey.deserialize(name, publicKey).fingerprint, same.fingerprint);
        }
});

test("what only full has is said to be there", () => {
    for (
        const call of [() => new Suite("p256", 1, 1), () => new Suite("x25519", "SHAKE256", 1),
            () => PrivateKey.deserialize("mlkem768", new Uint8Array(64))]
    )
        assert.throws(call, (error) => {
            assert.ok(error instanceof PqsealError);
            assert.equal(error.code, "unsupported_suite");
            return error.message.endsWith("; pqseal/full has every algorithm");
        });
    assert.throws(() => new Suite("x25518", 1, 1), /choose one of x25519/);
});
