// What secrets leave behind in memory: see scan.mjs. Each test first finds them where they have to
// be, so that a search that sees nothing fails too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { hasRelaxedSimd } from "./relaxed-simd.mjs";
import { absent, checkStack, instances, load, present } from "./scan.mjs";

/** Of the package's two: memory-core.test.mjs asks for the other. */
const { core, memory } = await load(globalThis.moduleFolder ?? "full/");
const { PrivateKey, Suite, KeyRing, generateKeyPair, open, seal, suites } = core;

/** Experimental KEMs too. */
const all = { policy: "experimental" };
const plaintext = Buffer.from(
    "GET /?q=%3Cscript%3Ealert(document.cookie)%3C/script%3E HTTP/1.1 and so on",
);

for (const { name, id } of suites().kems) {
    test(`${name}: seed, plaintext and exports are gone after free`, () => {
        const privateKey = generateKeyPair(name, all).privateKey;
        const seed = privateKey.serialize();
        present(seed, "the key in use");
        const texts = ["raw", "line"].map((form) => Buffer.from(privateKey.export(form)));
        const blob = seal(privateKey.publicKey(), plaintext, { version: 4, ...all });
        const suite = new Suite(name, 1, 3, all.policy);
        const { enc, context } = suite.createSenderContext(privateKey.publicKeyBytes());
        const received = suite.createRecipientContext(enc, privateKey);
        const secrets = [received.export(Buffer.from("a"), 64),
            context.export(Buffer.from("b"), 64)];
        assert.deepEqual(received.open(context.seal(plaintext)), new Uint8Array(plaintext));
        const ring = new KeyRing();
        ring.add(privateKey);
        for (const form of texts) {
            const key = PrivateKey.parse(form, name);
            assert.equal(key.keyId, privateKey.keyId);
            assert.deepEqual(open(blob, key, all), new Uint8Array(plaintext));
            key.free();
            PrivateKey.parse(form.toString(), name).free();
        }
        assert.ok(ring.openMany([blob, blob], all).every(({ ok }) => ok));
        assert.equal(
            ring.openPacked(Buffer.from(blob + blob), Uint32Array.of(blob.length, 2 * blob.length),
                all).errors.length,
            0,
        );
        assert.throws(() =>
            open(seal(generateKeyPair(name, all).publicKey, plaintext, { version: 4, ...all }),
                privateKey, all)
        );
        const derived = suite.deriveKeyPair(seed).privateKey;
        const derivedSeed = derived.serialize();
        for (const handle of [privateKey, ring, derived, context, received, suite]) handle.free();

        absent(seed, "the seed");
        absent(derivedSeed, "the derived seed");
        absent(plaintext, "the plaintext");
        secrets.forEach((secret) => absent(secret, "an exported secret"));
        texts.forEach((form) => absent(form.subarray(form.length - 49), "the key as text"));
    });
}

const calendars = suites().kems.some(({ name }) => name === "p256");
test("seeds of a calendar are gone after free, with its file and what it opened", {
    skip: calendars ? false : "core has none",
}, () => {
    const { testGroups } = JSON.parse(
        readFileSync(new URL("../../test-vectors/kit/calendars/answers.json", import.meta.url)),
    );
    for (const { periods, tests: [whole, sealing] } of testGroups) {
        const lines = whole.file.split("\n").slice(1, -1).map((line) => line.split(" ")[2]);
        const seeds = lines.map((line) => {
            const key = PrivateKey.parse(line);
            const seed = key.serialize();
            key.free();
            return seed;
        });
        const [calendar, ring] = [core.Calendar.parse(Buffer.from(whole.file)), new KeyRing()];
        ring.addCalendar(calendar);
        calendar.free();
        const to = core.Calendar.parse(sealing.file);
        const blobs = periods.map(({ unix }) => to.seal(unix * 1000, plaintext));
        assert.ok(ring.openMany(blobs).every(({ ok }) => ok));
        seeds.forEach((seed) => present(seed, "the seed of a key in use"));
        for (const handle of [ring, to]) handle.free();
        seeds.forEach((seed) => absent(seed, "a seed"));
        lines.forEach((line) => absent(Buffer.from(line.slice(-49)), "a key as text"));
        absent(plaintext, "the plaintext");
    }
});

