// pqseal/files: the test kit of age in pieces, streams and their boundaries, typage in both
// directions, keys of OpenSSL, errors, flat memory.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { Decrypter, Encrypter, generateHybridIdentity as typageHybrid,
    identityToRecipient as typageRecipient } from "age-encryption";
import { PrivateKey, generateKeyPair } from "../pkg/dist/full/index.js";
import { initSync } from "../pkg/dist/files/core.js";
import { DecryptStream, Decryptor, EncryptStream, Encryptor, decrypt, decryptPem, encrypt,
    generateHybridIdentity, generateX25519Identity, identityToRecipient,
    inspect } from "../pkg/dist/files/index.js";

const utf8 = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);
const concat = (parts) => new Uint8Array(Buffer.concat(parts));
const chunk = 65_536;
/**
 * Around every boundary of a chunk, of a sealed chunk, and of what goes into wasm memory at a time.
 */
const lengths = [0, 1, 15, 16, 17, chunk - 1, chunk, chunk + 1, 2 * chunk - 1, 2 * chunk,
    2 * chunk + 1, 262_144, 262_145, 3_000_001];

const is = (code) => (error) => {
    assert.ok(error instanceof Error && error.name === "PqsealError" && error.message.length > 0,
        String(error));
    assert.equal(error.code, code, error.message);
    return true;
};
const fails = (code, call) => assert.throws(call, is(code));

/** All that comes out of a stream, into which `bytes` go in pieces of one length. */
async function through(stream, bytes, size = bytes.length || 1) {
    const out = [];
    await pieces(bytes, size).pipeThrough(stream).pipeTo(
        new WritableStream({ write: (part) => void out.push(part) }),
    );
    return concat(out);
}

function pieces(bytes, size) {
    let at = 0;
    return new ReadableStream({
        pull(controller) {
            if (at >= bytes.length) return controller.close();
            controller.enqueue(bytes.subarray(at, at += size));
        },
    });
}

const identity = generateHybridIdentity();
const recipient = identityToRecipient(identity);

test("every case of the age test kit, in pieces", () => {
    const { entries } = JSON.parse(
        readFileSync(new URL("../../test-vectors/data/age-kit.json", import.meta.url)),
    );
    assert.equal(entries.length, 143);
    const codes = {
        "success": ["success"],
        "no match": ["no_matching_key", "wrong_passphrase"],
        "HMAC failure": ["altered_header"],
        "header failure": ["bad_header", "not_age", "excessive_work"],
        "armor failure": ["bad_armor"],
        "payload failure": ["altered", "truncated"],
    };
    for (
        const { name, file, compressed, identities, passphrases, expect, payload_sha256 } of entries
    ) {
        const bytes = Buffer.from(file, "hex");
        const whole = compressed ? inflateSync(bytes) : bytes;
        // Some cases have none: any identity will do.
        const keys = [identity, ...identities,
            ...passphrases.map((passphrase) => ({ passphrase }))];
        for (const size of [whole.length || 1, 4_097]) {
            const { code, plaintext } = openInPieces(whole, keys, size);
            // What does not begin as armor is not taken for it.
            const isArmor = !name.startsWith("armor_garbage_leading");
            assert.ok(isArmor ? codes[expect].includes(code) : code === "not_age",
                `${name} in pieces of ${size}: ${code}`);
            if (code === "success")
                assert.equal(createHash("sha256").update(plaintext).digest("hex"), payload_sha256,
                    name);
        }
    }
});

function openInPieces(file, keys, size) {
    const out = [];
    try {
        const decryptor = new Decryptor(keys);
        for (let at = 0; at < file.length; at += size)
            out.push(decryptor.push(file.subarray(at, at + size)));
        out.push(decryptor.finish());
        return { code: "success", plaintext: concat(out) };
    } catch (error) {
        return { code: error.code ?? String(error), plaintext: concat(out) };
    }
}

for (const armor of [false, true]) {
    test(`streams give the plaintext back, of every length${armor ? ", armored" : ""}`, async () => {
        for (const length of lengths) {
            const plaintext = new Uint8Array(randomBytes(length));
            const file = await through(new EncryptStream(recipient, { armor }), plaintext, 100_003);
            assert.equal(text(file.subarray(0, 14)), armor ? "-----BEGIN AGE" : "age-encryption");
            for (const size of [file.length, 65_552, length > 17 ? 9_991 : 1])
                assert.deepEqual(await through(new DecryptStream(identity), file, size), plaintext,
                    `${length} in pieces of ${size}`);
            assert.deepEqual(decrypt(file, [utf8(identity)]), plaintext);
            if (!armor)
                assert.equal(
                    inspect(file.subarray(0, 4096), { fileLength: file.length }).plaintextLength,
                    length,
                );
        }
    });
}

