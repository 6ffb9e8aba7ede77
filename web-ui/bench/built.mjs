// The page as it is built, served and in Chromium.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";

export const address = "http://127.0.0.1:4175/";
/** @param {string} name */
export const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
/** The published private key. */
export const key = readFileSync(path("../examples/matched-data/key.txt"), "utf8").trim();

/**
 * Calls `use` while the page is served, with a folder that is removed after it.
 * @param {(browser: import("@playwright/test").Browser, folder: string) => Promise<void>} use
 */
export async function withBuilt(use) {
    const folder = mkdtempSync(join(tmpdir(), "pqseal-bench-"));
    const server = await preview({
        configFile: path("vite.config.ts"),
        root: path("."),
        preview: { host: "127.0.0.1", port: 4175, strictPort: true },
    });
    const args = ["--disable-gpu", "--disable-dev-shm-usage",
        ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args,
    });
    try {
        await use(browser, folder);
    } finally {
        await browser.close();
        await server.close();
        rmSync(folder, { recursive: true });
    }
}

/** @param {import("@playwright/test").Page} page */
export async function addKey(page) {
    await page.goto(address);
    await page.getByLabel("Or paste a key").fill(key);
    await page.getByRole("button", { name: "Add key" }).click();
    // Only the worker has a key's id to say.
    await page.locator("#keys", { hasText: "eady" }).waitFor();
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {string} log
 */
export async function openLog(page, log) {
    await page.locator("#log-file").setInputFiles(log);
    await page.locator("#counts[aria-busy=true]").waitFor();
    await page.locator("#counts[aria-busy=false]").waitFor({ timeout: 1_800_000 });
}
