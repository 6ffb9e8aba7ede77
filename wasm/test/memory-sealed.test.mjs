// What keys for sealed values leave behind in memory: see scan.mjs.
import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { absent, checkStack, load, present } from "./scan.mjs";

const { core, memory } = await load("sealed/");
const { KeyRing, PrivateKey, SealedRing } = core;
const { SealedKeys, readKeys } = await import("../pkg/dist/sealed/sealed.js");

const gateway = JSON.parse(
    readFileSync(new URL("../../crates/sealed/tests/ai_gateway.json", import.meta.url)),
);

test("RSA keys, what they unwrap, identities and plaintexts of sealed values are gone", async (t) => {
    const identity = "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0";
    const file = Buffer.from(`${gateway.keys["2048"]}${identity}\n`);
    const { decrypt } = crypto.subtle;
    let unwrapped;
    t.mock.method(crypto.subtle, "decrypt", async (...inputs) => {
        const key = await decrypt.apply(crypto.subtle, inputs);
        unwrapped = Buffer.from(new Uint8Array(key));
        return key;
    });
    const sealed = new SealedKeys(new KeyRing());
    for (const key of (await readKeys(file)).others) sealed.add(key);
    const value = Buffer.from(JSON.stringify(gateway.objects[0].value));
    const { plaintexts } = await sealed.openPacked(value, Uint32Array.of(value.length));
    assert.deepEqual(Buffer.from(plaintexts), Buffer.from(gateway.objects[0].text));
    present(Buffer.from(sealed.keyIds[0]), "the id of a key in use");
    absent(Buffer.from(plaintexts), "the plaintext");
    assert.equal(unwrapped.length, 32);
    absent(unwrapped, "an unwrapped key");
    const der = createPrivateKey(gateway.keys["2048"]).export({ type: "pkcs1", format: "der" });
    // The modulus is public, and before the rest.
    absent(der.subarray(280), "an RSA key");
    absent(file.subarray(file.length - 1600), "keys as text");
    sealed.free();
});

test("no call for sealed values goes deeper into the stack than is overwritten after it", () => {
    const { entries } = JSON.parse(
        readFileSync(new URL("../../test-vectors/data/jose-hpke-pq.json", import.meta.url)),
    );
    for (const { jwk, compact, alg } of entries) {
        const ring = new KeyRing();
        ring.add(PrivateKey.parse(JSON.stringify(jwk)));
        const sealed = new SealedRing(ring);
        sealed.addRsa("0123456789abcdef", 256);
        const values = Buffer.from(compact + JSON.stringify(gateway.objects[0].value));
        const ends = Uint32Array.of(compact.length, values.length);
        checkStack(memory, alg, () => {
            SealedRing.keysIn(gateway.keys["4096"]);
            const { errors } = sealed.openPacked(values, ends, new Uint8Array(64),
                Uint32Array.of(2, 1));
            assert.deepEqual(errors.map(({ code }) => code), ["no_key_matched"]);
        });
        for (const handle of [sealed, ring]) handle.free();
    }
});
