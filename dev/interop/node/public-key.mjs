// The public key of a serialised private key, by the library under the
// companion package: hpke itself derives one only inside its decapsulation.
import { x25519 } from "@noble/curves/ed25519.js";
import { x448 } from "@noble/curves/ed448.js";
import { p256, p384, p521 } from "@noble/curves/nist.js";
import { MLKEM768P256, MLKEM1024P384, MLKEM768X25519 } from "@noble/post-quantum/hybrid.js";
import { ml_kem512, ml_kem768, ml_kem1024 } from "@noble/post-quantum/ml-kem.js";

export function publicKey(kem, sk) {
    return schemes[kem](sk);
}

const uncompressed = (curve) => (sk) => curve.getPublicKey(sk, false);
const montgomery = (curve) => (sk) => curve.getPublicKey(sk);
const fromSeed = (scheme) => (seed) => scheme.keygen(seed).publicKey;

const schemes = {
    0x10: uncompressed(p256),
    0x11: uncompressed(p384),
    0x12: uncompressed(p521),
    0x20: montgomery(x25519),
    0x21: montgomery(x448),
    0x40: fromSeed(ml_kem512),
    0x41: fromSeed(ml_kem768),
    0x42: fromSeed(ml_kem1024),
    0x50: fromSeed(MLKEM768P256),
    0x51: fromSeed(MLKEM1024P384),
    0x647a: fromSeed(MLKEM768X25519),
};
