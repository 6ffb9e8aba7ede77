// A user's regular expression: it runs in a thread of its own, which is ended where the expression
// takes too long. Attackers choose the texts.
import { readFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { addKey, expectCounts, payloads, sealed } from "./page.ts";

/** Takes years for the fourth of them. */
const slow = "^(\\w+)+$";
const texts = Array.from({ length: 20 }, (_, i) => (i === 3 ? `${"a".repeat(36)}!` : `text ${i}`));
const records = texts.map((text, i) =>
    JSON.stringify({ RayID: `ray ${i}`, encrypted_matched_data: sealed(text) })
);

const matched = (page: Page) => page.locator("#matched");
const error = (page: Page) => page.locator("#search-error");
const searching = (page: Page) => page.locator("#searching");
const stopped =
    "The search was stopped at record 4: the expression takes more than 2 seconds there.";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "a.ndjson",
        mimeType: "",
        buffer: Buffer.from(records.join("\n")),
    });
    await expectCounts(page, "Opened 20 of 20 records.");
    await expect(page.locator("#lines tr").first()).toBeVisible();
    await page.getByLabel("Regular expression").check();
});

test("one that takes too long is stopped, says where, and all else goes on", async ({ page }) => {
    const box = page.getByRole("searchbox");
    await box.fill("text 1");
    await expect(matched(page)).toHaveText("11 of 20 match.");
    await box.fill(slow);
    await expect(searching(page)).toBeVisible();
    // Meanwhile records open, as they do after it.
    await page.locator("#lines tr").first().click();
    await expect(page.getByRole("complementary")).toContainText("Record 2");
    await expect(error(page)).toHaveText(stopped);
    await expect(searching(page)).toBeHidden();
    await expect(matched(page)).toHaveText("11 of 20 match.");
    await page.locator("#lines tr").nth(1).click();
    await expect(page.getByRole("complementary")).toContainText("Record 11");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save NDJSON" }).click();
    expect(readFileSync(await (await download).path(), "utf8").trim().split("\n")).toHaveLength(11);
    await box.fill("text 1.|^ray 2$");
    await expect(matched(page)).toHaveText("11 of 20 match.");
    await expect(error(page)).toBeEmpty();
    await page.getByLabel("Regular expression").uncheck();
    await box.fill("\"text 5\"");
    await expect(matched(page)).toHaveText("1 of 20 match.");
});

test("a search is cancelled by its button, and by another one", async ({ page }) => {
    const box = page.getByRole("searchbox");
    await box.fill(slow);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(error(page)).toHaveText("The search was cancelled.");
    await expect(searching(page)).toBeHidden();
    await expect(matched(page)).toBeEmpty();
    // Each of them would take years, and each key press begins another.
    await box.fill("");
    await box.pressSequentially("^(\\w+)+$|^text 7$|^(a+)+$");
    await expect(error(page)).toHaveText(stopped);
    await box.fill("text 7");
    await expect(matched(page)).toHaveText("1 of 20 match.");
    await expect(error(page)).toBeEmpty();
});

test("what it finds is marked, and it never runs on the page's thread", async ({ page }) => {
    await payloads(page);
    await page.getByRole("searchbox").fill("t.xt 1[01]$|a{5}");
    await expect(matched(page)).toHaveText("3 of 20 match.");
    await expect(page.locator("#rows mark")).toHaveText([...Array<string>(7).fill("aaaaa"),
        "text 10", "text 11"]);
    // Whether it is in the text is soon known, and what it finds there is not.
    await page.getByRole("searchbox").fill("(\\w+)+!?$|^t");
    await expect(matched(page)).toHaveText("20 of 20 match.");
    await expect(page.locator("#rows tr")).toHaveCount(20);
});

test("texts that are searched slowly are searched to the end", async ({ page }) => {
    // Each takes some time, and all of them together more than there is for one.
    const many = Array.from({ length: 40 }, (_, i) =>
        JSON.stringify({
            RayID: `ray ${i}`,
            encrypted_matched_data: sealed(`${"a".repeat(21)}! ${i}`),
        }));
    await page.locator("#log-file").setInputFiles({
        name: "a.ndjson",
        mimeType: "",
        buffer: Buffer.from(many.join("\n")),
    });
    await expect(page.locator("#counts")).toContainText("of 40 records");
    await page.getByLabel("Regular expression").check();
    await page.getByRole("searchbox").fill("^(a+)+$| 3\\d$");
    await expect(matched(page)).toHaveText("10 of 40 match.", { timeout: 60_000 });
    await expect(error(page)).toBeEmpty();
});

test("a searcher that does not start is said", { tag: "@route" }, async ({ page }) => {
    await page.route("**/searcher-*.js", (route) => route.abort());
    await page.goto("/", { waitUntil: "domcontentloaded" });
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "a.ndjson",
        mimeType: "",
        buffer: Buffer.from(records.join("\n")),
    });
    await expectCounts(page, "Opened 20 of 20 records.");
    await expect(page.locator("#lines tr").first()).toBeVisible();
    await page.getByLabel("Regular expression").check();
    await page.getByRole("searchbox").fill("\"text 1\"");
    await expect(error(page)).toContainText("regular expressions cannot be searched for");
    await page.getByLabel("Regular expression").uncheck();
    await expect(matched(page)).toHaveText("11 of 20 match.");
});
