// Opened data as people read it: matches on one line, JSON that folds, decoders, copies.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { spelled } from "../src/binary.ts";
import { quoted } from "../src/explore/quoted.ts";
import { addKey, clipboardText, open, payloads, random, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const show = async (page: Page, data: unknown) => {
    await open(page, sealed(typeof data === "string" ? data : JSON.stringify(data)));
    await expect(page.locator("#rows tr")).toHaveCount(1);
};
const match = (content: unknown) => ({
    "http.request.uri": { before: "a=", content, after: "&b=1" },
});
const decode = (page: Page, name: string) =>
    page.locator("#rows").getByRole("button", { name: `Decode ${name}`, exact: true }).last()
        .click();
const decoded = (page: Page) => page.locator("#rows .decoded > code");

test("the match is marked between what is before and after it", async ({ page }) => {
    await show(page, match("<script>"));
    await expect(page.locator("#rows .match")).toHaveText("http.request.uri a=<script>&b=1");
    await expect(page.locator("#rows .match .hit")).toHaveText("<script>");
});

test("JSON has colours and folds, and its text stays", async ({ page }) => {
    await show(page, "{\"a\":{\"b\":[1,true]},\"c\":\"x: {1}\"}");
    const pre = page.locator("#rows pre");
    const whole =
        "{\n  \"a\": {\n    \"b\": [\n      1,\n      true\n    ]\n  },\n  \"c\": \"x: {1}\"\n}";
    expect(await pre.textContent()).toBe(whole);
    await expect(pre.locator(".key")).toHaveText(["\"a\"", "\"b\"", "\"c\""]);
    await expect(pre.locator(".string")).toHaveText("\"x: {1}\"");
    await expect(pre.locator(".literal")).toHaveText(["1", "true"]);
    const folds = pre.getByRole("button", { name: "Fold" });
    await expect(folds).toHaveCount(3);
    await folds.nth(1).click();
    await expect(folds.nth(1)).toHaveAttribute("aria-expanded", "false");
    await expect(pre.getByText("\"b\"")).toBeHidden();
    await expect(pre.getByText("\"c\"")).toBeVisible();
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

test("what is before and after a match is decoded too, and other strings of the data, each by its name", async ({ page }) => {
    const press = (name: string) =>
        page.locator("#rows").getByRole("button", { name, exact: true }).click();
    await show(page, {
        "http.request.uri": { before: "q=%27", content: "plain", after: "\\u003cb" },
    });
    await expect(page.locator("#rows").getByRole("button", { name: /^Decode/ })).toHaveText([
        "Decode percent",
        "Decode escapes",
    ]);
    await press("Decode percent, before");
    await press("Decode escapes, after");
    await expect(decoded(page)).toHaveText(["q='", "<b"]);
    await show(page, {
        body: "%3Cscript%3E",
        plain: "x",
        list: [{ deep: "%2541" }],
        "http.request.uri": { content: "%42" },
    });
    await expect(page.locator("#rows .decoders > .part")).toHaveText(["body", "list.0.deep"]);
    await press("Decode percent, body");
    await press("Decode percent, list.0.deep");
    await page.locator("#rows .decoded").getByRole("button").click();
    await press("Decode percent");
    await expect(decoded(page)).toHaveText(["B", "<script>", "%41", "A"]);
    await expect(page.locator("#rows").locator("b, script")).toHaveCount(0);
    await show(page, { many: Array(50).fill("%41") });
    await expect(page.locator("#rows").getByRole("button", { name: /^Decode/ })).toHaveCount(20);
    await expect(page.locator("#rows .hint")).toContainText("for the first 20 strings only");
});

test("gzip that would fill the memory is cut", async ({ page }) => {
    await show(page, match(gzipSync("A".repeat(30_000_000)).toString("base64")));
    await decode(page, "base64 and gzip");
    const more = page.locator("#rows .decoded").getByRole("button", { name: "Show more" });
    await expect(more).toBeVisible();
    expect((await decoded(page).textContent())!.length).toBe(30_000);
    while (await more.count()) await more.click();
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
    await expect(page.locator("#rows .decoded")).toHaveText(["body, 2 bytes hi",
        "raw, 2 bytes ff 00"]);
});

test("copies: as it is, as JSON, defanged", { tag: "@clipboard" }, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const text = "{\"a\":\"see https://evil.example/x?u=me@evil.example and 10.0.0.1\"}";
    await show(page, text);
    for (
        const [name, expected] of [
            ["Copy", text],
            ["Copy JSON",
                "{\n  \"a\": \"see https://evil.example/x?u=me@evil.example and 10.0.0.1\"\n}"],
            ["Copy defanged",
                "{\"a\":\"see hxxps[://]evil[.]example/x?u=me[@]evil[.]example and 10[.]0[.]0[.]1\"}"],
        ] as const
    ) {
        await page.getByRole("button", { name: `${name}, record 1`, exact: true }).click();
        await expect.poll(() => clipboardText(page)).toBe(expected);
    }
});

test("copies hold nothing that a terminal or a chat acts on", { tag: "@clipboard" },
    async ({ page, context }) => {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const text = "a\u001b[201~\r\nid\t\u202e http://evil.example\u0007\u0085!'\\⟦";
        await show(page, text);
        for (
            const [name, expected] of [
                ["Copy", text],
                ["Copy defanged",
                    "a⟦001B⟧[201~⟦000D⟧⟦000A⟧id⟦0009⟧⟦202E⟧ hxxp[://]evil[.]example⟦0007⟧⟦0085⟧!'\\⟦27E6⟧"],
                ["Copy for terminals",
                    "$'a\\033[201~\\015\\012id\\011\\342\\200\\256 http://evil.example\\007\\302\\205\\041\\047\\134⟦'"],
            ] as const
        ) {
            await page.getByRole("button", { name: `${name}, record 1`, exact: true }).click();
            await expect.poll(() => clipboardText(page)).toBe(
                expected,
            );
        }
    });

test("a literal for terminals is the same text to a shell, and has no control characters", () => {
    const below = random(1);
    const letters = ["'", "\"", "\\", "!", "$", "`", "\n", "\t", "\u001b", "\u009b", "\u007f",
        "\u202e", "\u0301", "é", "😀", "7", "x", " ", "{", "*", "~", "#"];
    const texts = Array.from({ length: 200 },
        () => Array.from({ length: below(30) }, () => letters[below(letters.length)]!).join(""));
    for (const text of texts) expect(quoted(text)).not.toMatch(/[\p{Cc}\u202e]/u);
    const script = texts.map((text) => `printf '%s\\0' ${quoted(text)}`).join("\n");
    expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1))
        .toEqual(texts);
});

