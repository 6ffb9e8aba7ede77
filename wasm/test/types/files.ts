// Must compile, errors where they are expected included. Never run.
import { type ErrorCode, type Identity, type Inspected, PqsealError, type Recipient, DecryptStream,
    Decryptor, EncryptStream, Encryptor, decrypt, decryptPem, encrypt, generateHybridIdentity,
    generateX25519Identity, identityToRecipient, inspect } from "pqseal/files";
import { DecryptStream as Slim, start, startSync } from "pqseal/files/slim";

const bytes = new Uint8Array(1);
const identity: string = generateHybridIdentity();
const recipients: readonly Recipient[] = [identityToRecipient(identity), bytes,
    identityToRecipient(bytes)];
const identities: Identity[] = [identity, generateX25519Identity(), bytes, {
    passphrase: bytes,
    maxScryptWorkFactor: 18,
}];

const stream: ReadableStream<Uint8Array> = new Blob([bytes]).stream()
    .pipeThrough(new EncryptStream(recipients, { armor: true, policy: "standard" }))
    .pipeThrough(new DecryptStream(identities))
    .pipeThrough(new Slim({ passphrase: "x" }));
new Response(stream);
new EncryptStream({ passphrase: "x", scryptWorkFactor: 18 });

using encryptor = new Encryptor(recipients);
using decryptor = new Decryptor(identity);
new Blob([encryptor.push(bytes), encryptor.finish(), decryptor.push(bytes.buffer),
    decryptor.finish()]);
new Blob([decrypt(encrypt(recipients, bytes), identities), decryptPem("pem", { passphrase: bytes }),
    decryptPem(bytes, { passphrase: "x" })]);
const { stanzas, plaintextLength, postQuantum }: Inspected = inspect(bytes, { fileLength: 1 });
console.log(stanzas[0]?.type, stanzas[0]?.args.length, plaintextLength?.toFixed(),
    postQuantum === undefined);

try {
    decrypt(bytes, identity);
} catch (error) {
    if (!(error instanceof PqsealError)) throw error;
    const code: ErrorCode = error.code;
    if (code === "truncated") console.log(code);
}
startSync(bytes);
await start("/core_bg.wasm");

// @ts-expect-error recipients are required
new EncryptStream();
// @ts-expect-error a text is not bytes
encrypt(identity, "text");
// @ts-expect-error no such option
new EncryptStream(identity, { armour: true });
// @ts-expect-error of encryption
new DecryptStream({ passphrase: "x", scryptWorkFactor: 18 });
// @ts-expect-error the passphrase is an option
decryptPem(bytes, "x");
// @ts-expect-error identities are required
decrypt(bytes);
