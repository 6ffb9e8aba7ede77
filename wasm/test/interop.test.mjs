// Keys and blobs go between this package and the command line of the same release. PQSEAL names the
// program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { PrivateKey, generateKeyPair, open, seal, suites } from "../pkg/dist/full/index.js";

const folder = mkdtempSync(join(tmpdir(), "pqseal-"));
after(() => rmSync(folder, { recursive: true }));
const pqseal = (args, input) =>
    execFileSync(`${process.env.PQSEAL_BIN}/pqseal`, args, {
        cwd: folder,
        input,
        encoding: "utf8",
    });
/** Experimental KEMs too. */
const all = { policy: "experimental" };
const message = "über \u0000 all";
const utf8 = (text) => new TextEncoder().encode(text);
const text = (bytes) => new TextDecoder().decode(bytes);

for (const { name } of suites().kems) {
    test(`${name}: made here, opened by the command line`, () => {
        const { privateKey, publicKey } = generateKeyPair(name, all);
        const form = ["pem", "line"].find((form) => writes(privateKey, form));
        const file = join(folder, `here-${name}`);
        writeFileSync(file, privateKey.export(form), { mode: 0o600 });
        assert.equal(pqseal(["pubkey", file]).trim(), publicKey);
        assert.equal(
            pqseal(["open", "--allow-experimental", "-k", file],
                seal(publicKey, utf8(message), all)),
            message,
        );
    });

    test(`${name}: made by the command line, opened here`, () => {
        const file = join(folder, `there-${name}`);
        const form = writes(generateKeyPair(name, all).privateKey, "pem") ? "pem" : "line";
        const publicKey = pqseal(["keygen", "--allow-experimental", "--kem", name, "--form", form,
            "-o", file]);
        const key = PrivateKey.parse(readFileSync(file));
        assert.equal(publicKey, name === "x25519"
            ? `# for dashboards: ${key.publicKey()}\n${key.publicKey("line")}\n`
            : `${key.publicKey()}\n`);
        assert.equal(text(open(seal(publicKey, utf8(message), all), key, all)), message);
        const blob = pqseal(["seal", "--allow-experimental", "--to", publicKey], message);
        assert.equal(text(open(blob, key, all)), message);
    });
}

function writes(key, form) {
    try {
        return key.export(form);
    } catch {
        return false;
    }
}
