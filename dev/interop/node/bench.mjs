// Times of the npm package hpke for dev/benches/peers: row TAB candidate TAB median of CPU time
// over all threads in us. What Node's WebCrypto lacks (ChaCha20-Poly1305 and ML-KEM in Node 20) is
// noble's, in JavaScript.
import { readFileSync } from "node:fs";
import * as HPKE from "hpke";
import * as noble from "@panva/hpke-noble";

const ROUNDS = 15;
const CALLS = 20;
const message = new Uint8Array(150).fill(0x41);
const { dependencies } = JSON.parse(readFileSync(new URL("package.json", import.meta.url)));
const name = `npm hpke ${dependencies.hpke}, Node ${process.versions.node.split(".")[0]}`;

await measure("X25519, ChaCha20-Poly1305", HPKE.KEM_DHKEM_X25519_HKDF_SHA256,
    noble.AEAD_ChaCha20Poly1305);
await measure("X25519, AES-128-GCM", HPKE.KEM_DHKEM_X25519_HKDF_SHA256, HPKE.AEAD_AES_128_GCM);
await measure("X-Wing, ChaCha20-Poly1305", noble.KEM_MLKEM768_X25519, noble.AEAD_ChaCha20Poly1305);

async function measure(row, kem, aead) {
    const suite = new HPKE.CipherSuite(kem, HPKE.KDF_HKDF_SHA256, aead);
    const pair = await suite.GenerateKeyPair();
    const { encapsulatedSecret, ciphertext } = await suite.Seal(pair.publicKey, message);
    await report(`${row}: seal 150 B`, () => suite.Seal(pair.publicKey, message));
    await report(`${row}: open 150 B`, () => suite.Open(pair, encapsulatedSecret, ciphertext));
}

async function report(row, call) {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
        const start = process.cpuUsage();
        for (let n = 0; n < CALLS; n++) await call();
        const { user, system } = process.cpuUsage(start);
        times.push((user + system) / CALLS);
    }
    times.sort((a, b) => a - b);
    console.log(`${row}\t${name}\t${times[ROUNDS >> 1].toFixed(3)}`);
}
