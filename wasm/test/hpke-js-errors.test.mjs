// Wrong inputs: what @hpke/core refuses, pqseal/hpke-js refuses with an error of the same class.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ours, suiteOf, theirs, utf8 } from "./hpke-js.mjs";

const KEMS = ["DhkemX25519HkdfSha256", "DhkemP256HkdfSha256", "MlKem768", "XWing"];
const NO_BYTES = { text: "text", number: 5, null: null, list: [1, 2], object: {} };
const base64url = (buffer) => Buffer.from(buffer).toString("base64url");

/** Members that say what a JWK is for. */
const USES = [{ key_ops: [] }, { key_ops: ["deriveBits"] }, { key_ops: ["deriveKey"] }, {
    key_ops: ["deriveKey", "deriveBits"],
}, { key_ops: ["encrypt"] }, { key_ops: ["deriveBits", "deriveBits"] }, { key_ops: "deriveBits" }, {
    use: "enc",
}, { use: "other" }, { ext: true }, { ext: false }];

/** A key pair as JWK, without the members above. */
async function jwkPair(hpke, name) {
    if (name.startsWith("Dhkem")) {
        const algorithm = name.includes("P256")
            ? { name: "ECDH", namedCurve: "P-256" }
            : { name: "X25519" };
        const pair = await crypto.subtle.generateKey(algorithm, true, ["deriveBits"]);
        const [shown, secret] = await Promise.all(
            [pair.publicKey, pair.privateKey].map((key) => crypto.subtle.exportKey("jwk", key)),
        );
        for (const jwk of [shown, secret]) {
            delete jwk.key_ops;
            delete jwk.ext;
        }
        return [shown, secret];
    }
    const kem = new hpke[name]();
    const { publicKey, privateKey } = await kem.generateKeyPair();
    const common = { kty: "AKP", alg: name === "XWing" ? "X-Wing" : "ML-KEM-768" };
    return [{ ...common, pub: base64url(await kem.serializePublicKey(publicKey)) }, {
        ...common,
        priv: base64url(await kem.serializePrivateKey(privateKey)),
    }];
}

/** Pairs of a name, and a call with a wrong input. */
async function calls(hpke, name) {
    const suite = suiteOf(hpke, name);
    const { kem } = suite;
    const keys = await kem.generateKeyPair();
    const curve = name.includes("P256") ? "DhkemX25519HkdfSha256" : "DhkemP256HkdfSha256";
    const other = await new hpke[curve]().generateKeyPair();
    const recipientPublicKey = keys.publicKey;
    const { enc, ct } = await suite.seal({ recipientPublicKey }, utf8("text"));
    const from = await suite.createSenderContext({ recipientPublicKey });
    const to = () => suite.createRecipientContext({ recipientKey: keys, enc });
    const sender = (key) => suite.createSenderContext({ recipientPublicKey: key });
    const recipient = (key) => suite.createRecipientContext({ recipientKey: key, enc });
    const found = [
        ["a sender, key of another KEM", () => sender(other.publicKey)],
        ["sealing, key of another KEM",
            () => suite.seal({ recipientPublicKey: other.publicKey }, utf8("text"))],
        ["a sender, private key", () => sender(keys.privateKey)],
        ["a recipient, key of another KEM", () => recipient(other.privateKey)],
        ["a recipient, pair of another KEM", () => recipient(other)],
        ["a recipient, public key", () => recipient(keys.publicKey)],
        ["opening, key of another KEM",
            () => suite.open({ recipientKey: other.privateKey, enc }, ct)],
        ["a short enc",
            () => suite.createRecipientContext({ recipientKey: keys, enc: new Uint8Array(3) })],
        ["a short ciphertext", async () => (await to()).open(new Uint8Array(3))],
        ["an altered ciphertext", async () => (await to()).open(new Uint8Array(30))],
        ...[-1, 255 * 32 + 1].map((
            length,
        ) => [`export of ${length}`, () => from.export(utf8("context"), length)]),
    ];
    for (const [what, input] of Object.entries(NO_BYTES))
        found.push(
            [`public key, ${what}`, () => kem.deserializePublicKey(input)],
            [`private key, ${what}`, () => kem.deserializePrivateKey(input)],
            [`raw public key, ${what}`, () => kem.importKey("raw", input)],
            [`raw private key, ${what}`, () => kem.importKey("raw", input, false)],
            [`JWK, ${what}`, () => kem.importKey("jwk", input)],
            [`ikm, ${what}`, () => kem.deriveKeyPair(input)],
            [`enc, ${what}`,
                () => suite.createRecipientContext({ recipientKey: keys, enc: input })],
            [`ciphertext, ${what}`, async () => (await to()).open(input)],
            [`aad of a ciphertext, ${what}`, async () => (await to()).open(ct, input)],
            [`opening, ${what}`, () => suite.open({ recipientKey: keys, enc }, input)],
            [`a sender, ${what}`, () => sender(input)],
            [`a recipient, ${what}`, () => recipient(input)],
            [`writing a public key, ${what}`, () => kem.serializePublicKey(input)],
            [`writing a private key, ${what}`, () => kem.serializePrivateKey(input)],
        );
    const [shown, secret] = await jwkPair(hpke, name);
    for (const use of USES)
        found.push([`public JWK with ${JSON.stringify(use)}`,
            () => kem.importKey("jwk", { ...shown, ...use })], [
            `private JWK with ${JSON.stringify(use)}`,
            () => kem.importKey("jwk", { ...secret, ...use }, false),
        ]);
    return found;
}

const outcome = (hpke, call) =>
    call().then(() => "accepted", (error) =>
        error instanceof hpke.HpkeError ? error.name : "another error");

for (const kem of KEMS)
    test(`${kem}: what @hpke/core refuses, pqseal/hpke-js refuses alike`, async () => {
        const [peer, adapter] = [await calls(theirs, kem), await calls(ours, kem)];
        let refused = 0;
        for (const [n, [name, call]] of peer.entries()) {
            const [expected, found] = [await outcome(theirs, call),
                await outcome(ours, adapter[n][1])];
            // Where the peer takes a text or a list for no bytes, the adapter refuses it.
            const isStricter = expected === "accepted"
                && /, (text|number|null|list|object)$/.test(name);
            if (isStricter || expected === "another error")
                assert.notEqual(found, "another error", name);
            else assert.equal(found, expected, name);
            if (found !== "accepted" && found === expected) refused++;
        }
        assert.ok(refused > 60, `${refused} refused by both`);
    });
