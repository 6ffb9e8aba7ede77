// npm run bench: opens the benchmark page in Chromium and prints what it says. On Linux, whose
// /proc knows what processors each thread used.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { preview } from "vite";

const server = await preview({
    configFile: fileURLToPath(new URL("vite.config.ts", import.meta.url)),
    preview: { host: "127.0.0.1", port: 4174 },
});
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args,
});
const page = await browser.newPage();
page.on("pageerror", (error) => console.error(error.message));
const devtools = await browser.newBrowserCDPSession();
await page.exposeFunction("processorTime", async () => {
    const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
    return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => used(id)).reduce(
        (sum, time) => sum + time,
        0,
    );
});
await page.goto("http://127.0.0.1:4174/");
await page.waitForFunction(() => document.title === "done", undefined, { timeout: 300_000 });
console.log(await page.locator("#result").textContent());
await browser.close();
await server.close();

/**
 * Milliseconds of all threads of a process: the first number of schedstat is nanoseconds.
 * @param {number} process
 */
function used(process) {
    const threads = readdirSync(`/proc/${process}/task`);
    const times = threads.map((thread) =>
        Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, "utf8").split(" ")[0])
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e6;
}