test("typage opens what is encrypted here, and the reverse", async () => {
    const x25519 = generateX25519Identity();
    const theirs = await typageHybrid();
    assert.equal(identityToRecipient(theirs), await typageRecipient(theirs));
    for (const key of [identity, x25519, theirs]) {
        for (const length of lengths) {
            const plaintext = new Uint8Array(randomBytes(length));
            const decrypter = new Decrypter();
            decrypter.addIdentity(key);
            assert.deepEqual(
                new Uint8Array(
                    await decrypter.decrypt(encrypt(identityToRecipient(key), plaintext)),
                ),
                plaintext,
            );
            const encrypter = new Encrypter();
            encrypter.addRecipient(identityToRecipient(key));
            assert.deepEqual(
                await through(new DecryptStream(key), await encrypter.encrypt(plaintext), 70_000),
                plaintext,
            );
        }
    }
    const passphrase = "correct horse battery staple";
    const decrypter = new Decrypter();
    decrypter.addPassphrase(passphrase);
    const file = encrypt({ passphrase: utf8(passphrase), scryptWorkFactor: 10 }, utf8("hello"));
    assert.equal(text(await decrypter.decrypt(file)), "hello");
    const encrypter = new Encrypter();
    encrypter.setPassphrase(passphrase);
    encrypter.setScryptWorkFactor(11);
    assert.equal(text(decrypt(await encrypter.encrypt("hello"), [identity, { passphrase }])),
        "hello");
});

test("the package's own keys are recipients and identities", () => {
    for (const kem of ["x25519", "mlkem768-x25519", "p256", "mlkem1024-p384", "x448"]) {
        const { privateKey } = generateKeyPair(kem);
        const line = privateKey.export("line");
        for (
            const to of [privateKey.publicKey("line"), privateKey.publicKey("jwk"),
                identityToRecipient(line)]
        )
            for (const key of [line, utf8(privateKey.export("jwk"))])
                assert.equal(text(decrypt(encrypt(to, utf8(kem)), key)), kem);
        privateKey.free();
    }
    const { privateKey } = generateKeyPair("mlkem1024-p384");
    fails("bad_key",
        () => encrypt(privateKey.publicKey("line"), utf8("x"), { policy: "standard" }));
});

test("several recipients and identities, and files of them", () => {
    const others = [generateHybridIdentity(), generateHybridIdentity()];
    const list = `# mine\n${identityToRecipient(others[0])}\n\n${recipient}\n`;
    const file = encrypt([list, utf8(identityToRecipient(others[1]))], utf8("x"));
    assert.equal(inspect(file).stanzas.length, 3);
    for (
        const key of [...others, identity, `# created: today\n${identity}\n`, [
            generateX25519Identity(),
            others[1],
        ]]
    ) assert.equal(text(decrypt(file, key)), "x");
    fails("no_matching_key",
        () => decrypt(file, [generateHybridIdentity(), generateX25519Identity()]));
});

test("inspect says what there is to see without a key", () => {
    const classical = inspect(
        encrypt(identityToRecipient(generateX25519Identity()), utf8("x"), { armor: true }),
    );
    assert.deepEqual([classical.armored, classical.passphrase, classical.postQuantum,
        classical.plaintextLength], [true, false, false, undefined]);
    assert.deepEqual(classical.stanzas.map(({ type, args }) => [type, args.length]), [["X25519",
        1]]);
    const locked = inspect(encrypt({ passphrase: "x", scryptWorkFactor: 1 }, utf8("x")));
    assert.deepEqual([locked.armored, locked.passphrase, locked.postQuantum, locked.stanzas[0].type,
        locked.stanzas[0].args[1]], [false, true, true, "scrypt", "1"]);
    const file = encrypt(recipient, utf8("x"));
    const { headerLength } = inspect(file);
    assert.equal(headerLength, file.length - 16 - 17);
    assert.equal(inspect(file.subarray(0, headerLength)).postQuantum, true);
    for (const end of [0, 5, 25, headerLength - 1])
        fails(end ? "bad_header" : "not_age", () => inspect(file.subarray(0, end)));
    fails("truncated", () => inspect(file, { fileLength: headerLength + 16 }));
    fails("not_age", () => inspect(utf8("PK\u0003\u0004")));
    fails("bad_argument", () => inspect(file, { fileLength: 1.5 }));
    fails("bad_argument", () => inspect(file, { length: 1 }));
});

