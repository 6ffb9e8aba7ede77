// Opened data as people read it: matches on one line, JSON that folds, decoders, copies.
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { addKey, open, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const show = async (page: Page, data: unknown) => {
    await open(page, sealed(typeof data === "string" ? data : JSON.stringify(data)));
    await expect(page.locator("#rows tr")).toHaveCount(1);
};
const match = (content: unknown) => ({ "http.request.uri": { before: "a=", content, after: "&b=1" } });
const decode = (page: Page, name: string) => page.locator("#rows").getByRole("button", { name: `Decode ${name}`, exact: true }).last().click();
const decoded = (page: Page) => page.locator("#rows .decoded > code");

test("the match is marked between what is before and after it", async ({ page }) => {
    await show(page, match("<script>"));
    await expect(page.locator("#rows .match")).toHaveText("http.request.uri a=<script>&b=1");
    await expect(page.locator("#rows .match .hit")).toHaveText("<script>");
});

test("JSON has colours and folds, and its text stays", async ({ page }) => {
    await show(page, '{"a":{"b":[1,true]},"c":"x: {1}"}');
    const pre = page.locator("#rows pre");
    const whole = '{\n  "a": {\n    "b": [\n      1,\n      true\n    ]\n  },\n  "c": "x: {1}"\n}';
    expect(await pre.textContent()).toBe(whole);
    await expect(pre.locator(".key")).toHaveText(['"a"', '"b"', '"c"']);
    await expect(pre.locator(".string")).toHaveText('"x: {1}"');
    await expect(pre.locator(".literal")).toHaveText(["1", "true"]);
    const folds = pre.getByRole("button", { name: "Fold" });
    await expect(folds).toHaveCount(3);
    await folds.nth(1).click();
    await expect(folds.nth(1)).toHaveAttribute("aria-expanded", "false");
    await expect(pre.getByText('"b"')).toBeHidden();
    await expect(pre.getByText('"c"')).toBeVisible();
    expect(await pre.textContent()).toBe(whole);
});

test("percent, escapes, base64 and gzip are decoded next to the text, one after the other", async ({ page }) => {
    await show(page, match("%3Cscript%3E%E2%82%AC"));
    await decode(page, "percent");
    await expect(decoded(page)).toHaveText("<script>€");
    await expect(page.locator("#rows .match .hit")).toHaveText("%3Cscript%3E%E2%82%AC");
    await show(page, match("\\u003cb\\x3e\\u{1F600}"));
    await decode(page, "escapes");
    await expect(decoded(page)).toHaveText("<b>😀");
    await show(page, match(`x=${Buffer.from("curl http://evil/%41%42%43").toString("base64")}`));
    await decode(page, "base64");
    await decode(page, "percent");
    await expect(decoded(page)).toHaveText(["curl http://evil/%41%42%43", "curl http://evil/ABC"]);
    const packed = gzipSync("unpacked \u202e text").toString("base64");
    await show(page, match(packed));
    await decode(page, "base64 and gzip");
    await expect(decoded(page)).toHaveText("unpacked U+202E text");
    await show(page, match(packed.slice(0, 24)));
    await decode(page, "base64 and gzip");
    await expect(page.locator("#rows .decoded")).toContainText("damaged");
    await expect(page.locator("#rows").locator("b, script")).toHaveCount(0);
});

test("gzip that would fill the memory is cut", async ({ page }) => {
    await show(page, match(gzipSync("A".repeat(30_000_000)).toString("base64")));
    await decode(page, "base64 and gzip");
    await expect(page.locator("#rows .decoded")).toContainText("(cut)");
    expect((await decoded(page).textContent())!.length).toBeLessThan(1_000_100);
});

test("words are not taken for base64, and plain text has no decoders", async ({ page }) => {
    for (const text of ["the quick brown fox", "/static/application/javascript", "100 % sure"]) {
        await show(page, match(text));
        await expect(page.locator("#rows .match")).toContainText(text);
        await expect(page.locator("#rows").getByRole("button", { name: /Decode/ })).toHaveCount(0);
    }
});

test("bytes as lists of numbers are shown as text, or as hexadecimal", async ({ page }) => {
    await show(page, match([47, 101, 116, 99]));
    await expect(page.locator("#rows .match")).toHaveText("http.request.uri a=/etc&b=1");
    await show(page, { body: [104, 105], raw: [0xff, 0], other: [1, 300] });
    await expect(page.locator("#rows .decoded")).toHaveText(["body, 2 bytes hi", "raw, 2 bytes ff 00"]);
});

test("copies: as it is, as JSON, defanged", { tag: "@clipboard" }, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const text = '{"a":"see https://evil.example/x?u=me@evil.example and 10.0.0.1"}';
    await show(page, text);
    for (const [name, expected] of [
        ["Copy", text],
        ["Copy JSON", '{\n  "a": "see https://evil.example/x?u=me@evil.example and 10.0.0.1"\n}'],
        ["Copy defanged", '{"a":"see hxxps[://]evil[.]example/x?u=me[@]evil[.]example and 10[.]0[.]0[.]1"}'],
    ] as const) {
        await page.getByRole("button", { name: `${name}, record 1`, exact: true }).click();
        await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(expected);
    }
});

test("hidden characters have their names, in matches too, and data cannot look like them", async ({ page }) => {
    await show(page, match("a\u202eb U+202E"));
    await expect(page.locator("#rows .match .chip")).toHaveText(["U+202E"]);
    await expect(page.locator("#rows .match .chip")).toHaveAttribute("title", "right-to-left override");
});
