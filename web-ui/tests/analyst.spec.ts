// What an analyst does: who, which rule, which path, what changed; by mouse and by keyboard.
import { type Locator, type Page, expect, test } from "@playwright/test";
import { rangeOf } from "../src/store/address.ts";
import { chainable } from "../src/explore/chain.ts";
import { termsOf } from "../src/terms.ts";
import { axeFinds, openLog, sealed } from "./page.ts";

const blobs = ["union select", "<script>", "../../etc/passwd"].map((content) =>
    sealed(JSON.stringify({ "http.request.uri": { before: "q=", content, after: "" } }))
);
/** Two days. On the second one path is attacked by one address. */
const events = Array.from({ length: 480 }, (_, i) => {
    const isAttack = i >= 240 && i % 2 === 1;
    return JSON.stringify({
        Datetime: new Date(Date.UTC(2026, 0, 1) + i * 360_000).toISOString(),
        RuleID: `0000000000000000000000000010017${i % 3}`,
        ClientIP: isAttack ? "198.51.100.7" : `192.0.2.${i % 200}`,
        ClientRequestPath: isAttack ? "/login" : `/p${i % 5}`,
        EdgeResponseStatus: isAttack ? 403 : 200,
        Metadata: { encrypted_matched_data: blobs[i % 3] },
    });
});

async function load(page: Page, records = events): Promise<void> {
    await openLog(page, records.join("\n"));
    await expect(page.locator("#counts")).toContainText(`Opened ${records.length} of`);
    await expect(page.locator("#lines tr").first()).toBeVisible();
    await expect(page.locator("#tops table").first()).toBeVisible();
}
const matched = (page: Page) => page.locator("#matched");
const search = (page: Page, text: string) => page.locator("#search").fill(text);
const top = (page: Page, name: string) =>
    page.locator("#tops table").filter({ has: page.locator("caption", { hasText: name }) });

/** Filters by a cell. A table that is drawn again has other cells under the mouse. */
const pick = (page: Page, cell: Locator, name: string) =>
    expect(async () => {
        await page.mouse.move(0, 0);
        await cell.hover();
        await expect(page.locator(".picks.ready")).toBeVisible({ timeout: 2000 });
        await page.getByRole("button", { name }).click({ timeout: 2000 });
    }).toPass();

test("the browser's Back undoes a filter, a search and an opened record, one after the other", {
    tag: "@main",
}, async ({ page }) => {
    await load(page);
    await top(page, "ClientRequestPath").getByRole("button", { name: "/login", exact: true })
        .click();
    await expect(matched(page)).toHaveText("120 of 480 match.");
    await search(page, "union");
    await expect(matched(page)).toHaveText("40 of 480 match.");
    await page.locator("#lines tr").first().click();
    await expect(page.locator("#side")).toBeVisible();
    expect(new URL(page.url()).search + new URL(page.url()).hash).not.toMatch(/login|union/);
    // WebDriver's own command waits for a page to load.
    const back = () => page.evaluate(() => history.back());
    await back();
    await expect(page.locator("#side")).toBeHidden();
    await back();
    await expect(matched(page)).toHaveText("120 of 480 match.");
    await expect(page.locator("#search")).toHaveValue("");
    await page.evaluate(() => history.forward());
    await expect(matched(page)).toHaveText("40 of 480 match.");
    await back();
    await back();
    await expect(matched(page)).toHaveText("");
    await expect(page.locator("#filters")).toBeHidden();
});

test("leaving asks while there is opened data, and clearing does not", { tag: "@dialog" },
    async ({ page }) => {
        await load(page);
        const asked: string[] = [];
        page.on("dialog", (dialog) => {
            asked.push(dialog.type());
            void dialog.dismiss();
        });
        await page.locator("#search").click();
        await page.evaluate(() => void setTimeout(() => location.reload()));
        await expect.poll(() => asked).toEqual(["beforeunload"]);
        await expect(page.locator("#lines tr").first()).toBeVisible();
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await expect(page.locator("#explore")).toBeHidden();
        expect(await page.evaluate(() => history.state as unknown)).toBeNull();
        await page.reload();
        expect(asked).toEqual(["beforeunload"]);
    });