test("shared secret and keys of the schedule are gone after free, with the private key still in use", () => {
    const { kems, kdfs } = suites();
    const isHere = ({ kem_id, kdf_id }) =>
        kems.some(({ id }) => id === kem_id) && kdfs.some(({ id }) => id === kdf_id);
    const here = vectors("rfc9180").concat(vectors("hpke-pq")).filter(isHere);
    assert.ok(here.length > 3);
    for (const vector of here) {
        const bytes = (field) => Buffer.from(vector[field], "hex");
        const suite = new Suite(vector.kem_id, vector.kdf_id, vector.aead_id);
        const key = PrivateKey.deserialize(vector.kem_id, bytes("sk_r"));
        const context = suite.createRecipientContext(bytes("enc"), key, { info: bytes("info") });
        present(bytes("exporter_secret"), "the exporter secret of a context in use");
        context.free();
        for (const field of ["shared_secret", "secret", "key", "base_nonce", "exporter_secret"]) {
            if (vector[field]) absent(bytes(field), field);
        }
        present(bytes("sk_r"), "the private key in use");
        key.free();
        absent(bytes("sk_r"), "the private key");
    }
});

test("no call goes deeper into the stack than is overwritten after it", () => {
    for (const { name } of suites().kems) {
        let last;
        checkStack(memory, name, () => {
            const { privateKey, publicKey } = generateKeyPair(name, all);
            const blob = seal(publicKey, plaintext, { version: 4, ...all });
            open(blob, privateKey, all);
            PrivateKey.parse(privateKey.export("line")).free();
            const ring = new KeyRing();
            ring.add(privateKey);
            ring.openMany([blob], all);
            ring.openPacked(Buffer.from(blob), Uint32Array.of(blob.length), all);
            const suite = new Suite(name, 1, 3, all.policy);
            suite.deriveKeyPair(privateKey.serialize()).privateKey.free();
            const { enc, context } = suite.createSenderContext(privateKey.publicKeyBytes());
            const received = suite.createRecipientContext(enc, privateKey);
            received.open(context.seal(plaintext));
            received.export(plaintext, 64);
            for (const handle of [ring, context, received, suite]) handle.free();
            // What frees overwrites the stack no more, since it leaves no secret there: so the last
            // call is one that does.
            privateKey.export("line");
            last = privateKey;
        });
        last.free();
    }
});

test("relaxed SIMD's memory is as it was before the first call", (t) => {
    generateKeyPair("x25519").privateKey.free();
    t.diagnostic(hasRelaxedSimd ? "with relaxed SIMD" : "without relaxed SIMD");
    assert.equal(instances.length, hasRelaxedSimd ? 2 : 1);
    for (const { exports, atFirst } of instances.slice(1)) {
        const now = () => Buffer.from(exports.memory.buffer);
        assert.deepEqual(now(), atFirst);
        // Called by itself it leaves secrets on its stack, which is deep enough, and the result
        // beside them.
        now().fill(0x5a, exports.BUFFER.value, exports.BUFFER.value + 64);
        exports.multiply();
        const used = now().findIndex((byte, at) => byte !== atFirst[at]);
        assert.ok(used < exports.__stack_pointer.value, "the stack is in use");
        assert.ok(used > exports.__stack_pointer.value / 4, `the stack is used down to ${used}`);
        generateKeyPair("x25519").privateKey.free();
        assert.deepEqual(now(), atFirst);
    }
});

function vectors(file) {
    const { entries } = JSON.parse(
        readFileSync(new URL(`../../test-vectors/data/${file}.json`, import.meta.url)),
    );
    return entries.filter(({ mode }) => mode === 0);
}
