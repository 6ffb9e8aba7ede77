// The main work of the page as one file, for dev/dist/install: page_work.mjs PAGE KEY BLOB.
// CHROMIUM is the browser.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { chromium, expect } = createRequire(new URL("../../web-ui/package.json", import.meta.url))(
    "@playwright/test",
);
const [page, key, blob] = process.argv.slice(2);
const read = (name) => readFileSync(name, "utf8").trim();

// Chromium's sandbox does not start as root, as which containers run.
const args = ["--disable-gpu", "--disable-dev-shm-usage",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args });
const context = await browser.newContext({ offline: true });
const tab = await context.newPage();
await tab.goto(pathToFileURL(page).href);
await tab.getByLabel("Or paste a key").fill(read(key));
await tab.getByRole("button", { name: "Add key" }).click();
await expect(tab.locator("#keys")).toContainText("eady");
await tab.getByLabel("Paste sealed data or log records").fill(read(blob));
await tab.getByRole("button", { name: "Open", exact: true }).last().click();
await expect(tab.locator("#rows pre")).toContainText("/cms/%0Aadmin");
await tab.getByRole("navigation").getByRole("button", { name: "Make keys" }).click();
await tab.getByRole("button", { name: "Make key pair" }).click();
await expect(tab.locator("#made-public")).not.toHaveValue("");
await browser.close();
