// node bench.mjs: X25519 and X-Wing beside the JavaScript libraries, in one process and
// interleaved. Figures are the medians of CPU time a call over all threads, keys parsed ahead, one
// message of 150 bytes; the ratio says how many times as long the other takes. @hpke/core has
// X25519 by Node's own WebCrypto, which is OpenSSL, and in JavaScript. BIKE, which none of them
// has, is measured without a peer, as are 64 blobs in one call. ROUNDS=n for more.
import { Chacha20Poly1305 } from "@hpke/chacha20poly1305";
import { CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";
import { DhkemX25519HkdfSha256 as InJavaScript } from "@hpke/dhkem-x25519";
import { XWing } from "@hpke/hybridkem-x-wing";
import * as npmHpke from "hpke";
import * as noble from "@panva/hpke-noble";
import * as adapter from "./pkg/dist/hpke-js/index.js";
import { KeyRing, generateKeyPair, seal, Suite } from "./pkg/dist/full/index.js";

const rounds = Number(process.env.ROUNDS ?? 15);
const message = new Uint8Array(150).fill(0x41);

/** Each gives the functions `seal` and `open` over a key pair of its own, and what it is called. */
const libraries = {
    pqseal(kem) {
        const suite = new Suite(kem, "HKDF-SHA256", "ChaCha20Poly1305", "experimental");
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, ct } = suite.seal(publicKey, message);
        return {
            seal: () => suite.seal(publicKey, message),
            open: () => suite.open(enc, privateKey, ct),
        };
    },
    "pqseal/hpke-js": (kem) =>
        hpkeJs(kem === "x25519" ? new adapter.DhkemX25519HkdfSha256() : new adapter.XWing(),
            adapter),
    "@hpke/core": (kem) => hpkeJs(kem === "x25519" ? new DhkemX25519HkdfSha256() : new XWing()),
    "@hpke/core with @hpke/dhkem-x25519": (kem) => kem === "x25519" && hpkeJs(new InJavaScript()),
    // Over noble: Node 20 itself has neither ChaCha20Poly1305 nor ML-KEM.
    async hpke(kem) {
        const suite = new npmHpke.CipherSuite(
            kem === "x25519" ? noble.KEM_DHKEM_X25519_HKDF_SHA256 : noble.KEM_MLKEM768_X25519,
            noble.KDF_HKDF_SHA256,
            noble.AEAD_ChaCha20Poly1305,
        );
        const { privateKey, publicKey } = await suite.GenerateKeyPair();
        const { encapsulatedSecret, ciphertext } = await suite.Seal(publicKey, message);
        return {
            seal: () => suite.Seal(publicKey, message),
            open: () => suite.Open(privateKey, encapsulatedSecret, ciphertext),
        };
    },
};

async function hpkeJs(kem, hpke = { CipherSuite, HkdfSha256, Chacha20Poly1305 }) {
    const suite = new hpke.CipherSuite({
        kem,
        kdf: new hpke.HkdfSha256(),
        aead: new hpke.Chacha20Poly1305(),
    });
    const { privateKey, publicKey } = await suite.kem.generateKeyPair();
    const { enc, ct } = await suite.seal({ recipientPublicKey: publicKey }, message);
    return {
        seal: () => suite.seal({ recipientPublicKey: publicKey }, message),
        open: () => suite.open({ recipientKey: privateKey, enc }, ct),
    };
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

async function timed(call, calls) {
    const start = process.cpuUsage();
    for (let n = 0; n < calls; n++) await call();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / calls;
}

/** What the others do not have they are not asked for. */
const shared = ["x25519", "mlkem768-x25519"];

for (const kem of [...shared, "bike-l1", "x25519-bike-l1"]) {
    const runs = [];
    for (
        const [library, make] of Object.entries(libraries).slice(0,
            shared.includes(kem) ? undefined : 1)
    ) {
        try {
            const call = await make(kem);
            if (call) runs.push({ library, call, times: { seal: [], open: [] } });
        } catch (error) {
            console.log(`${kem}: ${library} does not run here: ${error.message}`);
        }
    }
    for (let round = -2; round < rounds; round++) {
        for (const { call, times } of runs) {
            for (const operation of ["seal", "open"]) {
                const time = await timed(call[operation], 30);
                // The first rounds are the compiler's.
                if (round >= 0) times[operation].push(time);
            }
        }
    }
    for (const operation of ["seal", "open"]) {
        const [ours, ...others] = runs.map(({ library, times }) => ({
            library,
            time: median(times[operation]),
        }));
        const compared = others.map(({ library, time }) =>
            `${library} ${time.toFixed(0)} us = ${(time / ours.time).toFixed(1)} x`
        );
        console.log(
            `${kem} ${operation}: pqseal ${ours.time.toFixed(0)} us${
                compared.map((text) => `; ${text}`).join("")
            }`,
        );
    }
}

for (const kem of shared) {
    const { privateKey, publicKey } = generateKeyPair(kem);
    const ring = new KeyRing();
    ring.add(privateKey);
    const blobs = Array.from({ length: 64 }, () => Buffer.from(seal(publicKey, message)));
    const ends = Uint32Array.from(blobs, ({ length }, i) => (i + 1) * length);
    const packed = Buffer.concat(blobs);
    const times = [];
    for (let round = -2; round < rounds; round++) {
        const time = await timed(() => ring.openPacked(packed, ends), 4);
        if (round >= 0) times.push(time / blobs.length);
    }
    console.log(`${kem} openPacked of 64: pqseal ${median(times).toFixed(0)} us each`);
}
