// Packed inputs: how little of what is unpacked is in memory.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { growth } from "./memory.ts";
import { addKey, firewallEvents } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const choose = (page: Page, content: Buffer) => page.locator("#log-file").setInputFiles({ name: "export", mimeType: "", buffer: content });
const counts = (page: Page) => page.locator("#counts");
const lines = firewallEvents(300);
const text = `${lines.join("\n")}\n`;
const mebi = 1 << 20;
/** In lines that are no records. */
const blank = Buffer.alloc(64 * mebi, `${" ".repeat(65_535)}\n`);

for (const [name, bomb] of Object.entries({
    gzip: async () => Buffer.concat([await buffer(Readable.from(Array<Buffer>(16).fill(blank)).pipe(createGzip())), gzipSync(text)]),
}))
    test(`1 GiB in 1 MiB of ${name} is unpacked as it is looked at, and not into memory`, { tag: "@heavy" }, async ({ page }) => {
        const content = await bomb();
        expect(content.length).toBeLessThan(1.1 * mebi);
        const grown = await growth(async () => {
            await choose(page, content);
            await expect(counts(page)).toContainText("Opened 297 of 300 records.", { timeout: 60_000 });
        });
        console.log(`Memory grew by ${Math.round(grown / 1e6)} MB.`);
        expect(grown).toBeLessThan(300e6);
    });

test("what unpacks into hours of nothing can be cancelled", { tag: "@heavy" }, async ({ page }) => {
    const packed = gzipSync(blank);
    await choose(page, Buffer.concat(Array<Buffer>(1600).fill(packed)));
    await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(counts(page)).toContainText("Cancelled.");
});