test("the search is a language, and says why it finds nothing", { tag: "@main" },
    async ({ page }) => {
        await load(page);
        for (
            const [text, count] of [["198.51.100.0/24", 120], ["ClientIP:198.51.100.0/24", 120], [
                "EdgeResponseStatus>400",
                120,
            ], ["EdgeResponseStatus>=200 -union", 320], [
                "ClientRequestPath=/login \"union select\"",
                40,
            ], ["path:login", 0], ["Datetime<2026-01-02", 240], ["outcome:opened union",
                160]] as const
        ) {
            await search(page, text);
            await expect(matched(page), text).toHaveText(`${count} of 480 match.`);
        }
        const why = page.locator("#search-why");
        for (
            const [text, reason] of [["ClientIP:300.1.2.3/24", "is no range of addresses"], [
                "EdgeResponseStatus>many",
                "neither a number nor a time",
            ], ["RuleId:nothing", "No RuleId fits “nothing”."], ["Rule:1",
                "There is no column Rule."], ["nowhere", "Nothing has “nowhere”."], ["union passwd",
                "no record has all of them"]] as const
        ) {
            await search(page, text);
            await expect(why, text).toContainText(reason);
        }
        await search(page, "union");
        await expect(why).toBeEmpty();
    });

test("terms of a search", () => {
    const plain = (text: string) =>
        termsOf(text).map(({ not, field, operator, text }) =>
            `${not ? "-" : ""}${field ? field + operator! : ""}${text}`
        );
    expect(plain("a -b \"c d\" e:\"f g\" h>=5 -i:j")).toEqual(["a", "-b", "c d", "e:f g", "h>=5",
        "-i:j"]);
    // SQL and addresses are text.
    expect(plain("' OR 1=1-- -")).toEqual(["'", "OR", "1=1--", "-"]);
    expect(plain("\"unclosed a:")).toEqual(["\"unclosed", "a:"]);
    const isIn = (range: string, address: string) => rangeOf(range)?.(address);
    expect(isIn("192.0.2.128/25", "192.0.2.200")).toBe(true);
    expect(isIn("192.0.2.128/25", "192.0.2.100")).toBe(false);
    expect(isIn("2001:db8::/33", "2001:db8:7fff::1")).toBe(true);
    expect(isIn("2001:db8::/33", "2001:db8:8000::1")).toBe(false);
    expect(isIn("::ffff:192.0.2.0/120", "::ffff:192.0.2.9")).toBe(true);
    for (const wrong of ["300.0.0.0/8", "192.0.2.0/33", "1::2::3/8", "1:2/8", "/8", "1.2.3.4"])
        expect(rangeOf(wrong), wrong).toBeUndefined();
});

test("all values of a column: search, order, pairs, and a filter", { tag: "@main" },
    async ({ page }) => {
        await load(page);
        await top(page, "ClientIP").getByRole("button", { name: /show all$/ }).click();
        const dialog = page.getByRole("dialog");
        const rows = dialog.locator("tbody tr");
        await expect(rows.first()).toHaveText("198.51.100.712025%");
        await expect(dialog).toContainText("201 of 201 values, in 480 selected rows.");
        await dialog.getByRole("searchbox").fill("192.0.2.19");
        await expect(dialog).toContainText("11 of 201 values");
        await dialog.getByLabel("Sort by").selectOption("value");
        await expect(rows.first()).toContainText("192.0.2.19");
        await dialog.getByLabel("Sort by").selectOption("count");
        await dialog.getByRole("searchbox").fill("198.51");
        await dialog.getByLabel("By", { exact: true }).selectOption("e:ClientRequestPath");
        await expect(rows.first()).toContainText("198.51.100.7/login12025%");
        await rows.first().getByRole("button", { name: "/login" }).click();
        await expect(dialog).toBeHidden();
        await expect(matched(page)).toHaveText("120 of 480 match.");
    });

test("two days are compared: what differs most comes first", async ({ page }) => {
    await load(page);
    await page.locator("#preset").selectOption("before-day");
    await expect(matched(page)).toContainText("240 of 480 match.");
    await page.getByRole("button", { name: "Pin as A" }).click();
    await expect(page.locator("#pinned")).toContainText("A has 240 rows.");
    await page.locator("#preset").selectOption("day");
    await expect(page.locator("#tops-of")).toContainText("A: 240 pinned rows, B: 240 selected");
    await expect(top(page, "ClientRequestPath").locator("tbody tr").first()).toHaveText(
        "/login0%50%+50≠",
    );
    await expect(top(page, "ClientIP").locator("tbody tr").first()).toContainText("198.51.100.7");
    await page.getByRole("button", { name: "Unpin A" }).click();
    await expect(page.locator("#pinned")).toBeEmpty();
});

