// npm run picture: writes the pictures of the README, the page in Chromium with 100,000 records of
// a day opened: docs/page.webp with one of them at the side, docs/page-rule.webp with what one rule
// matched, in dark colors.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { PrivateKey, seal } from "../../wasm/pkg/dist/index.js";
import { addKey, key, openLog, path, withBuilt } from "./built.mjs";

const records = 100_000;

await withBuilt(async (browser, folder) => {
    const log = join(folder, "firewall-events.ndjson");
    writeFileSync(log, await events());
    const page = await browser.newPage({ viewport: { width: 1600, height: 1100 } });
    await addKey(page);
    await openLog(page, log);
    await page.locator("#lines tr").nth(3).click();
    await page.locator("#side").waitFor();
    await write(page, "../docs/page.webp");

    await page.locator("#side-close").click();
    await page.locator("#tops").getByRole("button", { name: "log4shell", exact: true }).click();
    await page.locator("#matched", { hasText: "match" }).waitFor();
    await page.emulateMedia({ colorScheme: "dark" });
    await write(page, "../docs/page-rule.webp");
});

/**
 * What was opened, as a picture.
 * @param {import("@playwright/test").Page} page
 * @param {string} name
 */
async function write(page, name) {
    await page.mouse.move(0, 0);
    // The line that stays at the window's top stands above the results there.
    await page.evaluate(() => scrollTo(0, 0));
    const clip = await page.locator("#results").evaluate((card) => {
        const { x, y, width, height } = card.getBoundingClientRect();
        return { x: x + scrollX, y: y + scrollY, width, height, scale: 1 };
    });
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", {
        format: "webp",
        quality: 80,
        clip,
        captureBeyondViewport: true,
    });
    writeFileSync(path(name), Buffer.from(data, "base64"));
}

/** The page's example events, a few without their payload, over a day that has two attacks. */
async function events() {
    const publicKey = PrivateKey.parse(key).publicKey();
    /** @param {Uint8Array} payload */
    const sealTo = (payload) => seal(publicKey, payload);
    const source = await createServer({
        configFile: false,
        root: path("."),
        optimizeDeps: { noDiscovery: true },
        server: { middlewareMode: true },
        appType: "custom",
    });
    const { exampleEvents } = await source.ssrLoadModule("/src/samples.ts");
    const lines = new TextDecoder().decode(
        exampleEvents(sealTo, records),
    ).trimEnd().split("\n");
    await source.close();
    const seconds = times();
    return lines.map((line, i) => {
        const event = JSON.parse(line);
        event.Datetime = new Date(Date.UTC(2026, 0, 15, 8) + (seconds[i] ?? 0) * 1000)
            .toISOString();
        if (i % 97 === 0) event.Metadata.encrypted_matched_data = "truncated";
        return JSON.stringify(event);
    }).join("\n");
}

/** The second of the day of each record. */
function times() {
    const rates = Array.from({ length: 1440 },
        (_, minute) => 3 + 2 * Math.sin(minute / 229) + (minute % 620 > 585 ? 9 : 0));
    const perRate = records / rates.reduce((sum, rate) => sum + rate);
    return rates.flatMap((rate, minute) =>
        Array.from({ length: Math.ceil(rate * perRate) }, (_, i) =>
            (minute + i / (rate * perRate)) * 60)
    );
}
