// npm run bench: opens the benchmark page in Chromium and prints what it says.
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";

const server = await preview({ configFile: fileURLToPath(new URL("vite.config.ts", import.meta.url)), preview: { host: "127.0.0.1", port: 4174 } });
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
const page = await browser.newPage();
page.on("pageerror", (error) => console.error(error.message));
await page.goto("http://127.0.0.1:4174/");
await page.waitForFunction(() => document.title === "done", undefined, { timeout: 300_000 });
console.log(await page.locator("#result").textContent());
await browser.close();
await server.close();
