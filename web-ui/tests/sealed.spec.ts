// What other vendors seal in records opens on the page as `pqseal logs open` opens it. The values
// are those of crates/sealed.
import { createPrivateKey } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Page, expect, test } from "@playwright/test";
import * as files from "../../wasm/pkg/dist/files/index.js";
import { addKey, expectCounts, open, openLog, panel, path, published, sealed,
    unfold } from "./page.ts";

const read = (name: string) => JSON.parse(readFileSync(path(`../${name}`), "utf8"));
const { keys: rsa, objects, refused } = read("crates/sealed/tests/ai_gateway.json") as {
    keys: Record<string, string>;
    objects: { key: string; text: string; value: Record<string, string> }[];
    refused: Record<string, object>;
};
const [receipt] = read("test-vectors/data/receipts.json").entries as {
    sk_r: string;
    envelope: { recipients: object[] };
}[];
const jose = read("test-vectors/data/jose-hpke-pq.json").entries as {
    alg: string;
    jwk: object;
    compact: string;
}[];
const jwe = jose.find(({ alg }) => alg === "HPKE-9")!;
const x25519 = Buffer.from(receipt!.sk_r, "hex").toString("base64");
const identity = files.generateX25519Identity();
const armored = (plaintext: string) =>
    new TextDecoder().decode(
        files.encrypt(files.identityToRecipient(identity), new TextEncoder().encode(plaintext), {
            armor: true,
        }),
    );
const gateway = (bits: string) => objects.filter(({ key }) => key === bits);
/** An object with a flipped bit in a member. */
function flipped(member: string): Record<string, string> {
    const { value } = objects[0]!;
    const bytes = Buffer.from(value[member]!, "base64");
    bytes[3]! ^= 1;
    return { ...value, [member]: bytes.toString("base64") };
}

/** A kind: its key, another key, a sealed value with what is in it, and one that is damaged. */
const kinds = [
    {
        name: "AI Gateway",
        key: rsa["2048"]!,
        other: createPrivateKey(rsa["4096"]!).export({ type: "pkcs1", format: "pem" }) as string,
        shown: "RSA with 2048 bits",
        value: objects[0]!.value,
        text: "café",
        damaged: flipped("data"),
        reason: "sealed to another key, or altered",
        withOther: "sealed to another key, or altered",
    },
    {
        name: "agent receipts",
        key: x25519,
        other: Buffer.alloc(32, 1).toString("base64"),
        shown: "x25519",
        value: receipt!.envelope,
        text: "build complete",
        damaged: { ...receipt!.envelope, ct: "AAAA" },
        reason: "cut off",
        withOther: "sealed to another key, or altered",
    },
    {
        name: "JWE",
        key: JSON.stringify(jwe.jwk),
        other: x25519,
        shown: "mlkem768-x25519",
        value: jwe.compact,
        text: "to stick with you",
        damaged: jwe.compact.replace(/.(?=.{10}$)/, (one) => (one === "A" ? "B" : "A")),
        reason: "sealed to another key, or altered",
        withOther: "a key of another type is needed",
    },
    {
        name: "age",
        key: identity,
        other: rsa["2048"]!,
        shown: "x25519, an age identity",
        value: armored("a note"),
        text: "a note",
        damaged: armored("a note").slice(0, -60),
        reason: "an age file that is malformed or cut off",
        withOther: "a key of another type is needed",
    },
];

/** Sets the fields that are opened. */
async function setFields(page: Page, fields: string): Promise<void> {
    await page.locator("#open-form summary").click();
    await page.getByLabel("Fields that hold sealed data").fill(fields);
}

const listed = (page: Page) =>
    page.getByRole("list", { name: "Private keys" }).getByRole("listitem");

/** Opens records with values in the fields `sealed` and `also`. */
async function openRecords(page: Page, keys: string[], records: object[]): Promise<void> {
    await page.goto("/");
    for (const [i, key] of keys.entries()) {
        await addKey(page, key);
        await expect(listed(page)).toHaveCount(i + 1);
    }
    await setFields(page, "note, also");
    await open(page, records.map((record) => JSON.stringify(record)).join("\n"));
}

