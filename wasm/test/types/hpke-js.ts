// Compiles with the types of @hpke/core and its modules, and with those of pqseal/hpke-js: only
// "hpke" differs. Never run.
import { Aes128Gcm, Aes256Gcm, AeadId, Chacha20Poly1305, CipherSuite, DhkemP256HkdfSha256,
    DhkemP384HkdfSha384, DhkemP521HkdfSha512, DhkemX25519HkdfSha256, DhkemX448HkdfSha512,
    DecapError, DeserializeError, ExportOnly, HkdfSha256, HkdfSha384, HkdfSha512, HpkeError,
    InvalidParamError, KdfId, KemId, MlKem512, MlKem768, MlKem1024, NotSupportedError, OpenError,
    XWing } from "hpke";
import type { AeadInterface, CipherSuiteParams, CipherSuiteSealResponse, EncryptionContext,
    JsonWebKeyExtended, KdfInterface, KemInterface, PreSharedKey, RecipientContext,
    RecipientContextParams, SenderContext, SenderContextParams } from "hpke";

const bytes = new Uint8Array(32);
const kems: Pick<KemInterface, "id" | "generateKeyPair" | "serializePublicKey">[] = [
    new DhkemP256HkdfSha256(),
    new DhkemP384HkdfSha384(),
    new DhkemP521HkdfSha512(),
    new DhkemX25519HkdfSha256(),
    new DhkemX448HkdfSha512(),
    new MlKem512(),
    new MlKem768(),
    new MlKem1024(),
    new XWing(),
];
const kdfs: Pick<KdfInterface, "id" | "hashSize">[] = [new HkdfSha256(), new HkdfSha384(),
    new HkdfSha512()];
const aeads: Pick<AeadInterface, "id" | "keySize" | "nonceSize" | "tagSize">[] = [
    new Aes128Gcm(),
    new Aes256Gcm(),
    new Chacha20Poly1305(),
    new ExportOnly(),
];
const kem: KemId = KemId.XWing;
console.log(kems, kdfs, aeads, kem === kems[0]?.id, KdfId.HkdfSha512 === kdfs[0]?.id,
    AeadId.ExportOnly === aeads[0]?.id);

const params: CipherSuiteParams = {
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Aes128Gcm(),
};
const suite = new CipherSuite(params);
const pair: CryptoKeyPair = await suite.kem.generateKeyPair();
const derived: CryptoKeyPair = await suite.kem.deriveKeyPair(bytes.buffer);
const read: CryptoKey = await suite.kem.deserializePublicKey(
    await suite.kem.serializePublicKey(pair.publicKey),
);
const secret: CryptoKey = await suite.kem.deserializePrivateKey(
    await suite.kem.serializePrivateKey(pair.privateKey),
);
const jwk: JsonWebKeyExtended = { kty: "AKP", alg: "X-Wing", pub: "AA" };
const imported: CryptoKey[] = [await suite.kem.importKey("jwk", jwk, true),
    await suite.kem.importKey("raw", bytes.buffer)];
console.log(imported, suite.kdf.id, suite.aead.id, suite.kem.encSize);

const psk: PreSharedKey = { id: bytes, key: bytes.buffer };
const to: SenderContextParams = { recipientPublicKey: read, info: bytes, psk, senderKey: derived };
const sender: SenderContext = await suite.createSenderContext(to);
const from: RecipientContextParams = {
    recipientKey: secret,
    enc: sender.enc,
    info: bytes,
    psk,
    senderPublicKey: derived.publicKey,
};
const recipient: RecipientContext = await suite.createRecipientContext({
    ...from,
    recipientKey: pair,
});
const context: EncryptionContext = recipient;
const plaintext: ArrayBuffer = await context.open(await sender.seal(bytes, bytes.buffer), bytes);
const exported: ArrayBuffer = await sender.export(new DataView(plaintext), 32);
const sealed: CipherSuiteSealResponse = await suite.seal(to, exported, bytes);
const opened: ArrayBuffer = await suite.open({ ...from, enc: sealed.enc }, sealed.ct, bytes);
console.log(opened.byteLength);

try {
    await recipient.open(bytes);
} catch (error) {
    if (
        error instanceof OpenError || error instanceof DecapError
        || error instanceof DeserializeError
    ) console.log(error.message);
    else if (error instanceof InvalidParamError || error instanceof NotSupportedError)
        console.log(error.name);
    else if (error instanceof HpkeError) console.log(error.stack);
}

// @ts-expect-error a text is not bytes
await sender.seal("text");
// @ts-expect-error enc is missing
await suite.createRecipientContext({ recipientKey: pair });
// @ts-expect-error a key, and not its bytes
await suite.seal({ recipientPublicKey: bytes }, bytes);
// @ts-expect-error a misspelt parameter
await suite.seal({ recipientPublicKey: read, inof: bytes }, bytes);
