// What each runtime does with the package: opens a message of its own and one made elsewhere. Throws, or gives "ok".
export function check(pqseal, { KEY, BLOB, PLAINTEXT }) {
    const { KeyRing, PrivateKey, Suite, generateKeyPair, open, seal, suites } = pqseal;
    const equal = (found, expected) => {
        if (found !== expected) throw new Error(`${found} is not ${expected}`);
    };
    const text = (bytes) => new TextDecoder().decode(bytes);
    const key = PrivateKey.parse(KEY);
    equal(text(open(BLOB, key)), PLAINTEXT);
    const { privateKey, publicKey } = generateKeyPair(suites().default.kem);
    const blob = seal(publicKey, new TextEncoder().encode("hello"));
    const ring = new KeyRing();
    ring.add(privateKey);
    equal(text(ring.openMany([blob])[0].plaintext), "hello");
    const suite = new Suite("x25519", "HKDF-SHA256", "ChaCha20Poly1305");
    const { enc, context } = suite.createSenderContext(key.publicKeyBytes());
    equal(text(suite.createRecipientContext(enc, key).open(context.seal(new TextEncoder().encode("hello")))), "hello");
    try {
        open("truncated", key);
        throw new Error("opened");
    } catch (error) {
        equal(error.code, "truncated");
    }
    key.free();
    return "ok";
}
