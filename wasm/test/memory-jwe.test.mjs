// What secrets of pqseal/jwe leave behind in memory: see scan.mjs.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { absent, checkStack, load, present } from "./scan.mjs";

const { core, memory } = await load("jwe/");
const { PrivateKey, algorithms, generateKeyPair, open, seal } = core;
const plaintext = Buffer.from(
    "The plaintext, which is longer than a few blocks of sixteen bytes, so that all of it is searched for.",
);
const psk = { psk: randomBytes(32), pskId: Buffer.from("id") };
const secretOf = (jwk) => JSON.parse(jwk).priv ?? JSON.parse(jwk).d;

for (const { name, keyEncryption } of algorithms()) {
    test(`${name}: key, plaintext and pre-shared key are gone after free`, () => {
        const { privateKey, publicKey } = generateKeyPair(name);
        const jwk = privateKey.export();
        const secret = Buffer.from(secretOf(jwk), "base64url");
        present(secret, "the key in use");
        const read = PrivateKey.parse(Buffer.from(jwk));
        const shared = read.clone();
        PrivateKey.parse(JSON.parse(jwk)).free();
        for (
            const options of [{}, { aad: plaintext.subarray(0, 4) },
                ...keyEncryption ? [{ enc: "A128CBC-HS256" }] : []]
        ) {
            const message = seal({ publicKey, ...psk }, plaintext, options);
            assert.deepEqual(open(message, [shared, read], [name], { psks: [psk] }).plaintext,
                new Uint8Array(plaintext));
            assert.throws(() =>
                open(message, read, [name], { psks: [{ ...psk, psk: plaintext }] })
            );
        }
        for (const handle of [privateKey, read, shared]) handle.free();
        absent(secret, "the key");
        absent(Buffer.from(secretOf(jwk)).subarray(-32), "the key as text");
        absent(plaintext, "the plaintext");
        absent(psk.psk, "the pre-shared key");
    });
}

test("no call goes deeper into the stack than is overwritten after it", () => {
    for (const { name } of algorithms()) {
        let last;
        checkStack(memory, name, () => {
            const { privateKey, publicKey } = generateKeyPair(name);
            open(seal(publicKey, plaintext, { aad: plaintext }),
                PrivateKey.parse(privateKey.export()), [name]);
            privateKey.export();
            last = privateKey;
        });
        last.free();
    }
});
