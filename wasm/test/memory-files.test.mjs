// What secrets of pqseal/files leave behind in memory: see scan.mjs.
import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { absent, checkStack, load, present } from "./scan.mjs";

const { core, memory } = await load("files/");
const {
    Decryptor,
    Encryptor,
    decrypt,
    decryptPem,
    encrypt,
    generateHybridIdentity,
    generateX25519Identity,
    identityToRecipient,
} = core;
const plaintext = new Uint8Array(randomBytes(200_000));
const ends = [plaintext.subarray(0, 64), plaintext.subarray(-64)];
const passphrase = randomBytes(32).toString("hex");

/** The bytes of a Bech32 text: five bits per character, without prefix and checksum. */
function bytesOf(identity) {
    const letters = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L";
    const bits = [...identity.slice(identity.lastIndexOf("1") + 1, -6)].map((letter) =>
        letters.indexOf(letter).toString(2).padStart(5, "0")
    ).join("");
    return Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
}

for (const [name, generate] of Object.entries({ generateHybridIdentity, generateX25519Identity })) {
    test(`${name}: key and plaintext are gone after the file is finished or freed`, () => {
        const identity = generate();
        const secret = bytesOf(identity);
        assert.equal(secret.length, 32);
        const recipient = identityToRecipient(Buffer.from(identity));
        for (const armor of [false, true]) {
            const encryptor = new Encryptor(recipient, { armor });
            const parts = [encryptor.push(plaintext.subarray(0, 150_000)),
                encryptor.push(plaintext.subarray(150_000)), encryptor.finish()];
            encryptor.free();
            const file = Buffer.concat(parts);
            const waiting = new Decryptor(Buffer.from(identity));
            present(secret, "the key until the header is open");
            waiting.free();
            const decryptor = new Decryptor(Buffer.from(identity));
            const opened = Buffer.concat([decryptor.push(file.subarray(0, 90_000)),
                decryptor.push(file.subarray(90_000)), decryptor.finish()]);
            decryptor.free();
            assert.deepEqual(new Uint8Array(opened), plaintext);
            assert.throws(() => decrypt(file.subarray(0, -9), identity));
            // Given up in the middle.
            const left = new Decryptor(identity);
            left.push(file.subarray(0, 90_000));
            left.free();
        }
        absent(secret, "the key");
        absent(Buffer.from(identity).subarray(-48), "the key as text");
        for (const end of ends) absent(end, "the plaintext");
    });
}

test("a passphrase is gone after its file is open", () => {
    const file = encrypt({ passphrase, scryptWorkFactor: 4 }, plaintext);
    assert.deepEqual(decrypt(file, { passphrase: Buffer.from(passphrase) }), plaintext);
    assert.throws(() => decrypt(file, { passphrase: "another" }));
    absent(Buffer.from(passphrase), "the passphrase");
    for (const end of ends) absent(end, "the plaintext");
});

/** Of a new key: its bytes, and its PEM under the passphrase. */
function encryptedPem() {
    const { privateKey } = generateKeyPairSync("x25519");
    const secret = privateKey.export({ type: "pkcs8", format: "der" }).subarray(-32);
    return {
        secret,
        pem: privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }),
    };
}

test("a private key and its passphrase are gone after it was decrypted", () => {
    const { secret, pem } = encryptedPem();
    const decrypted = decryptPem(Buffer.from(pem), { passphrase: Buffer.from(passphrase) });
    const [, body] = Buffer.from(decrypted).toString().split("\n");
    assert.deepEqual(Buffer.from(body, "base64").subarray(-32), secret);
    assert.throws(() => decryptPem(pem, { passphrase: "another" }));
    absent(Buffer.from(passphrase), "the passphrase");
    absent(secret, "the key");
    absent(Buffer.from(body).subarray(-48), "the key as text");
});

test("no call goes deeper into the stack than is overwritten after it", () => {
    const identities = [generateX25519Identity(), generateHybridIdentity()];
    for (const identity of identities) {
        checkStack(memory, identity.slice(0, 18), () =>
            decrypt(encrypt(identityToRecipient(identity), plaintext, { armor: true }), identity));
    }
    checkStack(memory, "PEM", () => decryptPem(encryptedPem().pem, { passphrase }));
    checkStack(memory, "scrypt",
        () => decrypt(encrypt({ passphrase, scryptWorkFactor: 4 }, plaintext), { passphrase }));
});