for (const { name, key, other, shown, value, text, damaged, reason, withOther } of kinds) {
    test(`${name}: a value opens, in JSON inside a string too, and a damaged one says why`, {
        tag: "@main",
    }, async ({ page }) => {
        const records = [{ id: 1, note: value }, { id: 2, note: damaged }, {
            id: 3,
            log: JSON.stringify({ note: value }),
        }, { id: 4, note: null }];
        await openRecords(page, [key], records);
        await expectCounts(page,
            "Opened 2 of 3 records with sealed data. 1 could not be opened. 1 of 4 records without sealed data.");
        await expect(page.locator("#failures")).toContainText(`1 × ${reason}`);
        await page.getByRole("button", { name: "Payloads", exact: true }).click();
        await expect(page.locator("#rows")).toContainText(text);
        await unfold(page);
        await expect(page.getByRole("list", { name: "Private keys" })).toContainText(shown);
        await expect(page.getByRole("list", { name: "Private keys" })).toContainText("opened 2");
    });

    test(`${name}: another key, then the right one`, async ({ page }) => {
        await openRecords(page, [other], [{ note: value }]);
        await expect(page.locator("#failures")).toContainText(`1 × ${withOther}`);
        await addKey(page, key);
        await expectCounts(page, "Opened 1 of 1 record.");
    });
}

test("all kinds and matched data in one record open beside each other", async ({ page }) => {
    const records = kinds.map(({ value }) => ({ note: value, also: sealed("GET /") }));
    await openRecords(page, [...kinds.map(({ key }) => key), published.key], records);
    await expectCounts(page, "Opened 8 of 8 fields.");
});

/** What a person saves. */
async function saved(page: Page): Promise<string[]> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save NDJSON" }).click();
    return readFileSync(await (await download).path(), "utf8").trim().split("\n");
}

const cli = join(process.env.PQSEAL_BIN ?? path("../target/debug"), "pqseal");
const clear = { type: "text", text: "in the clear" };
const presets = [
    {
        preset: "ai-gateway",
        label: "AI Gateway",
        key: Object.values(rsa).join("\n"),
        records: [
            ...["2048", "3072", "4096"].flatMap((bits) =>
                gateway(bits).map(({ value }, i) => ({
                    Model: "m",
                    Metadata: { user: i },
                    RequestBody: value,
                    ResponseBody: i % 2 ? value : clear,
                }))
            ),
            { RequestBody: "text", ResponseBody: null, Metadata: 1 },
            { RequestBody: { type: "encrypted", key: "AA==" }, Metadata: flipped("key") },
            ...Object.values(refused).map((value) => ({ ResponseBody: value })),
            { RequestBody: flipped("iv"), note: "é" },
        ],
    },
    {
        preset: "agent-receipts",
        label: "agents (receipts)",
        key: x25519,
        records: [
            { parameters_disclosure: receipt!.envelope, response_disclosure: undefined },
            { parameters_disclosure: { command: "ls" }, response_disclosure: receipt!.envelope },
            { parameters_disclosure: { ...receipt!.envelope, v: "2" } },
            {},
        ].map(({ parameters_disclosure, response_disclosure }, i) => ({
            id: `urn:receipt:${i}`,
            credentialSubject: {
                action: { parameters_disclosure, tool: "sh" },
                outcome: { response_disclosure },
            },
        })),
    },
];
for (const { preset, label, key, records } of presets)
    test(`${preset}: the saved lines are those of pqseal logs open`, async ({ page }, info) => {
        test.skip(!existsSync(cli) && !process.env.PQSEAL_BIN, `no ${cli}`);
        const input = records.map((record) => `${JSON.stringify(record)}\n`).join("");
        const [file, log] = [info.outputPath("key"), info.outputPath("log")];
        writeFileSync(file, key, { mode: 0o600 });
        writeFileSync(log, input);
        const expected = execFileSync(cli, ["logs", "open", "-k", file, "--preset", preset, log], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        });
        await page.goto("/");
        await addKey(page, key);
        await page.locator("#open-form summary").click();
        await page.getByLabel("Log records of").selectOption({ label });
        await page.locator("#log-file").setInputFiles({
            name: "log.ndjson",
            mimeType: "",
            buffer: Buffer.from(input),
        });
        await expect(page.locator("#counts")).toContainText(`of ${records.length} records`);
        expect(await saved(page)).toEqual(expected.trim().split("\n"));
    });

