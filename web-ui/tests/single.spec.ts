// The page as one file, from disk.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { addKey, open, path, published } from "./page.ts";

const file = path("dist-single/pqseal.html");

test("opens the published blob from file://, asks for nothing else, and cannot send", async ({ page, context }) => {
    await context.setOffline(true);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url().split(":")[0]!));
    await page.goto(pathToFileURL(file).href);
    await addKey(page);
    await open(page, published.blob);
    await expect(page.locator("#rows pre")).toContainText(published.uri);
    // The page, and the worker that it makes from its own text.
    expect(requests).toEqual(["file", "blob"]);
    expect(await page.workers()[0]!.evaluate(() => fetch("https://check.invalid/").then(() => "sent", () => "refused"))).toBe("refused");
    await page.getByRole("button", { name: "Check" }).click();
    await expect(page.locator("#checked")).toContainText("Refused, as it should be");
});

test("does not run with one byte changed", async ({ page }, info) => {
    const changed = info.outputPath("changed.html");
    const html = readFileSync(file, "utf8");
    const at = html.indexOf("Nothing to open: paste");
    writeFileSync(changed, `${html.slice(0, at)}n${html.slice(at + 1)}`);
    await page.goto(pathToFileURL(changed).href);
    await page.waitForTimeout(500);
    expect(page.workers()).toHaveLength(0);
    await expect(page.locator("#make-go")).toBeDisabled();
});
