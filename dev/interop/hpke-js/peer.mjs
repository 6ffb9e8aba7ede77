// An interop peer over hpke-js (@hpke/core and its modules): the line protocol of ../README.md on
// stdin and stdout.
import { readFileSync } from "node:fs";
import * as core from "@hpke/core";
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { DhkemX25519HkdfSha256 } from "@hpke/dhkem-x25519";
import { DhkemX448HkdfSha512 } from "@hpke/dhkem-x448";
import { XWing } from "@hpke/hybridkem-x-wing";
import { MlKem512, MlKem768, MlKem1024 } from "@hpke/ml-kem";
import { serve } from "../node/serve.mjs";

const KEMS = {
    0x10: core.DhkemP256HkdfSha256,
    0x11: core.DhkemP384HkdfSha384,
    0x12: core.DhkemP521HkdfSha512,
    0x20: DhkemX25519HkdfSha256,
    0x21: DhkemX448HkdfSha512,
    0x40: MlKem512,
    0x41: MlKem768,
    0x42: MlKem1024,
    0x647a: XWing,
};
const KDFS = { 1: core.HkdfSha256, 2: core.HkdfSha384, 3: core.HkdfSha512 };
const AEADS = {
    1: core.Aes128Gcm,
    2: core.Aes256Gcm,
    3: Chacha20Poly1305,
    0xffff: core.ExportOnly,
};
const operations = { suites, seal, open, sequence };

await serve(operations);

function suites() {
    const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
    const found = [];
    for (const kem of Object.keys(KEMS).map(Number))
        for (const kdf of Object.keys(KDFS).map(Number))
            for (const aead of Object.keys(AEADS).map(Number))
                found.push({
                    kem,
                    kdf,
                    aead,
                    modes: hasAuth(kem) ? [0, 1, 2, 3] : [0, 1],
                    export: true,
                });
    const version = `@hpke/core ${dependencies["@hpke/core"]}, @hpke/ml-kem ${
        dependencies["@hpke/ml-kem"]
    }, node ${process.version}`;
    return { name: "hpke-js", version, suites: found };
}

async function seal(request) {
    const suite = suiteOf(request);
    const recipientPublicKey = await suite.kem.deserializePublicKey(bytes(request.pk));
    const options = { ...shared(request), recipientPublicKey };
    if (request.sk_s)
        options.senderKey = await suite.kem.deserializePrivateKey(bytes(request.sk_s));
    const sender = await suite.createSenderContext(options);
    const cts = [];
    for (const { aad, pt } of request.messages ?? [])
        cts.push(hex(await sender.seal(bytes(pt), bytes(aad))));
    return { enc: hex(sender.enc), cts, exports: await exportAll(sender, request) };
}

async function open(request) {
    const recipient = await recipientOf(request);
    const pts = [];
    for (const { aad, ct } of request.messages ?? []) {
        pts.push(hex(await recipient.open(bytes(ct), bytes(aad)).catch(openFailed)));
    }
    return { pts, exports: await exportAll(recipient, request) };
}

// As open, but a message that does not open is null and the next one follows.
async function sequence(request) {
    const recipient = await recipientOf(request);
    const pts = [];
    for (const { aad, ct } of request.messages) {
        const pt = await recipient.open(bytes(ct), bytes(aad)).catch(() => null);
        pts.push(pt && hex(pt));
    }
    return { pts };
}

async function recipientOf(request) {
    const suite = suiteOf(request);
    const options = { ...shared(request), enc: bytes(request.enc) };
    options.recipientKey = await suite.kem.deserializePrivateKey(bytes(request.sk));
    if (request.pk_s)
        options.senderPublicKey = await suite.kem.deserializePublicKey(bytes(request.pk_s));
    return suite.createRecipientContext(options).catch(openFailed);
}

function openFailed(cause) {
    throw new Error(`open failed: ${cause}`, { cause });
}

function shared({ info, psk, psk_id }) {
    return { info: bytes(info), ...(psk && { psk: { id: bytes(psk_id), key: bytes(psk) } }) };
}

async function exportAll(context, { exports = [] }) {
    const secrets = [];
    for (const { context: name, length } of exports)
        secrets.push(hex(await context.export(bytes(name), length)));
    return secrets;
}

function suiteOf({ kem, kdf, aead }) {
    if (!(kem in KEMS && kdf in KDFS && aead in AEADS))
        throw new Error(`unsupported suite ${kem}, ${kdf}, ${aead}`);
    return new core.CipherSuite({
        kem: new KEMS[kem](),
        kdf: new KDFS[kdf](),
        aead: new AEADS[aead](),
    });
}

function hasAuth(kem) {
    return kem < 0x40;
}

function hex(data) {
    return Buffer.from(data).toString("hex");
}

// An ArrayBuffer of its own, as the package takes it.
function bytes(text = "") {
    if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error("not lower-case hex");
    return new Uint8Array(Buffer.from(text, "hex")).buffer;
}