test("a file that was cut is reported as such, and nothing that is not authenticated comes out", async () => {
    const plaintext = new Uint8Array(randomBytes(3 * chunk + 5));
    const file = encrypt(recipient, plaintext);
    const start = inspect(file).headerLength + 16;
    const sealed = chunk + 16;
    for (
        const [end, code, released] of [
            [3, "bad_header", 0],
            [start - 17, "bad_header", 0],
            [start - 1, "bad_header", 0],
            [start, "truncated", 0],
            [start + 1, "altered", 0],
            [start + sealed - 1, "altered", 0],
            [start + sealed, "truncated", 0],
            [start + sealed + 1, "altered", chunk],
            [start + 2 * sealed, "truncated", chunk],
            [file.length - 1, "altered", 3 * chunk],
            [start + 3 * sealed, "truncated", 2 * chunk],
        ]
    ) {
        const out = [];
        const cut = file.subarray(0, end);
        const stream = pieces(cut, 10_000).pipeThrough(new DecryptStream(identity));
        await assert.rejects(
            stream.pipeTo(new WritableStream({ write: (part) => void out.push(part) })),
            is(code),
        );
        assert.deepEqual(concat(out), plaintext.subarray(0, released), `cut at ${end}`);
    }
    const armored = encrypt(recipient, plaintext, { armor: true });
    for (const end of [40, 5000, armored.length - 10])
        await assert.rejects(through(new DecryptStream(identity), armored.subarray(0, end)),
            is("bad_armor"));
});

test("each flipped byte of a small file is an error, and no plaintext comes out", () => {
    const file = encrypt(identityToRecipient(generateX25519Identity()), utf8("hello"));
    const key = generateX25519Identity();
    const mine = encrypt(identityToRecipient(key), utf8("hello"));
    assert.equal(mine.length, file.length);
    for (let at = 0; at < mine.length; at++) {
        const altered = mine.slice();
        altered[at] ^= 1;
        const decryptor = new Decryptor(key);
        let released = 0;
        assert.throws(() => {
            released += decryptor.push(altered).length;
            released += decryptor.finish().length;
        }, (error) =>
            ["not_age", "bad_header", "altered_header", "no_matching_key", "altered", "bad_armor"]
                .includes(error.code), `byte ${at}`);
        assert.equal(released, 0);
    }
});

test("chunks that are swapped, repeated, left out or added are altered", async () => {
    const file = encrypt(recipient, new Uint8Array(randomBytes(3 * chunk + 5)));
    const start = inspect(file).headerLength + 16;
    const [a, b, c, d] = [0, 1, 2, 3].map((n) =>
        file.subarray(start + n * (chunk + 16), start + (n + 1) * (chunk + 16))
    );
    for (
        const order of [[b, a, c, d], [a, a, b, c, d], [a, c, d], [a, b, c, d, d], [a, b, c, d,
            utf8("x")]]
    )
        await assert.rejects(
            through(new DecryptStream(identity), concat([file.subarray(0, start), ...order]),
                50_000),
            is("altered"),
        );
});

test("scrypt's work is refused before it is done", () => {
    const [head, ...rest] = ["age-encryption.org/v1", "-> scrypt rF0/NwblUHHTpgQgRpe5CQ 63",
        "gUjEymFKMVXQEKdMMHL24oYexjE3TIC0O0zGSqJ2aUY",
        "--- IzxJTJwt3BsbZqpDdCqKl1tVAVK5XX9ylGKOnkNA8kU", ""];
    const file = utf8([head, ...rest].join("\n") + "\0".repeat(32));
    fails("excessive_work", () => decrypt(file, { passphrase: "x" }));
    const small = encrypt({ passphrase: "x", scryptWorkFactor: 12 }, utf8("x"));
    fails("excessive_work", () => decrypt(small, { passphrase: "x", maxScryptWorkFactor: 11 }));
    fails("wrong_passphrase", () => decrypt(small, { passphrase: "y" }));
    assert.equal(text(decrypt(small, { passphrase: "x", maxScryptWorkFactor: 12 })), "x");
    for (const passphrase of ["", new Uint8Array(0)]) {
        fails("bad_argument", () => encrypt({ passphrase, scryptWorkFactor: 1 }, utf8("x")));
        fails("bad_argument", () => decrypt(small, { passphrase }));
    }
    for (const factor of [0, 21, 1.5, "12"]) {
        fails("bad_argument", () =>
            encrypt({ passphrase: "x", scryptWorkFactor: factor }, utf8("x")));
        fails("bad_argument", () =>
            decrypt(small, { passphrase: "x", maxScryptWorkFactor: factor }));
    }
});

