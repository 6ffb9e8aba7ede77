// X-Wing in WebCrypto, under the name MLKEM768-X25519. Each test records, and does not fail, where
// the browser lacks it: Chromium 156 has it, and stores such a key as null, so the page keeps none.
import { type Page, expect, test } from "@playwright/test";
import { pqseal } from "./page.ts";

/** WebCrypto with its operations of KEMs, which TypeScript's libraries do not have yet. */
interface Kems {
    encapsulateBits(name: string,
        key: CryptoKey): Promise<{ sharedKey: ArrayBuffer; ciphertext: ArrayBuffer }>;
    decapsulateBits(name: string, key: CryptoKey, enc: Uint8Array): Promise<ArrayBuffer>;
}

/** The reason why the browser cannot make a key, or nothing. */
const absent = (page: Page) =>
    page.evaluate(() =>
        crypto.subtle.generateKey("MLKEM768-X25519", false, ["encapsulateBits" as KeyUsage,
            "decapsulateBits" as KeyUsage]).then(() => undefined, (error: Error) =>
                `is not there (${error.name})`)
    );
const record = (what: string, found: string) => console.log(`${what}: MLKEM768-X25519 ${found}`);

test("whether a hybrid key that cannot be extracted survives a copy",
    async ({ page, browserName }, { project }) => {
        await page.goto("/");
        const found = await absent(page) ?? await page.evaluate(async () => {
            const pair = (await crypto.subtle.generateKey("MLKEM768-X25519", false, [
                "encapsulateBits" as KeyUsage,
                "decapsulateBits" as KeyUsage,
            ])) as CryptoKeyPair;
            return structuredClone(pair.privateKey) === null ? "becomes null" : "survives";
        });
        record(project.name || browserName, found);
        expect(found).not.toBe("");
    });

test("hybrid keys pass between WebCrypto and pqseal as JWK, and each opens what the other sealed",
    async ({ page, browser }, { project }) => {
        await page.goto("/");
        const reason = await absent(page);
        if (reason) return record(`${project.name} ${browser.version()}`, reason);
        const ours = pqseal.generateKeyPair("MLKEM768-X25519").privateKey;
        const suite = new pqseal.Suite("MLKEM768-X25519", "HKDF-SHA256", "AES-128-GCM");
        const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));
        const text = (plaintext: Uint8Array) => new TextDecoder().decode(plaintext);
        const info = new TextEncoder().encode("info");
        const { enc, ct } = suite.seal(ours.toPublic(), new TextEncoder().encode("to it"), {
            info,
        });
        const found = await page.evaluate(converse, {
            jwk: JSON.parse(ours.export("jwk")) as JsonWebKey,
            publicJwk: JSON.parse(ours.publicKey("jwk")) as JsonWebKey,
            enc: [...enc],
            ct: [...ct],
        });
        expect(found.opened).toBe("to it");
        const toOurs = found.sealedToOurs;
        expect(text(suite.open(bytes(toOurs.enc), ours, bytes(toOurs.ct), { info }))).toBe(
            "from it",
        );
        // Its own key, which it made and exported.
        const theirs = pqseal.PrivateKey.parse(JSON.stringify(found.jwk));
        expect(theirs.kem).toBe("mlkem768-x25519");
        expect(theirs.fingerprint).toBe(
            pqseal.PublicKey.parse(JSON.stringify(found.publicJwk)).fingerprint,
        );
        const { enc: enc2, ct: ct2 } = found.sealedToItself;
        expect(text(suite.open(bytes(enc2), theirs, bytes(ct2), { info }))).toBe("from it");
    });

/** In the page: HPKE (RFC 9180, section 5.1) by WebCrypto alone, with the suite and info above. */
async function converse(
    { jwk, publicJwk, enc, ct }: {
        jwk: JsonWebKey;
        publicJwk: JsonWebKey;
        enc: number[];
        ct: number[];
    },
) {
    const NAME = "MLKEM768-X25519";
    const { subtle } = crypto;
    const kems = subtle as unknown as Kems;
    const utf8 = (text: string) => new TextEncoder().encode(text);
    const join = (...parts: (Uint8Array | ArrayBuffer)[]) =>
        Uint8Array.from(parts.flatMap((part) => [...new Uint8Array(part)]));
    const base64 = (buffer: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
    // KEM 0x647a, HKDF-SHA256, AES-128-GCM.
    const suiteId = join(utf8("HPKE"), Uint8Array.of(0x64, 0x7a, 0, 1, 0, 1));
    const hmac = async (key: Uint8Array, data: Uint8Array) => {
        // An empty key is one of zeros.
        const padded = key.length === 0 ? new Uint8Array(32) : Uint8Array.from(key);
        const hash = { name: "HMAC", hash: "SHA-256" };
        const imported = await subtle.importKey("raw", padded, hash, false, ["sign"]);
        return new Uint8Array(await subtle.sign("HMAC", imported, Uint8Array.from(data)));
    };
    const extract = (salt: Uint8Array, label: string, ikm: Uint8Array) =>
        hmac(salt, join(utf8("HPKE-v1"), suiteId, utf8(label), ikm));
    // At most the length of one hash.
    const expand = async (secret: Uint8Array, label: string, context: Uint8Array, length: number) =>
        (await hmac(secret,
            join(Uint8Array.of(0, length), utf8("HPKE-v1"), suiteId, utf8(label), context,
                Uint8Array.of(1)))).slice(0, length);
    const aead = async (sharedKey: ArrayBuffer) => {
        const none = new Uint8Array();
        const context = join(Uint8Array.of(0), await extract(none, "psk_id_hash", none),
            await extract(none, "info_hash", utf8("info")));
        const secret = await extract(new Uint8Array(sharedKey), "secret", none);
        const key = await subtle.importKey("raw", await expand(secret, "key", context, 16),
            "AES-GCM", false, ["encrypt", "decrypt"]);
        return { key, iv: await expand(secret, "base_nonce", context, 12) };
    };
    const seal = async (publicKey: CryptoKey) => {
        const { sharedKey, ciphertext } = await kems.encapsulateBits(NAME, publicKey);
        const { key, iv } = await aead(sharedKey);
        const sealed = await subtle.encrypt({ name: "AES-GCM", iv }, key, utf8("from it"));
        return { enc: base64(ciphertext), ct: base64(sealed) };
    };

    const [ENCAPSULATE, DECAPSULATE] = ["encapsulateBits", "decapsulateBits"] as unknown as [
        KeyUsage,
        KeyUsage,
    ];
    const ourKey = await subtle.importKey("jwk", jwk, NAME, true, [DECAPSULATE]);
    const ourPublicKey = await subtle.importKey("jwk", publicJwk, NAME, true, [ENCAPSULATE]);
    const { key, iv } = await aead(await kems.decapsulateBits(NAME, ourKey, Uint8Array.from(enc)));
    const plaintext = await subtle.decrypt({ name: "AES-GCM", iv }, key, Uint8Array.from(ct));
    const pair =
        (await subtle.generateKey(NAME, true, [ENCAPSULATE, DECAPSULATE])) as CryptoKeyPair;
    return {
        opened: new TextDecoder().decode(plaintext),
        sealedToOurs: await seal(ourPublicKey),
        jwk: await subtle.exportKey("jwk", pair.privateKey),
        publicJwk: await subtle.exportKey("jwk", pair.publicKey),
        sealedToItself: await seal(pair.publicKey),
    };
}
