// A private key in place of the recipient's public key. Base64 of 32 bytes can be either, and a
// message sealed to the wrong one cannot be opened.
import { PrivateKey } from "pqseal";

/** A refusal. With `code` "perhaps_private" the user may know better. */
class Refused extends Error {
    constructor(readonly code: "private_key" | "perhaps_private", message: string) {
        super(message);
    }
}

/**
 * Throws if `text` is a private key or looks like one. `known` has the ids of the page's private
 * keys.
 */
export function refusePrivate(text: string, known: readonly string[]): void {
    const key = parsed(text);
    if (!key) return;
    const [id, publicKey] = [key.keyId, key.publicKey()];
    key.free();
    const bytes = raw(text);
    if (!bytes || known.includes(id))
        throw new Refused("private_key",
            `This is a private key: keep it secret. You can seal to ${publicKey}, its public key.`);
    refuseBytes(bytes);
}

function refuseBytes(bytes: Uint8Array): void {
    if (!isPublic(bytes)) {
        throw new Refused("private_key",
            "This is not an X25519 public key: no private key belongs to it, so that nobody could open "
                + "what is sealed to it. It may be a private key: then paste its public key.");
    }
    if (isClamped(bytes)) {
        throw new Refused("perhaps_private",
            "This may be a private key: its bits are set as many programs set those of X25519 private keys. "
                + "Nobody could open what is sealed to it. If you are sure that it is a public key, press Seal again.");
    }
}

function parsed(text: string): PrivateKey | undefined {
    try {
        return PrivateKey.parse(text);
    } catch {
        return undefined;
    }
}

/** Returns the 32 bytes of base64. Other formats name the key that they hold. */
function raw(text: string): Uint8Array | undefined {
    const digits = text.replace(/#.*|\s/g, "");
    if (!/^[\w+/-]{43}=?$/.test(digits)) return undefined;
    return Uint8Array.from(atob(digits.replaceAll("-", "+").replaceAll("_", "/")),
        (c) => c.charCodeAt(0));
}

/**
 * Reports whether a key is clamped (RFC 7748, section 5: decodeScalar25519). One in sixteen public
 * keys has these bits by chance.
 */
const isClamped = (bytes: Uint8Array) => (bytes[0]! & 7) === 0 && bytes[31]! >> 6 === 1;

const p = 2n ** 255n - 19n;

/**
 * Reports whether the bytes are a coordinate on Curve25519, below p (RFC 7748, section 4.1), as in
 * all public keys and a quarter of random bytes. Uses Euler's criterion for u^3 + 486662 u^2 + u.
 */
function isPublic(bytes: Uint8Array): boolean {
    const u = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return u < p && power((u * u * u + 486662n * u * u + u) % p, (p - 1n) / 2n) <= 1n;
}

function power(base: bigint, exponent: bigint): bigint {
    let result = 1n;
    for (
        let bits = exponent, square = base;
        bits > 0n;
        bits >>= 1n, square = (square * square) % p
    ) {
        if (bits & 1n) result = (result * square) % p;
    }
    return result;
}