test("wrong arguments are refused when the object is made", () => {
    const x25519 = identityToRecipient(generateX25519Identity());
    for (
        const [code, ...args] of [
            ["bad_recipients", []],
            ["bad_recipients", [recipient, x25519]],
            ["bad_recipients", [{ passphrase: "x", scryptWorkFactor: 1 }, recipient]],
            ["bad_key", identity],
            ["bad_key", "age1"],
            ["bad_key", ""],
            ["bad_key", "ssh-ed25519 AAAA"],
            ["bad_key", `${recipient}\n${recipient}x`],
            ["bad_key", "age1yubikey1q0000"],
            ["bad_argument", undefined],
            ["bad_argument", 5],
            ["bad_argument", { pass: "x" }],
            ["bad_argument", {}],
            ["bad_argument", new Uint8Array([0xff])],
            ["bad_argument", recipient, { armour: true }],
            ["bad_argument", recipient, { armor: 1 }],
        ]
    ) {
        for (const make of [Encryptor, EncryptStream]) fails(code, () => new make(...args));
    }
    for (
        const [code, given] of [
            ["bad_argument", []],
            ["bad_key", recipient],
            ["bad_key", "AGE-SECRET-KEY-1"],
            ["bad_key", "AGE-PLUGIN-YUBIKEY-1QQQQ"],
            ["bad_argument", null],
        ]
    ) {
        for (const make of [Decryptor, DecryptStream]) fails(code, () => new make(given));
    }
    assert.throws(() => new Encryptor(identity), /identityToRecipient/);
    assert.throws(() => new Encryptor(`${recipient}\n\nage1x`), /^PqsealError: line 3: /);
    fails("bad_argument", () => new Encryptor(recipient).push("text"));
    fails("bad_argument", () => encrypt(recipient, "text"));
});

/** A private key in PEM under the passphrase, by `openssl pkcs8`. */
const openssl = (pem, passphrase, ...options) =>
    execFileSync("openssl", ["pkcs8", "-topk8", "-passout", `pass:${passphrase}`, ...options], {
        input: pem,
        encoding: "utf8",
    });
/**
 * 127 in place of 1 for p, the last of the parameters N = 2^14, r = 8 and p: 2 GiB in all, which
 * openssl refuses to write.
 */
const withMoreWork = (pem) =>
    pem.replace(/(?<=^-----BEGIN [A-Z ]*-----)[^-]*/, (body) => {
        const hex = Buffer.from(body, "base64").toString("hex");
        assert.ok(hex.includes("02024000020108020101"));
        return `\n${
            Buffer.from(hex.replace("02024000020108020101", "0202400002010802017f"), "hex")
                .toString("base64")
        }\n`;
    });
const privateKey = (kem) => generateKeyPair(kem).privateKey;

test("decryptPem decrypts what openssl encrypts, only with its passphrase", () => {
    for (const kem of ["x25519", "p256"]) {
        const key = privateKey(kem);
        for (
            const options of [[], ["-scrypt"], ["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA512",
                "-iter", "5000"]]
        ) {
            const locked = openssl(key.export("pem"), "p\u00e4ss", ...options);
            const plain = decryptPem(utf8(locked), { passphrase: "p\u00e4ss" });
            assert.equal(PrivateKey.parse(plain).keyId, key.keyId);
            assert.match(text(plain), /^-----BEGIN PRIVATE KEY-----\n/);
            fails("wrong_passphrase", () => decryptPem(locked, { passphrase: utf8("pass") }));
        }
    }
});

