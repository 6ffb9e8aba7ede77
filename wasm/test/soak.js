// jsc soak.js -- FOLDER SECONDS SEED: the package's functions in WebKit's engine by itself, in a
// module that is compiled anew in each round; with many processes at once, since the engine's
// faults need load. soak.sh runs it. Prints what left the package wrong, which should be nothing,
// and how often the package noticed a wrong computation.
const [folder, seconds, seed] = [arguments[0], Number(arguments[1]), Number(arguments[2])];
/**
 * How many key pairs, blobs and openings in a round: the faults that were seen were at the 127th to
 * 286th multiplication.
 */
const times = 40;

// What a page has, and jsc does not.
globalThis.TextEncoder = class {
    encode(text) {
        return Uint8Array.from(unescape(encodeURIComponent(text)), (c) => c.charCodeAt(0));
    }
};
globalThis.TextDecoder = class {
    decode(bytes = []) {
        return decodeURIComponent(
            escape(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")),
        );
    }
};
let state = seed;
/** Not random: a soak needs many numbers, and no secrets. */
function getRandomValues(bytes) {
    for (let i = 0; i < bytes.length; i++)
        bytes[i] = (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24;
    return bytes;
}
globalThis.crypto = { getRandomValues };

const bytes = readFile(`${folder}/core_bg.wasm`, "binary");
const source = readFile(`${folder}/core.js`).replace(/^export \{.*$/m, "").replace(/^export /gm, "")
    .replaceAll("import.meta.url", "''");
const start = new Function("module", `${source}
    initSync({ module });
    return { KeyRing, PrivateKey, faults, generateKeyPair, seal };`);
const fresh = () => start(new WebAssembly.Module(bytes));

const text = new TextEncoder().encode("GET /admin");
const isText = (plaintext) =>
    plaintext.length === text.length && plaintext.every((byte, i) => byte === text[i]);

const [end, count] = [Date.now() + 1000 * seconds, {
    rounds: 0,
    corrected: 0,
    reopened: 0,
    wrong: 0,
}];
/** Checks what the others make. It was compiled long ago. */
const reference = fresh();
const wrong = (what) => {
    count.wrong++;
    print(`round ${count.rounds}: ${what}`);
};
const attempt = (call, what) => {
    try {
        return call();
    } catch (error) {
        wrong(`${what}: ${error.code} ${error.message}`);
    }
};

/** One key pair, one blob, and what comes of it when it is opened. */
function once(module, kem) {
    const pair = attempt(() => module.generateKeyPair(kem), "generateKeyPair");
    if (!pair) return;
    const key = reference.PrivateKey.deserialize(kem, pair.privateKey.serialize());
    if (key.publicKey() !== pair.publicKey) wrong(`the public key of another ${kem} key`);
    const blob = attempt(() => module.seal(pair.publicKey, text), "seal");
    const [ring, other] = [new module.KeyRing(), new reference.KeyRing()];
    ring.add(pair.privateKey);
    other.add(key);
    if (blob && !attempt(() => isText(other.open(blob).plaintext), "a blob that does not open"))
        wrong("another plaintext was sealed");
    const right = reference.seal(pair.publicKey, text);
    if (!attempt(() => isText(ring.open(right).plaintext), "open"))
        wrong("another plaintext came out");
    for (const handle of [pair.privateKey, key, ring, other]) handle.free();
}

while (Date.now() < end) {
    const module = fresh();
    const kem = count.rounds % 2 ? "mlkem768-x25519" : "x25519";
    for (let i = 0; i < times; i++) once(module, kem);
    const { corrected, reopened } = module.faults();
    count.rounds++;
    count.corrected += corrected;
    count.reopened += reopened;
}
const { corrected, reopened } = reference.faults();
print(
    `${count.rounds} rounds, ${count.corrected + corrected} corrected, ${
        count.reopened + reopened
    } reopened, ${count.wrong} wrong`,
);
