// Wrong results of X25519, in every place where the package makes or opens something. They are put
// into the module for relaxed SIMD, which the package starts by itself: as an engine would that
// computes wrong once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasRelaxedSimd } from "./relaxed-simd.mjs";

const { Instance } = WebAssembly;
/** How many multiplications there were, and which of the next ones are wrong. */
let calls = 0;
let wrong = [];
WebAssembly.Instance = class extends Instance {
    get exports() {
        const { multiply, ...others } = super.exports;
        if (!multiply) return super.exports;
        const result = () => new Uint8Array(others.memory.buffer, others.BUFFER.value + 64, 1);
        return {
            ...others,
            multiply: () => {
                multiply();
                // Each time another result.
                if (wrong.includes(calls++)) result()[0] ^= calls + 1;
            },
        };
    }
};
const core = await import("../pkg/dist/index.js");
const full = await import("../pkg/dist/full/index.js");
const jwe = await import("../pkg/dist/jwe/index.js");
const files = await import("../pkg/dist/files/index.js");

const hello = new TextEncoder().encode("hello");
const isHello = (bytes) => assert.deepEqual(bytes, hello);

/**
 * What is made of nothing wrong, and a check of it. Each is a function of a module that gives [what
 * it does, how its result is checked].
 */
const made = {
    generateKeyPair: ({ generateKeyPair },
        kem) => [() => generateKeyPair(kem),
        ({ privateKey, publicKey }) => isPair(core, kem, privateKey.serialize(), publicKey)],
    "PrivateKey.deserialize": ({ PrivateKey }, kem) => {
        const { privateKey, publicKey } = core.generateKeyPair(kem);
        return [() => PrivateKey.deserialize(kem, privateKey.serialize()),
            (read) => assert.equal(read.publicKey(), publicKey)];
    },
    "PrivateKey.parse": ({ PrivateKey }, kem) => {
        const { privateKey, publicKey } = core.generateKeyPair(kem);
        return [() => PrivateKey.parse(privateKey.export("line")),
            (read) => assert.equal(read.publicKey(), publicKey)];
    },
    derivePublicKey: ({ derivePublicKey }, kem) => {
        const { privateKey, publicKey } = core.generateKeyPair(kem);
        return [() => derivePublicKey(privateKey.export("line")),
            (read) => assert.equal(read, publicKey)];
    },
    seal: ({ generateKeyPair, open, seal }, kem) => {
        const { privateKey, publicKey } = generateKeyPair(kem);
        return [() => seal(publicKey, hello), (blob) => isHello(open(blob, privateKey))];
    },
    "Suite.generateKeyPair": (module, kem) => {
        const suite = suiteOf(module, kem);
        return [() => suite.generateKeyPair(), ({ privateKey, publicKey }) => {
            const { enc, ct } = suite.seal(publicKey, hello);
            isHello(
                suiteOf(core, kem).open(enc,
                    core.PrivateKey.deserialize(kem, privateKey.serialize()), ct),
            );
        }];
    },
    "Suite.deriveKeyPair": (module, kem) => {
        const [suite, ikm] = [suiteOf(module, kem), new Uint8Array(32).fill(7)];
        const { publicKey } = suite.deriveKeyPair(ikm);
        return [() => suite.deriveKeyPair(ikm),
            ({ publicKey: again }) => assert.deepEqual(again, publicKey)];
    },
    "Suite.seal": (module, kem) => {
        const suite = suiteOf(module, kem);
        const { privateKey, publicKey } = suite.generateKeyPair();
        return [() => suite.seal(publicKey, hello),
            ({ enc, ct }) => isHello(suite.open(enc, privateKey, ct))];
    },
    "Suite.createSenderContext": (module, kem) => {
        const suite = suiteOf(module, kem);
        const { privateKey, publicKey } = suite.generateKeyPair();
        return [() => suite.createSenderContext(publicKey),
            ({ enc, context }) => isHello(suite.open(enc, privateKey, context.seal(hello)))];
    },
    "Suite.createRecipientContext": (module, kem) => {
        const suite = suiteOf(module, kem);
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, context } = suite.createSenderContext(publicKey);
        const exported = context.export(hello, 32);
        return [() => suite.createRecipientContext(enc, privateKey),
            (recipient) => assert.deepEqual(recipient.export(hello, 32), exported)];
    },
};
const withSenderKey = {
    "Suite.seal with a sender's key": (module) => {
        const suite = suiteOf(module, "x25519");
        const [{ privateKey, publicKey }, sender] = [suite.generateKeyPair(),
            suite.generateKeyPair()];
        return [() => suite.seal(publicKey, hello, { senderKey: sender.privateKey }),
            ({ enc, ct }) =>
                isHello(suite.open(enc, privateKey, ct, { senderPublicKey: sender.publicKey }))];
    },
};
const ofJwe = {
    generateKeyPair: ({ generateKeyPair, open, seal, PrivateKey },
        alg) => [() => generateKeyPair(alg), ({ privateKey, publicKey }) =>
        isHello(
            open(seal(publicKey, hello), PrivateKey.parse(privateKey.export()), [alg])
                .plaintext,
        )],
    seal: ({ generateKeyPair, open, seal }, alg) => {
        const { privateKey, publicKey } = generateKeyPair(alg);
        return [() => seal(publicKey, hello),
            (message) => isHello(open(message, privateKey, [alg]).plaintext)];
    },
};
const ofFiles = {
    identityToRecipient: ({ decrypt, encrypt, identityToRecipient },
        identity) => [() => identityToRecipient(identity),
        (recipient) => isHello(decrypt(encrypt(recipient, hello), identity))],
    encrypt: ({ decrypt, encrypt, identityToRecipient }, identity) => {
        const recipient = identityToRecipient(identity);
        return [() => encrypt(recipient, hello), (file) => isHello(decrypt(file, identity))];
    },
};