test("decryptPem decrypts each block where it is, and leaves the rest as it is", () => {
    const [a, b, c] = ["x25519", "p256", "x25519"].map((kem) => privateKey(kem).export("pem"));
    const [first, second] = [openssl(a, "x"), openssl(b, "x", "-scrypt")];
    const opened = text(
        decryptPem(`# one\r\n${first}\r\n${c}# two\n${second}end`, { passphrase: "x" }),
    );
    assert.ok(
        opened.startsWith("# one\r\n-----BEGIN PRIVATE KEY-----") && opened.includes(c)
            && opened.endsWith("end"),
    );
    const ids = opened.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g).map((block) =>
        PrivateKey.parse(block).keyId
    );
    assert.deepEqual(ids, [a, c, b].map((pem) => PrivateKey.parse(pem).keyId));
    // All of them have one passphrase.
    fails("wrong_passphrase", () => decryptPem(first + openssl(b, "y"), { passphrase: "x" }));
});

test("decryptPem says what is wrong with a key", () => {
    const key = privateKey("x25519").export("pem");
    const locked = openssl(key, "x");
    const cut = locked.split("\n").toSpliced(2, 1).join("\n");
    for (
        const [code, pem] of [
            ["unsupported_encryption", openssl(key, "x", "-v2", "des3")],
            ["unsupported_encryption", openssl(key, "x", "-v2", "aria-128-cbc")],
            ["bad_key", cut],
            ["bad_key", locked.slice(0, -20)],
            ["bad_key", key],
            ["bad_key", ""],
            ["excessive_work", openssl(key, "x", "-iter", "10000001")],
            ["excessive_work", withMoreWork(openssl(key, "x", "-scrypt"))],
        ]
    ) fails(code, () => decryptPem(pem, { passphrase: "x" }));
    for (
        const args of [[], [locked], [locked, "x"], [locked, {}], [locked, { passphrase: 1 }], [
            locked,
            { passphrase: "x", pass: "x" },
        ], [1, { passphrase: "x" }], [new Uint8Array([0xff]), { passphrase: "x" }]]
    ) fails("bad_argument", () => decryptPem(...args));
});

test("a finished, failed or freed object is refused, and a stream passes the error on", async () => {
    const encryptor = new Encryptor(recipient);
    encryptor.finish();
    for (const call of [() => encryptor.push(utf8("x")), () => encryptor.finish()])
        fails("freed", call);
    encryptor.free();
    encryptor.free();
    fails("freed", () => encryptor.finish());
    const decryptor = new Decryptor(identity);
    fails("not_age", () => decryptor.push(utf8("something else, that is longer")));
    fails("failed", () => decryptor.push(utf8("x")));
    const stream = new DecryptStream(identity);
    const writer = stream.writable.getWriter();
    const read = stream.readable.getReader().read();
    await assert.rejects(writer.write(utf8("no age file")), is("not_age"));
    await assert.rejects(read, is("not_age"));
    await assert.rejects(writer.close());
    await assert.rejects(
        new Response("x").body.pipeThrough(new TextDecoderStream()).pipeThrough(
            new EncryptStream(recipient),
        ).getReader().read(),
        is("bad_argument"),
    );
    await new EncryptStream(recipient).readable.cancel();
});

test("streams wait for their reader, and memory stays flat for 100 MB", async () => {
    // It is started already, and gives what it has.
    const { memory } = initSync();
    const total = 100 * 1024 * 1024;
    const part = new Uint8Array(randomBytes(1024 * 1024));
    let produced = 0;
    const source = new ReadableStream({
        pull(controller) {
            if (produced === total) return controller.close();
            controller.enqueue(part);
            produced += part.length;
        },
    }, { highWaterMark: 0 });
    let [consumed, ahead, grown] = [0, 0, 0];
    const before = memory.buffer.byteLength;
    const hash = createHash("sha256");
    const through = source.pipeThrough(new EncryptStream(recipient)).pipeThrough(
        new DecryptStream(identity),
    );
    for await (const bytes of through) {
        hash.update(bytes);
        consumed += bytes.length;
        ahead = Math.max(ahead, produced - consumed);
        grown = Math.max(grown, memory.buffer.byteLength - before);
        if (consumed % (8 * part.length) < bytes.length)
            await new Promise((later) => setTimeout(later));
    }
    assert.equal(consumed, total);
    const expected = createHash("sha256");
    for (let at = 0; at < total; at += part.length) expected.update(part);
    assert.equal(hash.digest("hex"), expected.digest("hex"));
    assert.ok(ahead <= 8 * part.length, `${ahead} bytes were read ahead`);
    assert.ok(grown <= 4 * part.length, `wasm memory grew by ${grown} bytes`);
});
