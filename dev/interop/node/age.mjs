// Files in the age format with typage (npm `age-encryption`), for ../tests/it/file_peers.rs. One
// JSON object per line on stdin, one per line on stdout:
//
//   {"op":"encrypt", "recipients":[...], "from": path, "to": path}    answered with {}
//   {"op":"decrypt", "identity": text, "from": path, "to": path}      answered with {}
//
// Any failure is answered with {"error": text}.
import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Decrypter, Encrypter } from "age-encryption";

async function run({ op, recipients, identity, from, to }) {
    const input = await readFile(from);
    if (op === "encrypt") {
        const encrypter = new Encrypter();
        for (const recipient of recipients) encrypter.addRecipient(recipient);
        await writeFile(to, await encrypter.encrypt(input));
    } else {
        const decrypter = new Decrypter();
        decrypter.addIdentity(identity);
        await writeFile(to, await decrypter.decrypt(input));
    }
}

for await (const line of createInterface({ input: process.stdin })) {
    let answer = {};
    try {
        await run(JSON.parse(line));
    } catch (error) {
        answer = { error: String(error) };
    }
    console.log(JSON.stringify(answer));
}