/** What opens, and the error if it does not. */
const opened = {
    open: ({ generateKeyPair, open, seal }, kem) => {
        const { privateKey, publicKey } = generateKeyPair(kem);
        const blob = seal(publicKey, hello);
        return [() => isHello(open(blob, privateKey)),
            kem === "x25519" ? "no_key_matched" : "altered"];
    },
    "KeyRing.open": (module, kem) => {
        const [ring, blob] = ringAndBlob(module, kem);
        return [() => isHello(ring.open(blob).plaintext), "altered"];
    },
    "KeyRing.openMany": (module, kem) => {
        const [ring, blob] = ringAndBlob(module, kem);
        return [() => {
            const [first, second] = ring.openMany([blob, blob]);
            isHello(second.plaintext);
            if (!first.ok) throw first.error;
            isHello(first.plaintext);
        }, "altered"];
    },
    "KeyRing.openPacked": (module, kem) => {
        const [ring, blob] = ringAndBlob(module, kem);
        const bytes = new TextEncoder().encode(blob);
        return [() => {
            const before = module.faults().reopened;
            const { plaintexts, errors, reopened } = ring.openPacked(bytes,
                Uint32Array.of(bytes.length));
            assert.equal(reopened, module.faults().reopened - before);
            if (errors.length) throw errors[0];
            isHello(plaintexts);
        }, "altered"];
    },
    "Suite.open": (module, kem) => {
        const suite = suiteOf(module, kem);
        const { privateKey, publicKey } = suite.generateKeyPair();
        const { enc, ct } = suite.seal(publicKey, hello);
        return [() => isHello(suite.open(enc, privateKey, ct)), "open"];
    },
};
const openedJwe = ({ generateKeyPair, open, seal }, alg) => {
    const { privateKey, publicKey } = generateKeyPair(alg);
    const message = seal(publicKey, hello);
    return [() => isHello(open(message, privateKey, [alg]).plaintext), "altered"];
};
const openedFile = ({ decrypt, encrypt, identityToRecipient }, identity) => {
    const file = encrypt(identityToRecipient(identity), hello);
    return [() => isHello(decrypt(file, identity)), "no_matching_key"];
};

const suiteOf = ({ Suite }, kem) => new Suite(kem, "HKDF-SHA256", "ChaCha20Poly1305");
function isPair({ PrivateKey }, kem, bytes, publicKey) {
    assert.equal(PrivateKey.deserialize(kem, bytes).publicKey(), publicKey);
}
function ringAndBlob({ KeyRing, generateKeyPair, seal }, kem) {
    const { privateKey, publicKey } = generateKeyPair(kem);
    const ring = new KeyRing();
    ring.add(privateKey);
    return [ring, seal(publicKey, hello, { version: 4 })];
}

