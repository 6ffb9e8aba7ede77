// npm run bench, second part: the page as it is built, in Chromium on Linux. Opens an export of
// RECORDS records (100,000 if it is not set) and prints when the page is ready, records a second,
// memory, and long tasks of the page's own thread. The build prints how large a first load is.
import { closeSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { PrivateKey, seal } from "../../wasm/pkg/dist/index.js";
import { addKey, key, openLog, withBuilt } from "./built.mjs";

const records = Number(process.env.RECORDS ?? 100_000);

await withBuilt(measure);

/**
 * @param {import("@playwright/test").Browser} browser
 * @param {string} folder
 */
async function measure(browser, folder) {
    const log = join(folder, "events.ndjson");
    writeLog(log);
    const devtools = await browser.newBrowserCDPSession();
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.error(error.message));
    await page.addInitScript(() => {
        const tasks = (/** @type {any} */ (window).longTasks = /** @type {number[]} */ ([]));
        new PerformanceObserver((list) =>
            tasks.push(...list.getEntries().map(({ duration }) => duration))
        ).observe({ type: "longtask", buffered: true });
    });
    const begun = performance.now();
    await addKey(page);
    console.log(
        `ready: ${(performance.now() - begun).toFixed(0)} ms until the worker has taken a key`,
    );

    const opened = page.locator("#counts", { hasText: /records per second/ });
    let most = 0;
    const watch = setInterval(
        () => void memory().then((now) => (most = Math.max(most, now)), () => undefined),
        250,
    );
    const before = await processors();
    await openLog(page, log);
    clearInterval(watch);
    console.log(
        `${records} records, ${(statSync(log).size / 1e6).toFixed(0)} MB: ${await opened
            .textContent()}`,
    );
    const used = ((await processors()) - before) / records;
    console.log(`processor time over all threads of the page: ${used.toFixed(0)} us a record`);
    console.log(`memory of the page's process: ${(most / 1e6).toFixed(0)} MB at most`);
    const tasks = await page.evaluate(() => /** @type {any} */ (window).longTasks);
    console.log(`long tasks: ${tasks.length}, the longest ${Math.max(0, ...tasks).toFixed(0)} ms`);

    /** Microseconds of processors that the page's process has used, over all threads. */
    async function processors() {
        const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
        return processInfo.filter(({ type }) => type === "renderer").reduce(
            (sum, { cpuTime }) => sum + cpuTime * 1e6,
            0,
        );
    }

    /** What is in memory of the page's process and of no file, in bytes. */
    async function memory() {
        const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
        const each = processInfo.filter(({ type }) => type === "renderer").map(({ id }) =>
            readFileSync(`/proc/${id}/status`, "utf8")
        );
        return Math.max(
            ...each.map((status) => Number(/^RssAnon:\s*(\d+)/m.exec(status)?.[1] ?? 0) * 1024),
        );
    }
}

/**
 * Every record has a blob of its own; the same thousand come again and again.
 * @param {string} log
 */
function writeLog(log) {
    const publicKey = PrivateKey.parse(key).publicKey();
    const blobs = Array.from({ length: 1000 }, (_, i) =>
        seal(publicKey, new TextEncoder().encode(
            JSON.stringify({
                "http.request.uri.query": {
                    before: "q=",
                    content: `<script>alert(${i})</script>`,
                    after: "&lang=en",
                },
            }),
        )));
    const file = openSync(log, "w");
    for (let from = 0; from < records; from += 1000) {
        const lines = Array.from({ length: Math.min(1000, records - from) }, (_, i) =>
            `${JSON.stringify(event(from + i, blobs[i] ?? ""))}\n`);
        writeSync(file, lines.join(""));
    }
    closeSync(file);
}

/**
 * @param {number} i
 * @param {string} blob
 */
function event(i, blob) {
    return {
        Datetime: new Date(1_768_464_000_000 + i * 37).toISOString(),
        Action: ["block", "log", "managed_challenge"][i % 3],
        RuleID: ["sqli", "xss", "traversal"][i % 3],
        ClientRequestMethod: i % 4 ? "GET" : "POST",
        ClientRequestHost: i % 5 ? "shop.example.com" : "www.example.com",
        ClientRequestPath: `/products/${i % 5000}`,
        ClientIP: `198.51.100.${(i * 7) % 250}`,
        ClientCountry: ["DE", "US", "FR", "BR"][i % 4],
        RayID: (0x8f00_0000_0000 + i * 7919).toString(16).padStart(16, "0"),
        Metadata: { encrypted_matched_data: blob },
    };
}