test("the timeline has round bars, words for each, and keys", async ({ page }) => {
    await load(page);
    await expect(page.locator("#timeline-span")).toContainText("a bar is 30 minutes");
    await expect(page.locator("#timeline title").first()).toHaveText(
        "2026-01-01 00:00:00 to 2026-01-01 00:30:00 UTC: 5 opened.",
    );
    await page.locator("#timeline-picture").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowRight");
    await expect(page.locator("#timeline-at")).toContainText(
        "to 2026-01-01 01:00:00 UTC: 10 opened",
    );
    await page.keyboard.press("Enter");
    await expect(matched(page)).toHaveText("10 of 480 match.");
    await page.getByLabel("Log scale").check();
    await expect(page.locator("#timeline .opened").first()).toBeVisible();
});

test("keys: / searches, j and k move, Escape closes, and lists are one stop each", {
    tag: "@active",
}, async ({ page }) => {
    await load(page);
    await page.keyboard.press("/");
    await expect(page.locator("#search")).toBeFocused();
    await page.locator("#results-title").focus();
    await page.keyboard.press("j");
    await expect(page.locator("#side-title")).toHaveText("Record 1");
    await page.keyboard.press("j");
    await expect(page.locator("#side-title")).toHaveText("Record 2");
    await page.keyboard.press("k");
    await expect(page.locator("#side-title")).toHaveText("Record 1");
    await page.keyboard.press("Escape");
    await expect(page.locator("#side")).toBeHidden();
    await page.locator("#columns summary").click();
    await page.keyboard.press("Escape");
    await expect(page.locator("#columns")).not.toHaveAttribute("open");
    const skips = {
        "To the search": page.locator("#search"),
        "To the records": page.locator("#lines button").first(),
    };
    for (const [name, place] of Object.entries(skips)) {
        const skip = page.getByRole("button", { name });
        await skip.focus();
        await expect(skip).toHaveCSS("clip-path", "none");
        await page.keyboard.press("Enter");
        await expect(place).toBeFocused();
    }
    await page.locator("#results-title").focus();
    let stops = 0;
    while (!(await page.evaluate(() => document.activeElement?.closest("#lines") !== null))) {
        await page.keyboard.press("Tab");
        expect(++stops).toBeLessThan(30);
    }
    const first = top(page, "RuleID").getByRole("button").first();
    await first.focus();
    await page.keyboard.press("ArrowDown");
    await expect(first).not.toBeFocused();
    await expect(top(page, "RuleID").locator("[tabindex='0']")).toHaveCount(1);
});

test("columns are made wider and moved; a cell filters; identifiers are cut in the middle", {
    tag: "@active",
}, async ({ page }) => {
    await load(page);
    const head = page.locator("#head th");
    await expect(head).toContainText(["No.", "Datetime", "RuleID", "Opened data"]);
    await expect(page.locator("#lines tr").first().locator("td").nth(2)).toHaveText("000…0100170");
    const width = async () => (await head.nth(2).boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(10);
    const before = await width();
    await head.nth(2).getByRole("button").focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(width).toBeGreaterThan(before + 10);
    await page.keyboard.press("Alt+ArrowRight");
    await expect(head).toContainText(["No.", "Datetime", "Opened data", "RuleID"]);
    const narrow = await width();
    const grip = (await head.nth(2).locator(".grip").boundingBox())!;
    await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await page.mouse.down();
    await page.mouse.move(grip.x + grip.width / 2 + 80, grip.y + grip.height / 2);
    await page.mouse.up();
    await expect.poll(width).toBeCloseTo(narrow + 80, 0);
    await expect(head.nth(2)).not.toHaveAttribute("aria-sort");
    const cell = page.locator("#lines tr").first().locator("td").nth(3);
    await pick(page, cell, "Only rows with this value");
    await expect(matched(page)).toHaveText("160 of 480 match.");
    await page.getByRole("button", { name: /Remove the filter/ }).click();
    await pick(page, cell, "Leave out rows with this value");
    await expect(matched(page)).toHaveText("320 of 480 match.");
    await expect(page.locator("#side")).toBeHidden();
});

test("what comes below the mouse when a record opens takes no second click", {
    tag: "@active",
}, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await load(page);
    await page.locator("#lines .open-row").first().hover();
    for (const _ of ["first", "second"]) {
        await page.mouse.down();
        await page.mouse.up();
        await expect(page.locator("#side-title")).toHaveText("Record 1");
        // Longer than the buttons of a cell wait.
        await page.waitForTimeout(500);
    }
    await expect(page.locator("#filters")).toBeHidden();
});

