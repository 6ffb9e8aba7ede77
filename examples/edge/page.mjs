// Opens a file in the page, in a browser without a network, and saves what it opened as NDJSON.
//   page.mjs PAGE KEY FILE FIELDS OUTPUT
// CHROMIUM names the browser.
import { copyFileSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium, expect } = createRequire(new URL("../../web-ui/package.json", import.meta.url))(
    "@playwright/test",
);
const [page, key, file, fields, output] = process.argv.slice(2);

// Chromium's sandbox does not start as root, as which containers run.
const args = ["--disable-gpu", "--disable-dev-shm-usage",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
try {
    const tab = await (await browser.newContext({ offline: true })).newPage();
    await tab.goto(pathToFileURL(page).href);
    await tab.getByLabel("Or paste a key").fill(readFileSync(key, "utf8"));
    await tab.getByRole("button", { name: "Add key" }).click();
    await expect(tab.locator("#keys")).toContainText(/ready/i, { timeout: 120_000 });
    await tab.locator("summary", { hasText: "Options" }).first().click();
    await tab.locator("#fields").fill(fields);
    await tab.locator("#log-file").setInputFiles(file);
    const save = tab.getByRole("button", { name: "Save NDJSON" });
    await expect(save).toBeEnabled({ timeout: 120_000 });
    const download = tab.waitForEvent("download");
    await save.click();
    copyFileSync(await (await download).path(), output);
} finally {
    await browser.close();
}
