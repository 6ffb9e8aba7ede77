// Must compile, errors where they are expected included. Never run.
import { type Alg, type ErrorCode, type Inspected, type KeyPair, type Opened, PqsealError,
    type Recipient, PrivateKey, algorithms, generateKeyPair, inspect, open,
    seal } from "pqseal/jwe";
import { start, startSync } from "pqseal/jwe/slim";

const bytes = new Uint8Array(1);
const { privateKey, publicKey }: KeyPair = generateKeyPair("HPKE-9", { kid: "1" });
const names: Alg[] = algorithms().map(({ name }) => name);
using parsed = PrivateKey.parse(JSON.parse(privateKey.export()), { alg: "HPKE-12-KE" });
const alg: Alg | undefined = parsed.alg;
const kid: string | undefined = parsed.kid;

const to: Recipient = {
    publicKey,
    psk: bytes,
    pskId: bytes,
    info: bytes,
    kid: "2",
    alg: "HPKE-0-KE",
};
const message: string = seal([to, publicKey, { kty: "AKP" }, bytes] as const, bytes, {
    serialization: "general",
    enc: "A128CBC-HS256",
    aad: bytes,
    protected: { typ: "JWT", n: [1] },
});
const opened: Opened = open(message, [privateKey, parsed], ["HPKE-9", ...names], {
    psks: [{ psk: bytes, pskId: bytes }],
    requirePsk: false,
});
new Blob([opened.plaintext, opened.aad]);
console.log(alg, kid, opened.header["typ"], opened.pskId?.length,
    open({ ciphertext: "" }, privateKey, ["HPKE-9"]).key);
const inspected: Inspected = inspect(message);
console.log(inspected.recipients[0]?.encryptedKeyLength, inspected.serialization === "flattened");

try {
    open(bytes, privateKey, ["HPKE-9"]);
} catch (error) {
    if (!(error instanceof PqsealError)) throw error;
    const code: ErrorCode = error.code;
    if (code === "algorithm_not_allowed") console.log(code);
}
startSync(bytes);
await start("/core_bg.wasm");

// @ts-expect-error the algorithms are required
open(message, privateKey);
// @ts-expect-error no such algorithm
generateKeyPair("HPKE-11");
// @ts-expect-error a text is not bytes
seal(publicKey, "text");
// @ts-expect-error a list, not a name
open(message, privateKey, "HPKE-9");
// @ts-expect-error no such option
seal(publicKey, bytes, { kid: "1" });
// @ts-expect-error a handle is not made by hand
new PrivateKey();
