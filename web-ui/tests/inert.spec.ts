// What attackers sent is shown, and does nothing.
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { addKey, open, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const attacks = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "\"><svg/onload=alert(1)>",
    "</pre></table><iframe srcdoc='<script>parent.alert(1)</script>'>",
    "javascript:alert(1)//",
    "{{constructor.constructor('alert(1)')()}}",
    "{\"a\":\"<b>bold</b>\",\"__proto__\":{\"ok\":false},\"constructor\":1}",
];

test("markup and script are text", { tag: "@main" }, async ({ page }) => {
    let dialogs = 0;
    page.on("dialog", (dialog) => (dialogs++, dialog.dismiss()));
    await open(page, attacks.map(sealed).join("\n"));
    await expect(page.locator("#rows pre")).toHaveCount(attacks.length);
    expect(await page.locator("#rows pre").allTextContents()).toEqual(
        expect.arrayContaining(attacks.slice(0, 6)),
    );
    expect(await page.locator("#rows").locator("img, script, svg, iframe, b, a").count()).toBe(0);
    await page.locator("#search").fill("<script>");
    await expect(page.locator("#rows mark")).toHaveText(["<script>", "<script>"]);
    expect(dialogs).toBe(0);
});

test("a record's own texts are inert too", async ({ page }) => {
    await page.locator("summary", { hasText: "Options" }).first().click();
    await page.getByLabel("Fields that hold sealed data").fill("<b>x</b>");
    await open(page, JSON.stringify({ "<b>x</b>": sealed("in"), other: "<b>y</b>" }));
    await expect(page.locator("#rows .hint")).toHaveText("<b>x</b>");
});

test("what hides is shown: terminal escapes, direction marks, zero width, NUL", async ({ page }) => {
    await open(page,
        ["\u001b]0;owned\u0007\u001b[2J", "user\u202etxt.exe", "a\u2066b\u2069", "ze\u200bro",
            "n\0l", "t\u{e0041}g"].map(sealed).join("\n"));
    await expect(page.locator("#rows pre")).toHaveText(
        ["U+001B]0;ownedU+0007U+001B[2J", "userU+202Etxt.exe", "aU+2066bU+2069", "zeU+200Bro",
            "nU+0000l", "tU+E0041g"],
    );
    await expect(page.locator("#rows .chip")).toHaveText(
        ["001B", "0007", "001B", "202E", "2066", "2069", "200B", "0000", "E0041"].map((number) =>
            `U+${number}`
        ),
    );
});

test("more of what hides, and what data cannot forge", async ({ page }) => {
    const blanks = ["\u2800", "\u{1d173}", "\u{1bca0}", "\u{13430}", "\u2003", "\u3000", "\u00a0"];
    await open(page,
        [...blanks.map((blank) => `a${blank}b`), "U+202E ⟦202E⟧", `e${"\u0301".repeat(6)}`].map(
            sealed,
        ).join("\n"));
    await expect(page.locator("#rows tr")).toHaveCount(9);
    await expect(page.locator("#rows .chip")).toHaveText([
        ...blanks.map((blank) =>
            `U+${blank.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`
        ),
        "U+0301 × 2",
    ]);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save CSV" }).click();
    expect(readFileSync(await (await download).path(), "utf8")).toContain("U+202E ⟦27E6⟧202E⟧");
});

test("what is found is marked, whatever is before it", async ({ page }) => {
    await open(page, sealed("İİİİ Needle here, needle there"));
    await page.locator("#search").fill("needle");
    await expect(page.locator("#rows mark")).toHaveText(["Needle", "needle"]);
    await page.locator("#search").fill("(.*");
    await expect(page.locator("#matched")).toHaveText("0 of 1 match.");
});

test("JSON is indented and its texts stay as they came", async ({ page }) => {
    await open(page, sealed(
        "{\"n\":12345678901234567890,\"e\":\"\\u202e\",\"o\":{},\"l\":[1,[]],\"t\":\" a , b: {c} \"}",
    ));
    await expect(page.locator("#rows pre")).toHaveText(
        "{\n  \"n\": 12345678901234567890,\n  \"e\": \"\\u202e\",\n  \"o\": {},\n  \"l\": [\n    1,\n    []\n  ],\n  \"t\": \" a , b: {c} \"\n}",
    );
});

test("bytes that are no UTF-8 are said to be none", async ({ page }) => {
    await open(page, [sealed(new Uint8Array([0x61, 0xff, 0xfe, 0x62])), sealed("")].join("\n"));
    await expect(page.locator("#rows pre")).toHaveText(["a��b",
        "00000000  61 ff fe 62                                      a..b"]);
    await expect(page.locator("#rows .hint")).toHaveText([
        "Not UTF-8: above, bytes that are not text are shown as �. These are the bytes:",
        "Empty: the opened data has no bytes.",
    ]);
});

test("64 KiB without a break stay within the page", { tag: "@narrow" }, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open(page, sealed("A".repeat(65536)));
    const more = page.getByRole("button", { name: "Show more" });
    await expect(more).toBeVisible();
    while (await more.count()) await more.click();
    await expect(page.locator("#rows pre")).toHaveText("A".repeat(65536));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        320,
    );
});
