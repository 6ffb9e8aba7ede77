// The page as one file, from disk.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { addKey, firewallEvents, open, path, published, zstd } from "./page.ts";

const file = path("dist-single/pqseal.html");

test("opens the published blob and a file from file://", async ({ page }) => {
    await page.goto(pathToFileURL(file).href);
    await addKey(page);
    await open(page, published.blob);
    await expect(page.locator("#rows pre")).toContainText(published.uri);
    await page.locator("#log-file").setInputFiles({
        name: "export",
        mimeType: "",
        buffer: Buffer.from(firewallEvents(100).join("\n")),
    });
    await expect(page.locator("#counts")).toContainText(
        "Opened 99 of 100 records. 1 could not be opened.",
        { timeout: 60_000 },
    );
    await page.locator("#log-file").setInputFiles({
        name: "export.zst",
        mimeType: "",
        buffer: zstd(firewallEvents(200).join("\n")),
    });
    await expect(page.locator("#counts")).toContainText(
        "Opened 198 of 200 records. 2 could not be opened.",
        { timeout: 60_000 },
    );
    await page.getByRole("button", { name: "Check" }).click();
    await expect(page.locator("#checked")).toContainText("the browser refused the request");
    await expect(page.locator("#checked")).toContainText(
        "no browser blocks them for a page that is opened from a file",
    );
});

test("asks for nothing else, and cannot send from its worker", { tag: "@workers" },
    async ({ page, context }) => {
        await context.setOffline(true);
        const requests: string[] = [];
        page.on("request", (request) => requests.push(request.url().split(":")[0]!));
        await page.goto(pathToFileURL(file).href);
        await addKey(page);
        // The page, and the worker and its helpers, which are made from its own text.
        expect(requests[0]).toBe("file");
        expect([...new Set(requests.slice(1))]).toEqual(["blob"]);
        expect(
            await page.workers()[0]!.evaluate(() =>
                fetch("https://check.invalid/").then(() => "sent", () => "refused")
            ),
        ).toBe("refused");
    });

test("a file comes to the worker as bytes: WebKit cannot read a Blob there", {
    tag: "@init-script",
}, async ({ page }, info) => {
    await page.addInitScript(() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function(message: unknown, ...rest: never[]) {
            if (
                message instanceof Blob
                || Object.values(Object((message as { ask?: object }).ask)).some((value) =>
                    value instanceof Blob
                )
            )
                throw new Error("a Blob was posted");
            post.call(this, message, ...rest);
        };
    });
    await page.goto(pathToFileURL(file).href);
    await addKey(page);
    const name = info.outputPath("export.ndjson");
    // Of several slices.
    writeFileSync(name, Array(30).fill(firewallEvents(300).join("\n")).join("\n"));
    expect(statSync(name).size).toBeGreaterThan(2 << 20);
    await page.locator("#log-file").setInputFiles(name);
    await expect(page.locator("#counts")).toContainText(
        "Opened 8,910 of 9,000 records. 90 could not be opened.",
        { timeout: 60_000 },
    );
});

test("does not run with one byte changed", { tag: "@workers" }, async ({ page }, info) => {
    const changed = info.outputPath("changed.html");
    const html = readFileSync(file, "utf8");
    const at = html.indexOf("Nothing to open: paste");
    writeFileSync(changed, `${html.slice(0, at)}n${html.slice(at + 1)}`);
    await page.goto(pathToFileURL(changed).href);
    await page.waitForTimeout(500);
    expect(page.workers()).toHaveLength(0);
    await expect(page.locator("#make-go")).toBeDisabled();
});