test("hidden characters have their names, in matches too, and data cannot look like them", async ({ page }) => {
    await show(page, match("a\u202eb U+202E"));
    await expect(page.locator("#rows .match .chip")).toHaveText(["U+202E"]);
    await expect(page.locator("#rows .match .chip")).toHaveAttribute("title",
        "right-to-left override");
});

test.describe("opened data that is not UTF-8", () => {
    /** Text, two bytes that are not UTF-8, a null byte, é, and a character that is cut off. */
    const bytes = Buffer.from("47455420fffe00c3a9e282", "hex");
    const saved = async (page: Page, format: string) => {
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: `Save ${format}` }).click();
        return readFileSync(await (await download).path(), "utf8");
    };

    test("is shown as text and as bytes, with a note", async ({ page }) => {
        await open(page, sealed(bytes));
        await expect(page.locator("#rows pre")).toHaveText(["GET ��U+0000é�",
            "00000000  47 45 54 20 ff fe 00 c3 a9 e2 82                 GET ......."]);
        await expect(page.locator("#rows .hint")).toHaveText(
            "Not UTF-8: above, bytes that are not text are shown as �. These are the bytes:",
        );
        // In the table and beside it too, and it is found by what of it is text.
        await open(page,
            [sealed(bytes), sealed("text")].map((blob, i) =>
                JSON.stringify({ RayID: `r${i}`, encrypted_matched_data: blob })
            ).join("\n"));
        await page.getByRole("searchbox").fill("get");
        await expect(page.locator("#lines tr")).toHaveCount(1);
        await expect(page.locator("#lines tr")).toContainText("GET ��");
        await page.locator("#lines tr").click();
        await expect(page.locator("#side pre").last()).toContainText("47 45 54 20 ff fe 00");
        // Of much, the beginning.
        await open(page, sealed(Buffer.concat([Buffer.alloc(5000, "a"), bytes])));
        await expect(page.locator("#rows .hint").last()).toHaveText(
            "3,987 more bytes are not shown. Copies have all.",
        );
        expect((await page.locator("#rows pre.bytes").textContent())!.split("\n")).toHaveLength(64);
    });

    test("is copied as bytes", { tag: "@clipboard" }, async ({ page, context }) => {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await open(page, sealed(bytes));
        await expect(page.locator("#rows .copies button")).toHaveText(["Copy hexadecimal",
            "Copy base64", "Copy for ticket"]);
        for (
            const [name, expected] of [["hexadecimal", bytes.toString("hex")], ["base64",
                bytes.toString("base64")]]
        ) {
            await page.getByRole("button", { name: `Copy ${name}, record 1` }).click();
            await expect.poll(() => clipboardText(page)).toBe(
                expected,
            );
        }
    });

    test("is saved with every byte as CSV, and marked as lossy in NDJSON", async ({ page }) => {
        // Without half a pair of UTF-16, which is below.
        const random = (length: number) =>
            Buffer.concat([randomBytes(length).map((byte) => (byte === 0xed ? 0 : byte)),
                Buffer.of(0xff)]);
        const contents = [bytes, ...Array.from({ length: 30 }, (_, i) => random(i)),
            random(100_000)];
        // The command line writes it as a character, too, since JSON has it.
        const half = Buffer.from("a\xed\xa0\x80", "latin1");
        await open(page, [...contents, half, "⟦xFF⟧ is text"].map(sealed).join("\n"));
        await expect(page.locator("#counts")).toContainText("Opened 34 of 34 records.");
        const lines = (await saved(page, "NDJSON")).trim().split("\n").map((line) =>
            JSON.parse(line) as { decrypted_matched_data: string; decrypt_lossy?: true }
        );
        expect(
            lines.map((line) => [line.decrypted_matched_data, line.decrypt_lossy]),
        ).toEqual([...contents.map((one) => [one.toString(), true]), ["a\ud800", undefined], [
            "⟦xFF⟧ is text",
            undefined,
        ]]);
        const csv = await saved(page, "CSV");
        expect(csv).toContain("\"GET ⟦xFF⟧⟦xFE⟧⟦0000⟧é⟦xE2⟧⟦x82⟧\"");
        expect(csv).toContain("\"⟦27E6⟧xFF⟧ is text\"");
        await payloads(page);
    });

    test("is spelled so that every byte can be told", () => {
        const edges = ["c080", "c1bf", "e08080", "e0a080", "ed9fbf", "eda080", "efbfbd", "f0808080",
            "f0908080", "f48fbfbf", "f4908080", "f8", "80", "efbbbf", "e282", "f09f98", "7fff80c2"];
        for (
            const one of [...edges.map((hex) => Buffer.from(hex, "hex")),
                ...Array.from({ length: 300 }, () => randomBytes(40)), Buffer.alloc(100_000, "é")]
        ) {
            const parts = spelled(one).split(/⟦([^⟧]*)⟧/);
            const back = parts.map((part, i) =>
                i % 2 === 0
                    ? Buffer.from(part)
                    : part.startsWith("x")
                    ? Buffer.of(parseInt(part.slice(1), 16))
                    : Buffer.from(String.fromCodePoint(parseInt(part, 16)))
            );
            expect(Buffer.concat(back).equals(one)).toBe(true);
        }
    });
});
