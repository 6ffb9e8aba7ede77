// Finds, by trying each, which algorithms of the package this Node can run. The
// package's own are built on WebCrypto, whose support grows with Node's version
// (Node 20 has no ML-KEM, SHAKE or ChaCha20Poly1305); its companion package
// brings the others in JavaScript.
import * as HPKE from "hpke";
import * as noble from "@panva/hpke-noble";

export const EXPORT_ONLY = 0xffff;

export async function algorithms() {
    return {
        kems: await working("KEM_", kemWorks),
        kdfs: await working("KDF_", kdfWorks),
        aeads: await working("AEAD_", aeadWorks),
    };
}

// Id to factory, of the first source whose implementation passes its trial.
async function working(prefix, trial) {
    const found = new Map();
    for (const source of [HPKE, noble]) {
        for (const [name, factory] of Object.entries(source)) {
            if (!name.startsWith(prefix)) continue;
            const algorithm = factory();
            if (algorithm.id === EXPORT_ONLY || found.has(algorithm.id)) continue;
            if (await trial(algorithm).catch(() => false)) found.set(algorithm.id, factory);
        }
    }
    return found;
}

async function kemWorks(kem) {
    const { publicKey, privateKey } = await kem.GenerateKeyPair(true);
    const { shared_secret, enc } = await kem.Encap(publicKey);
    const opened = await kem.Decap(enc, privateKey, undefined);
    return Buffer.compare(opened, shared_secret) === 0;
}

async function kdfWorks(kdf) {
    const ikm = new Uint8Array(32);
    const out = kdf.stages === 1
        ? await kdf.Derive(ikm, kdf.Nh)
        : await kdf.Extract(new Uint8Array(), ikm);
    return out.length === kdf.Nh;
}

async function aeadWorks(aead) {
    const [key, nonce, empty] = [aead.Nk, aead.Nn, 0].map((size) => new Uint8Array(size));
    const sealed = await aead.Seal(key, nonce, empty, empty);
    return sealed.length === aead.Nt;
}
