// @hpke/core seals and pqseal/hpke-js opens, and the other way round, in every suite and mode that
// both have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AEADS, DHKEMS, KDFS, POST_QUANTUM, hex, ours, suiteOf, text, theirs,
    utf8 } from "./hpke-js.mjs";

const KEMS = [...DHKEMS, ...POST_QUANTUM];
const MODES = ["base", "psk", "auth", "auth_psk"];
const psk = { id: utf8("id"), key: new Uint8Array(33).fill(9) };
const info = utf8("info");
const DIRECTIONS = [[theirs, ours, "sealed by @hpke/core, opened by pqseal"], [ours, theirs,
    "sealed by pqseal, opened by @hpke/core"]];

/** Key pairs of one KEM, in both libraries: of the recipient and of the sender. */
async function keysOf(name, seals, opens) {
    const [from, to] = [new seals[name](), new opens[name]()];
    const [recipient, sender] = [await to.generateKeyPair(), await from.generateKeyPair()];
    return {
        recipient,
        sender,
        recipientPublicKey: await from.deserializePublicKey(
            await to.serializePublicKey(recipient.publicKey),
        ),
        senderPublicKey: await to.deserializePublicKey(
            await from.serializePublicKey(sender.publicKey),
        ),
    };
}

/** Two messages and an export in one suite and mode. */
async function converse(mode, from, to, keys) {
    const common = mode.includes("psk") ? { info, psk } : { info };
    const auth = mode.startsWith("auth");
    const sender = await from.createSenderContext({
        ...common,
        recipientPublicKey: keys.recipientPublicKey,
        ...(auth && { senderKey: keys.sender }),
    });
    const recipient = await to.createRecipientContext({
        ...common,
        recipientKey: keys.recipient,
        enc: sender.enc,
        ...(auth && { senderPublicKey: keys.senderPublicKey }),
    });
    assert.equal(hex(await sender.export(utf8("context"), 32)),
        hex(await recipient.export(utf8("context"), 32)));
    if (from.aead.id === 0xffff) return;
    for (const message of ["one", "two"])
        assert.equal(
            text(await recipient.open(await sender.seal(utf8(message), utf8("aad")), utf8("aad"))),
            message,
        );
    const altered = new Uint8Array(await sender.seal(utf8("three")));
    altered[altered.length - 1] ^= 1;
    await assert.rejects(recipient.open(altered), { name: "OpenError" });
}

let conversations = 0;
for (const [seals, opens, direction] of DIRECTIONS)
    for (const kem of KEMS)
        test(`${kem}: ${direction}`, async () => {
            const keys = await keysOf(kem, seals, opens);
            for (const kdf of KDFS)
                for (const aead of AEADS)
                    for (const mode of DHKEMS.includes(kem) ? MODES : ["base", "psk"]) {
                        await converse(mode, suiteOf(seals, kem, kdf, aead),
                            suiteOf(opens, kem, kdf, aead), keys);
                        conversations++;
                    }
        });

// 5 KEMs in 4 modes and 4 in 2, with 3 KDFs and 4 AEADs, in both directions.
test("that was every suite and mode", () =>
    assert.equal(conversations, (5 * 4 + 4 * 2) * 3 * 4 * 2));

/** The pair of this ikm, in hexadecimal. */
async function derive(hpke, name, ikm) {
    const kem = new hpke[name]();
    const { publicKey, privateKey } = await kem.deriveKeyPair(ikm);
    return [hex(await kem.serializePublicKey(publicKey)),
        hex(await kem.serializePrivateKey(privateKey))];
}

test("derived keys are the same for the curves, and not for the others", async () => {
    const ikm = new Uint8Array(64).fill(3);
    for (const name of DHKEMS)
        assert.deepEqual(await derive(ours, name, ikm), await derive(theirs, name, ikm), name);
    for (const name of POST_QUANTUM)
        assert.notDeepEqual(await derive(ours, name, ikm), await derive(theirs, name, ikm), name);
    // What the README says to do instead: there the ikm of ML-KEM is the private key.
    for (const name of POST_QUANTUM.filter((name) => name !== "XWing")) {
        const kem = new ours[name]();
        const [, privateKey] = await derive(theirs, name, ikm);
        assert.equal(hex(await kem.serializePrivateKey(await kem.deserializePrivateKey(ikm))),
            privateKey);
    }
});
