// An interop peer over the npm package hpke: the line protocol of
// ../README.md on stdin and stdout.
import { readFileSync } from "node:fs";
import * as HPKE from "hpke";
import { algorithms, EXPORT_ONLY } from "./algorithms.mjs";
import { publicKey } from "./public-key.mjs";
import { serve } from "./serve.mjs";

const { kems, kdfs, aeads } = await algorithms();
const operations = { suites, derive, public: publicOf, seal, open, sequence };

await serve(operations);

function suites() {
    const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
    const found = [];
    for (const kem of kems.keys())
        for (const kdf of kdfs.keys())
            for (const aead of [...aeads.keys(), EXPORT_ONLY])
                found.push({
                    kem,
                    kdf,
                    aead,
                    modes: [HPKE.MODE_BASE, HPKE.MODE_PSK],
                    export: true,
                });
    const version = `${dependencies.hpke} (noble ${
        dependencies["@panva/hpke-noble"]
    }, node ${process.version})`;
    return { name: "npm hpke", version, suites: found };
}

async function derive({ kem, ikm }) {
    const suite = suiteOf({ kem });
    const pair = await suite.DeriveKeyPair(bytes(ikm), true);
    return {
        sk: hex(await suite.SerializePrivateKey(pair.privateKey)),
        pk: hex(await suite.SerializePublicKey(pair.publicKey)),
    };
}

async function publicOf({ kem, sk }) {
    // The package checks the private key; it has no way to ask for its public one.
    await suiteOf({ kem }).DeserializePrivateKey(bytes(sk));
    return { pk: hex(publicKey(kem, bytes(sk))) };
}

async function seal(request) {
    const suite = suiteOf(request);
    const pk = await suite.DeserializePublicKey(bytes(request.pk));
    const { encapsulatedSecret, ctx } = await suite.SetupSender(pk, options(request));
    const cts = [];
    for (const { aad, pt } of request.messages ?? [])
        cts.push(hex(await ctx.Seal(bytes(pt), bytes(aad))));
    return { enc: hex(encapsulatedSecret), cts, exports: await exportAll(ctx, request) };
}

async function open(request) {
    const suite = suiteOf(request);
    // Extractable, else WebCrypto cannot give the public key that opening needs.
    const sk = await suite.DeserializePrivateKey(bytes(request.sk), true);
    const pts = [];
    let ctx;
    try {
        ctx = await suite.SetupRecipient(sk, bytes(request.enc), options(request));
        for (const { aad, ct } of request.messages ?? [])
            pts.push(hex(await ctx.Open(bytes(ct), bytes(aad))));
    } catch (cause) {
        throw new Error(`open failed: ${cause}`, { cause });
    }
    return { pts, exports: await exportAll(ctx, request) };
}

// As open, but a message that does not open is null and the next one follows.
async function sequence(request) {
    const suite = suiteOf(request);
    const sk = await suite.DeserializePrivateKey(bytes(request.sk), true);
    const ctx = await suite.SetupRecipient(sk, bytes(request.enc), options(request));
    const pts = [];
    for (const { aad, ct } of request.messages) {
        const pt = await ctx.Open(bytes(ct), bytes(aad)).catch(() => null);
        pts.push(pt && hex(pt));
    }
    return { pts };
}

async function exportAll(ctx, request) {
    const secrets = [];
    for (const { context, length } of request.exports ?? [])
        secrets.push(hex(await ctx.Export(bytes(context), length)));
    return secrets;
}

// A KEM is enough for the key operations: any KDF will do.
function suiteOf({ kem, kdf = 1, aead = EXPORT_ONLY }) {
    const parts = [kems.get(kem), kdfs.get(kdf),
        aead === EXPORT_ONLY ? HPKE.AEAD_EXPORT_ONLY : aeads.get(aead)];
    if (parts.includes(undefined)) throw new Error(`unsupported suite ${kem}, ${kdf}, ${aead}`);
    return new HPKE.CipherSuite(...parts);
}

// The package takes its mode from whether there is a PSK: an empty one would
// quietly make base mode of a request for PSK mode.
function options({ mode = HPKE.MODE_BASE, info, psk, psk_id }) {
    if (mode === HPKE.MODE_BASE && !psk && !psk_id) return { info: bytes(info) };
    if (mode === HPKE.MODE_PSK && psk)
        return { info: bytes(info), psk: bytes(psk), pskId: bytes(psk_id) };
    throw new Error(`mode ${mode} is unsupported, or does not fit its PSK`);
}

function hex(data) {
    return Buffer.from(data).toString("hex");
}

function bytes(text = "") {
    // Buffer.from stops silently at the first character that is not hex.
    if (!/^([0-9a-f]{2})*$/.test(text)) throw new Error("not lower-case hex");
    return new Uint8Array(Buffer.from(text, "hex"));
}