test("2,000 records of AI Gateway open by helpers too", { tag: "@heavy" }, async ({ page }) => {
    const own = gateway("4096");
    const lines = Array.from({ length: 2000 },
        (_, i) => JSON.stringify({ i, RequestBody: own[i % own.length]!.value }));
    await page.goto("/");
    await addKey(page, rsa["4096"]!);
    await setFields(page, "RequestBody");
    await page.locator("#log-file").setInputFiles({
        name: "log.ndjson",
        mimeType: "",
        buffer: Buffer.from(lines.join("\n")),
    });
    await expect(page.locator("#counts")).toContainText("Opened 2,000 of 2,000 records.");
});

test("RSA keys under a passphrase and in DER, and files of several keys", async ({ page }) => {
    const key = createPrivateKey(rsa["2048"]!);
    const locked = key.export({
        type: "pkcs8",
        format: "pem",
        cipher: "aes-256-cbc",
        passphrase: "correct horse",
    });
    await page.goto("/");
    await page.locator("#key-file").setInputFiles({
        name: "gateway.pem",
        mimeType: "",
        buffer: Buffer.from(locked),
    });
    await page.locator("#key-passphrase").fill("correct horse");
    await page.getByRole("button", { name: "Add keys" }).click();
    const keys = page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    await expect(keys).toContainText("RSA with 2048 bits");
    await expect(keys).toContainText("Opens only fields of AI Gateway.");
    for (
        const [name, buffer] of [
            ["gateway.der", key.export({ type: "pkcs8", format: "der" })],
            ["age.txt", Buffer.from(`# created: now\n${identity} # mail\n${rsa["4096"]}`)],
        ] as const
    )
        await page.locator("#key-file").setInputFiles({ name, mimeType: "", buffer });
    await expect(keys).toHaveCount(3);
    await setFields(page, "note");
    await open(page, JSON.stringify({ note: objects[0]!.value }));
    await expectCounts(page, "Opened 1 of 1 record.");
    await unfold(page);
    await page.getByRole("button", { name: /^Remove the key/ }).first().click();
    await expect(page.locator("#counts")).toContainText("Opened 0 of 1 record.");
});

const inspected = {
    "AI Gateway": ["object of AI Gateway", "RSA-OAEP with SHA-256, AES-256-GCM", "2048 bits"],
    "agent receipts": ["envelope of an agent receipt", "hpke-x25519-hkdf-sha256-aes-256-gcm",
        "did:key:", "37 bytes"],
    JWE: ["JWE", "HPKE-9"],
    age: ["age file", "X25519", "6 bytes"],
};
test("Inspect says what is known without a key", async ({ page }) => {
    await page.goto("/");
    await panel(page, "Inspect");
    for (const { name, value, damaged } of kinds) {
        const inspect = async (value: unknown) => {
            const text = typeof value === "string" ? value : JSON.stringify(value);
            await page.locator("#inspect-blob").fill(text);
            await page.locator("#inspect-form button").click();
        };
        await inspect(value);
        for (const fact of inspected[name as keyof typeof inspected])
            await expect(page.locator("#facts")).toContainText(fact);
        if (name === "AI Gateway") {
            await inspect({ ...(value as object), iv: "AAAA" });
            await expect(page.locator("#inspect-error")).toContainText("Its iv has 3 bytes");
        }
        if (name === "agent receipts") {
            await inspect(damaged);
            await expect(page.locator("#inspect-error")).toContainText("was it cut?");
        }
    }
});
