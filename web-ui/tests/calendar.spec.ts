// Calendars on the page: a private or lent one opens the days that it has, and says which.
import { writeFileSync } from "node:fs";
import { expect, type Page, test } from "@playwright/test";
import * as files from "../../wasm/pkg/dist/files/index.js";
import { addKey, drop, open, pqseal } from "./page.ts";

const day = 86_400_000;
const start = Date.UTC(2026, 11, 1);
const name = (at: number) => new Date(start + at * day).toISOString().slice(0, 10);

/** Returns the private and the public calendar of so many days. */
function calendar(days: number, kem: string): [string[], string[]] {
    const first = `pqseal-calendar 1 00112233445566778899aabbccddeeff ${kem} day logs`;
    const pairs = Array.from({ length: days }, (_, at) => {
        const { privateKey } = pqseal.generateKeyPair(kem);
        const before = `${name(at)} ${privateKey.fingerprint}`;
        return [`${before} ${privateKey.export("line").trim()}`,
            `${before} ${privateKey.publicKey("line")}`];
    });
    return [[first, ...pairs.map(([line]) => line!)], [first, ...pairs.map(([, line]) => line!)]];
}

const text = (lines: string[]) => `${lines.join("\n")}\n`;

/** Replaces the keys of days from `from` to before `to` by a word. */
const without = (lines: string[], word: string, from: number, to: number) =>
    lines.map((line, at) =>
        at > from && at <= to ? line.replace(/ pqseal-private-key:.*/, ` ${word}`) : line
    );

/** Opens so many records of 90 days on the page, with a calendar of which half is shredded. */
async function openHalf(page: Page, count: number) {
    const [whole, sealing] = calendar(90, "x25519");
    const parsed = pqseal.Calendar.parse(text(sealing));
    const records = Array.from({ length: count }, (_, at) => {
        const payload = new TextEncoder().encode(`number ${at}`);
        const blob = parsed.seal(start + Math.floor((at * 90) / count) * day, payload);
        return JSON.stringify({ at, encrypted_matched_data: blob });
    });
    await page.goto("/");
    await addKey(page, text(without(whole, "shredded", 0, 45)));
    const key = page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    await expect(key).toContainText("x25519, id 0011223344556677");
    await expect(key).toContainText(
        `Calendar logs reads 45 of 90 periods: ${name(45)} to ${name(89)}`,
    );
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from(records.join("\n")),
    });
    const half = (count / 2).toLocaleString("en");
    await expect(page.locator("#counts")).toContainText(
        `Opened ${half} of ${count.toLocaleString("en")} records.`,
        { timeout: 200_000 },
    );
    await expect(page.locator("#failures")).toContainText(
        `${half} × sealed to a key that was shredded`,
    );
    await page.locator("#summary-change").click();
    await expect(key).toContainText(`opened ${half}`);
}

test("900 records of 90 days, half of them shredded: counts, reasons and days", {
    tag: "@main",
}, ({ page }) => openHalf(page, 900));

test("10,000 records of 90 days, half of them shredded: counts, reasons and days", {
    tag: "@heavy",
}, ({ page }) => openHalf(page, 10_000));

test("a lent calendar of another module names the day that was not lent; two files of one calendar open together", async ({ page }) => {
    const [whole, sealing] = calendar(4, "p256");
    const parsed = pqseal.Calendar.parse(text(sealing));
    const blobs = [0, 1, 2, 3].map((at) =>
        parsed.seal(start + at * day, new Uint8Array([65 + at]))
    );
    const lend = (at: number) => without(without(whole, "not-lent", 0, at), "not-lent", at + 1, 4);
    await page.goto("/");
    await addKey(page, text(lend(1)));
    await open(page, blobs.join("\n"));
    await expect(page.locator("#counts")).toContainText("Opened 1 of 4 records.");
    await expect(page.locator("#rows .error").first()).toContainText(
        `for ${name(0)} of logs, which was not lent`,
    );
    await page.locator("#key-file").setInputFiles({
        name: "third.calendar",
        mimeType: "",
        buffer: Buffer.from(text(lend(3))),
    });
    const keys = page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    await expect(keys).toHaveCount(2);
    await expect(keys.last()).toContainText(`reads 1 of 4 periods: ${name(3)}`);
    await open(page, blobs.join("\n"));
    await expect(page.locator("#counts")).toContainText("Opened 2 of 4 records.");
    await page.getByRole("button", { name: "Remove the key 0011223344556677-2" }).click();
    await expect(page.locator("#counts")).toContainText("Opened 1 of 4 records.");
});

test("a public calendar is refused, and a dropped calendar is a key", async ({ page }) => {
    const [whole, sealing] = calendar(2, "x25519");
    await page.goto("/");
    await page.locator("#key-file").setInputFiles({
        name: "logs.pub",
        mimeType: "",
        buffer: Buffer.from(text(sealing)),
    });
    await expect(page.locator("#key-error")).toContainText("This is a public calendar");
    const file = test.info().outputPath("logs.calendar");
    writeFileSync(file, text(whole));
    await drop(page, file, "body");
    await expect(page.locator("#keys")).toContainText("Ready: x25519 0011223344556677");
});

test("a calendar of two years under a passphrase is dropped", async ({ page }) => {
    const [whole] = calendar(730, "x25519");
    const file = files.encrypt({ passphrase: "correct horse", scryptWorkFactor: 10 },
        new TextEncoder().encode(text(without(whole, "shredded", 0, 1))));
    expect(file.length).toBeGreaterThan(100_000);
    const path = test.info().outputPath("logs.calendar");
    writeFileSync(path, file);
    await page.goto("/");
    await drop(page, path, "body");
    await page.locator("#key-passphrase").fill("correct horse");
    await page.getByRole("button", { name: "Add keys" }).click();
    await expect(page.getByRole("list", { name: "Private keys" })).toContainText(
        `reads 729 of 730 periods: ${name(1)} to ${name(729)}`,
    );
});
