// Opens NDJSON records with npm's hpke-js, one after another, as one would write it: only for the
// benchmark.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [, , keyFile, modules] = process.argv;
const require = createRequire(modules + "/");
const { CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } = require("@hpke/core");
const { Chacha20Poly1305 } = require("@hpke/chacha20poly1305");

const suite = new CipherSuite({
    kem: new DhkemX25519HkdfSha256(),
    kdf: new HkdfSha256(),
    aead: new Chacha20Poly1305(),
});
const key = Buffer.from(readFileSync(keyFile, "utf8"), "base64");
const recipientKey = await suite.kem.importKey("raw", new Uint8Array(key).buffer, false);
for await (const line of createInterface({ input: process.stdin })) {
    const record = JSON.parse(line);
    const sealed = record.Metadata.encrypted_matched_data ?? "truncated";
    if (sealed !== "truncated") {
        const blob = new Uint8Array(Buffer.from(sealed, "base64"));
        const recipient = await suite.createRecipientContext({
            recipientKey,
            enc: blob.slice(1, 33).buffer,
        });
        record.Metadata.decrypted_matched_data = Buffer.from(
            await recipient.open(blob.slice(41).buffer),
        ).toString();
    }
    process.stdout.write(JSON.stringify(record) + "\n");
}
