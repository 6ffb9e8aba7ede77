// What each runtime does with the package: opens a message of its own and one made elsewhere.
// Throws, or gives "ok".
export const check = async (pqseal, jwe, files, data) =>
    checkMain(pqseal, data) && checkJwe(jwe) && (await checkFiles(files)) && checkLoad(pqseal);

/**
 * `core` names what it lacks, and `full` takes its place. `pqseal/slim` has to be given the wasm.
 */
async function checkLoad({ PrivateKey, generateKeyPair, load, startSync }) {
    if (startSync) return "ok";
    try {
        generateKeyPair("p256");
        throw new Error("core has p256");
    } catch (error) {
        if (error.code !== "not_loaded") throw error;
    }
    await load();
    const { privateKey } = generateKeyPair("p256");
    if (!(privateKey instanceof PrivateKey) || privateKey.kem !== "p256")
        throw new Error(`a key of ${privateKey.kem}`);
    return "ok";
}

async function checkFiles(
    { DecryptStream, EncryptStream, decrypt, encrypt, generateHybridIdentity, identityToRecipient },
) {
    const identity = generateHybridIdentity();
    const recipient = identityToRecipient(identity);
    const streamed = new Blob(["hello"]).stream().pipeThrough(
        new EncryptStream(recipient, { armor: true }),
    ).pipeThrough(new DecryptStream(identity));
    if ((await new Response(streamed).text()) !== "hello") throw new Error("another plaintext");
    try {
        decrypt(encrypt(recipient, new Uint8Array(9)).subarray(0, -1), identity);
        throw new Error("opened");
    } catch (error) {
        if (error.code !== "altered") throw error;
    }
    return "ok";
}

/** The same of pqseal/hpke. */
export function checkHpke({ PqsealError, Suite }) {
    const suite = new Suite("X-Wing", "HKDF-SHA256", "ChaCha20Poly1305");
    const { privateKey, publicKey } = suite.generateKeyPair();
    const { enc, ct } = suite.seal(publicKey, new TextEncoder().encode("hello"));
    if (new TextDecoder().decode(suite.open(enc, privateKey, ct)) !== "hello")
        throw new Error("another plaintext");
    ct[0] ^= 1;
    try {
        suite.open(enc, privateKey, ct);
    } catch (error) {
        if (error instanceof PqsealError && error.code === "open") return "ok";
        throw error;
    }
    throw new Error("opened what was altered");
}

/** The same of pqseal/hpke-js. */
export async function checkAdapter(hpke) {
    const suite = new hpke.CipherSuite({
        kem: new hpke.XWing(),
        kdf: new hpke.HkdfSha256(),
        aead: new hpke.Chacha20Poly1305(),
    });
    const pair = await suite.kem.generateKeyPair();
    const sender = await suite.createSenderContext({ recipientPublicKey: pair.publicKey });
    const recipient = await suite.createRecipientContext({ recipientKey: pair, enc: sender.enc });
    const ct = await sender.seal(new TextEncoder().encode("hello"));
    if (new TextDecoder().decode(await recipient.open(ct)) !== "hello")
        throw new Error("another plaintext");
    await recipient.open(ct).then(() => {
        throw new Error("opened twice");
    }, (error) => {
        if (!(error instanceof hpke.OpenError)) throw error;
    });
    return "ok";
}

function checkJwe({ PrivateKey, generateKeyPair, open, seal }) {
    const { privateKey, publicKey } = generateKeyPair("HPKE-9");
    const message = seal(publicKey, new TextEncoder().encode("hello"));
    const { plaintext } = open(message, PrivateKey.parse(privateKey.export()), ["HPKE-9"]);
    if (new TextDecoder().decode(plaintext) !== "hello") throw new Error("another plaintext");
    try {
        open(message, privateKey, ["HPKE-0"]);
        throw new Error("opened");
    } catch (error) {
        if (error.code !== "algorithm_not_allowed") throw error;
    }
    return "ok";
}

function checkMain(pqseal, { KEY, BLOB, PLAINTEXT }) {
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
    equal(
        text(
            suite.createRecipientContext(enc, key).open(
                context.seal(new TextEncoder().encode("hello")),
            ),
        ),
        "hello",
    );
    try {
        open("truncated", key);
        throw new Error("opened");
    } catch (error) {
        equal(error.code, "truncated");
    }
    key.free();
    return "ok";
}