test("a member that a record lacks is no value: neither its cell nor a pair filters by it", async ({ page }) => {
    const paths = ["/login", "/login", "", undefined, undefined, undefined];
    await load(page, paths.map((ClientRequestPath, i) =>
        JSON.stringify({
            RuleID: `rule ${i % 2}`,
            ClientRequestPath,
            encrypted_matched_data: blobs[0],
        })
    ));
    await expect(page.locator("#head th")).toContainText(["No.", "RuleID", "ClientRequestPath"]);
    const cell = (row: number) => page.locator("#lines tr").nth(row).locator("td").nth(2);
    await cell(0).hover();
    await expect(page.locator(".picks")).toHaveCount(1);
    await cell(3).hover();
    await expect(page.locator(".picks")).toHaveCount(0);
    await pick(page, cell(2), "Only rows with this value");
    await expect(matched(page)).toHaveText("1 of 6 match.");
    await page.getByRole("button", { name: /Remove the filter/ }).click();
    await top(page, "RuleID").getByRole("button", { name: /show all$/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("By", { exact: true }).selectOption("e:ClientRequestPath");
    await expect(dialog).toContainText("3 of 3 pairs, in 6 selected rows.");
});

test("while a table is shown, keys and input are one line", async ({ page }) => {
    await load(page);
    await expect(page.locator("#summary-text")).toHaveText("1 key, events.ndjson");
    await expect(page.locator("#key-card")).toBeHidden();
    await page.getByRole("button", { name: "Keys and input" }).click();
    await expect(page.locator("#key-card")).toBeVisible();
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.locator("#summary")).toBeHidden();
    await expect(page.locator("#key-card")).toBeVisible();
});

test("decoders one after the other", async ({ page }) => {
    const twice = encodeURIComponent(Buffer.from("&lt;script&#x3e;").toString("base64"));
    await load(page, [1, 2].map((n) =>
        JSON.stringify({
            n,
            encrypted_matched_data: sealed(JSON.stringify({ body: { content: twice } })),
        })
    ));
    await page.locator("#lines tr").first().click();
    await page.getByText("Decode step by step").click();
    const add = page.getByLabel("Add a step", { exact: true });
    for (const step of ["URL", "Base64", "HTML entities"]) await add.selectOption(step);
    await expect(page.locator(".steps li code")).toHaveText([decodeURIComponent(twice),
        "&lt;script&#x3e;", "<script>"]);
    await page.getByRole("button", { name: "Remove step 2" }).click();
    await expect(page.locator(".steps li")).toHaveCount(2);
    await page.getByText("JSON", { exact: true }).click();
    await expect(page.locator("#side pre")).toBeVisible();
});

test("each decoder", async () => {
    const run = async (name: string, input: string | Buffer) =>
        Buffer.from(
            await chainable[name]!(Uint8Array.from(Buffer.from(input as string))),
        ).toString();
    expect(await run("URL", "%3Ca%3E+%zz%")).toBe("<a>+%zz%");
    expect(await run("URL, + as space", "a+b%2B")).toBe("a b+");
    expect(await run("Base64", "PHNjcmlwdD4")).toBe("<script>");
    expect(await run("Hexadecimal", "0x3c 73\\x3e")).toBe("<s>");
    expect(await run("HTML entities", "&lt;&#60;&#x3C;&colon;&unknown;")).toBe("<<<:&unknown;");
    expect(await run("Unicode escapes", "\\u003c%u003c\\x3c\\74\\u{1f600}")).toBe("<<<<😀");
    expect(await run("UTF-7", "+ADw-script+AD4-a+-b")).toBe("<script>a+b");
    await expect(run("Base64", "!")).rejects.toThrow("not base64");
});

test("axe finds nothing while values are compared and listed", { tag: "@axe" },
    async ({ page }) => {
        await load(page);
        await page.getByRole("button", { name: "Pin as A" }).click();
        await search(page, "EdgeResponseStatus>400");
        await expect(matched(page)).toContainText("120 of 480");
        expect(await axeFinds(page)).toEqual([]);
        await top(page, "ClientIP").getByRole("button", { name: /show all$/ }).click();
        await expect(page.getByRole("dialog").locator("tbody tr").first()).toBeVisible();
        expect(await axeFinds(page)).toEqual([]);
    });
