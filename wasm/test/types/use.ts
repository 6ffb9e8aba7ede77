// Must compile, errors where they are expected included. Never run.
import { type ErrorCode, type Inspected, type KeyPair, type OpenResult, type PackedResults,
    PqsealError, type Registry, Calendar, type CalendarPeriod, KeyRing, PrivateKey, PublicKey,
    Suite, derivePublicKey, generateKeyPair, inspect, load, open, seal, suites } from "pqseal";
import { KeyRing as FullKeyRing, PrivateKey as FullPrivateKey } from "pqseal/full";
import { KeyRing as SealedKeyRing, type OtherKey, type SealedDescription, type SealedKind,
    SealedKeys, inspectSealed, readKeys, sealedKind } from "pqseal/sealed";
import { Suite as HpkeSuite, type HpkeKeyPair } from "pqseal/hpke";
import { load as loadSlim, start, startSync } from "pqseal/slim";

const bytes = new Uint8Array(1);
const { privateKey, publicKey }: KeyPair = generateKeyPair();
const registry: Registry = suites();
using parsed = PrivateKey.parse(bytes, registry.kems[0]?.id ?? "x25519");
const text: string = derivePublicKey(parsed.export("pem"), undefined, "jwk")
    + derivePublicKey(bytes, "x25519", "pem", "public");
const blob: string = seal(publicKey, bytes, {
    version: 4,
    suite: { aead: 1 },
    info: bytes,
    aad: bytes,
    policy: "draft",
});
const plaintext: Uint8Array<ArrayBuffer> = open(blob, privateKey, { aad: bytes });
new Blob([plaintext, privateKey.serialize(), text]);

const ring = new KeyRing();
ring.add(privateKey);
const { plaintext: opened, keyId } = ring.open(blob);
console.log(opened.length, keyId);
const results: OpenResult[] = ring.openMany([blob, bytes] as const);
for (const result of results) {
    const shown: string = result.ok ? result.keyId + result.plaintext.length : result.error.code;
    console.log(shown);
}
const packed: PackedResults = ring.openPacked(bytes, Uint32Array.of(1), { aad: bytes });
console.log(packed.plaintexts.subarray(0, packed.ends[0]), ring.keyIds[packed.keys[0] ?? 0],
    packed.errors[0]?.code);
const facts: Inspected = inspect(blob);
if (typeof facts.kdf !== "number") console.log(facts.kdf.oneStage, facts.keyId?.length);

const suite = new Suite("x25519", 1, "ChaCha20Poly1305", "standard");
const pair = suite.deriveKeyPair(bytes);
const { enc, ct } = suite.seal(pair.publicKey, bytes, {
    info: bytes,
    aad: bytes,
    psk: bytes,
    pskId: bytes,
    senderKey: pair.privateKey,
});
suite.open(enc, pair.privateKey, ct, { senderPublicKey: pair.publicKey });
const key: PublicKey = PublicKey.parse(bytes, "x25519", "public");
const pem: string = key.export("pem") + key.kem + key.fingerprint + key.keyId;
seal(key, bytes);
suite.seal(key, key.bytes, { aad: bytes });
console.log(pem, suite.createSenderContext(key).context.sealWithSequence(bytes).sequence + 1n);
const { context } = suite.createSenderContext(pair.publicKey);
const sequence: bigint = context.sequence;
suite.createRecipientContext(enc, pair.privateKey).openAt(sequence, context.seal(bytes, bytes))
    .fill(0);

try {
    open("", privateKey);
} catch (error) {
    if (!(error instanceof PqsealError)) throw error;
    const code: ErrorCode = error.code;
    if (code === "truncated") console.log(code);
}
const calendar: Calendar = Calendar.parse(bytes);
const [period]: CalendarPeriod[] = calendar.periods();
const toNow: string = calendar.seal(new Date(), bytes, { aad: bytes });
if (period?.state === "shredded") console.log(period.keyId, toNow);
// @ts-expect-error an X25519 key of a calendar would seal version 3, which its ring does not open
seal(calendar, bytes);
ring.addCalendar(calendar);
// @ts-expect-error a calendar is not one key
ring.add(calendar);
startSync(bytes);
await start(bytes);

// @ts-expect-error only the library makes errors
new PqsealError();
// @ts-expect-error a text is not bytes
seal(publicKey, "text");
const cose: Uint8Array<ArrayBuffer> = privateKey.exportBinary("cose-key", "HPKE-9-KE");
// @ts-expect-error no such format
privateKey.export("der");
// @ts-expect-error JSON is for key pairs
privateKey.publicKey("json");
// @ts-expect-error no such version
seal(publicKey, bytes, { version: 2 });
// @ts-expect-error a handle is not made by hand
new PrivateKey();
// @ts-expect-error a result has a plaintext only if ok
results[0]?.plaintext;
// @ts-expect-error contexts are not single messages: no aad here
suite.createSenderContext(pair.publicKey, { aad: bytes });

const small: HpkeKeyPair = new HpkeSuite("X-Wing", 1, 1).generateKeyPair();
// @ts-expect-error pqseal/hpke reads no key files
small.privateKey.export("pem");

await load();
await loadSlim("/full.wasm");
// Both modules have the same types.
new FullKeyRing().add(FullPrivateKey.parse(bytes));
ring.add(FullPrivateKey.parse(bytes));
// @ts-expect-error: only pqseal/slim takes the wasm.
await load("/full.wasm");

using sealedKeys = new SealedKeys(new SealedKeyRing());
const { others }: { others: OtherKey[] } = await readKeys(bytes);
for (const key of others) {
    const secret: CryptoKey | Uint8Array<ArrayBuffer> = key.secret;
    if (key.kind === "age") key.secret.fill(0);
    sealedKeys.add(key);
    console.log(secret, key.label?.length);
}
const kind: SealedKind | undefined = sealedKind(text);
const sealedFacts: SealedDescription | undefined = inspectSealed(bytes);
const unsealed: PackedResults = await sealedKeys.openPacked(bytes, Uint32Array.of(1), {
    kind: "jwe",
});
console.log(kind, sealedFacts?.rsaBits, unsealed.errors[0]?.code, sealedKeys.keyIds.length);
// @ts-expect-error matched data is opened by a KeyRing
await sealedKeys.openPacked(bytes, Uint32Array.of(1), { kind: "matched-data" });