/** Calls with these multiplications wrong; gives the result, or the error, and what was counted. */
function run(module, call, ...which) {
    const before = module.faults();
    [calls, wrong] = [0, which];
    let result, code;
    try {
        result = call();
    } catch (error) {
        code = error.code ?? error;
    }
    wrong = [];
    const { corrected, reopened } = module.faults();
    return {
        result,
        code,
        calls,
        counted: [corrected - before.corrected, reopened - before.reopened],
    };
}

const skip = !hasRelaxedSimd && "relaxed SIMD is needed, into which the wrong results are put";
const kems = ["x25519", "mlkem768-x25519"];
const identities = skip ? [] : [files.generateX25519Identity(), files.generateHybridIdentity()];

// The module for relaxed SIMD starts with the first multiplication, and is asked for a known
// answer.
if (!skip) {
    for (const module of [core, full]) module.generateKeyPair("x25519");
    jwe.generateKeyPair("HPKE-4");
}

const makings = [
    ...[core, full].flatMap((module) =>
        kems.flatMap((kem) =>
            Object.entries(made).map((
                [name, make],
            ) => [`${name} (${kem})`, module, () => make(module, kem)])
        )
    ),
    ...[core, full].flatMap((module) =>
        Object.entries(withSenderKey).map(([name, make]) => [name, module, () => make(module)])
    ),
    ...["HPKE-4", "HPKE-9-KE"].flatMap((alg) =>
        Object.entries(ofJwe).map((
            [name, make],
        ) => [`jwe ${name} (${alg})`, jwe, () => make(jwe, alg)])
    ),
    ...identities.flatMap((identity) =>
        Object.entries(ofFiles).map((
            [name, make],
        ) => [`files ${name} (${identity.slice(0, 17)})`, files, () => make(files, identity)])
    ),
];

test("one wrong computation of what is made is corrected, and two are an error", { skip }, () => {
    for (const [name, module, make] of makings) {
        const [call, check] = make();
        const right = run(module, call);
        check(right.result);
        assert.deepEqual(right.counted, [0, 0], name);
        assert.ok(right.calls >= 2 && right.calls % 2 === 0,
            `${name}: ${right.calls} multiplications`);
        const times = right.calls / 2;
        for (let i = 0; i < times; i++) {
            for (const which of [i, times + i]) {
                const { result, code, counted } = run(module, call, which);
                assert.equal(code, undefined, `${name}: ${which} of ${right.calls}`);
                assert.deepEqual(counted, [1, 0], name);
                check(result);
            }
            const { result, code, counted } = run(module, call, i, times + i);
            assert.deepEqual([result, code, counted], [undefined, "miscomputed", [1, 0]], name);
        }
    }
});

test("what does not open is opened once more", { skip }, () => {
    const openings = [
        ...[core, full].flatMap((module) =>
            kems.flatMap((kem) =>
                Object.entries(opened).map((
                    [name, make],
                ) => [`${name} (${kem})`, module, make(module, kem)])
            )
        ),
        ...["HPKE-4", "HPKE-9-KE"].map((alg) => [`jwe open (${alg})`, jwe, openedJwe(jwe, alg)]),
    ];
    for (const [name, module, [call, expected]] of openings) {
        const right = run(module, call);
        assert.deepEqual([right.code, right.counted], [undefined, [0, 0]], name);
        const first = run(module, call, 0);
        assert.deepEqual([first.code, first.counted], [undefined, [0, 1]], name);
        const both = run(module, call, 0, first.calls - right.calls);
        assert.deepEqual([both.code, both.counted], [expected, [0, 0]], name);
    }
});

test("an age file that does not open is opened once more", { skip }, () => {
    for (const identity of identities) {
        const [call, expected] = openedFile(files, identity);
        const right = run(files, call);
        assert.equal(right.code, undefined);
        // Reading the identity multiplies too, and is what is made twice. The header is last.
        const last = right.calls - 1;
        assert.deepEqual(run(files, call, last).counted, [0, 1]);
        const { code, counted } = run(files, call, last, last + 1);
        assert.deepEqual([code, counted], [expected, [0, 0]]);
    }
});
