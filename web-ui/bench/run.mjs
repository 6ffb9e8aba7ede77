// npm run bench: opens the benchmark page in Chromium, or with BROWSER=firefox in Firefox, and prints
// what it says. On Linux, whose /proc knows what processors each thread used.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium, firefox } from "@playwright/test";
import { preview } from "vite";

const server = await preview({
    configFile: fileURLToPath(new URL("vite.config.ts", import.meta.url)),
    preview: { host: "127.0.0.1", port: 4174 },
});
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = process.env.BROWSER === "firefox"
    ? await firefox.launch({
        // As playwright.config.ts has them.
        channel: "moz-firefox",
        executablePath: fileURLToPath(new URL("../tests/engines/firefox.mjs", import.meta.url)),
    })
    : await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
const page = await browser.newPage();
page.on("pageerror", (error) => console.error(error.message));
await page.exposeFunction("processorTime", () => ofDescendants(process.pid));
await page.goto("http://127.0.0.1:4174/");
await page.waitForFunction(() => document.title === "done", undefined, { timeout: 300_000 });
console.log(await page.locator("#result").textContent());
await browser.close();
await server.close();

/**
 * Milliseconds of all threads of the processes that a process started: the first number of
 * schedstat is nanoseconds.
 * @param {number} parent
 * @returns {number}
 */
function ofDescendants(parent) {
    let sum = 0;
    for (const child of children(parent)) {
        for (const thread of readdirSync(`/proc/${child}/task`))
            sum += Number(
                readFileSync(`/proc/${child}/task/${thread}/schedstat`, "utf8").split(" ")[0],
            ) / 1e6;
        sum += ofDescendants(child);
    }
    return sum;
}

/** @param {number} parent */
function children(parent) {
    const threads = readdirSync(`/proc/${parent}/task`);
    return threads.flatMap((thread) =>
        readFileSync(`/proc/${parent}/task/${thread}/children`, "utf8").split(" ").filter(Boolean)
            .map(Number)
    );
}
