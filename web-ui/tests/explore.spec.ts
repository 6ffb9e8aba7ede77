// Explore: what was opened as a table with figures and filters.
import { readFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { inPlace } from "../src/explore/tops.ts";
import type { Overview } from "../src/store/types.ts";
import { addKey, axeFinds, open, payloads, sealed, useTheme } from "./page.ts";

/** Six kinds of events, of which the last does not open. */
const kinds = [
    { Action: "block", ClientCountry: "DE", attack: "' OR 1=1--" },
    { Action: "block", ClientCountry: "FR", attack: "<script>alert(1)</script>" },
    { Action: "log", ClientCountry: "DE", attack: "../../etc/passwd" },
    { Action: "log", ClientCountry: "US", attack: "needle\u202e" },
    { Action: "block", ClientCountry: "DE", attack: "plain" },
    { Action: "challenge", ClientCountry: "BR", attack: undefined },
];
const blobs = kinds.map(({ attack }) =>
    attack === undefined
        ? "truncated"
        : sealed(
            JSON.stringify({ "http.request.uri": { before: "q=", content: attack, after: "&x" } }),
        )
);

/** One event per minute. */
const events = (n: number) =>
    Array.from({ length: n }, (_, i) => {
        const { Action, ClientCountry } = kinds[i % 6]!;
        return JSON.stringify({
            Datetime: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
            Action,
            ClientCountry,
            RayID: `ray${i}`,
            Count: i * 7 % 100,
            ClientRequest: { Host: "a.example" },
            Metadata: { encrypted_matched_data: blobs[i % 6] },
            Big: "B",
            ["x".repeat(3)]: [1, 2],
        });
    });
const asFile = (lines: string[]) => ({
    name: "events.ndjson",
    mimeType: "",
    buffer: Buffer.from(lines.join("\n")),
});

const lines = (page: Page) => page.locator("#lines tr");
const top = (page: Page, name: string) =>
    page.locator("#tops table").filter({ has: page.locator("caption", { hasText: name }) });

async function load(page: Page, n = 600): Promise<void> {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles(asFile(events(n)));
    await expect(page.locator("#counts")).toContainText(`of ${n.toLocaleString("en")} records`);
    await expect(lines(page).first()).toBeVisible();
    // The steps before have folded: nothing moves after that.
    await expect(page.locator("#summary")).toBeVisible();
}

test("events are next to payloads, the match marked, and only lines in view exist", async ({ page }) => {
    await load(page);
    await expect(page.locator("#head th")).toContainText(["No.", "Datetime", "Action",
        "Opened data", "ClientCountry", "RayID"]);
    await expect(lines(page).first()).toContainText("2026-01-01 00:00:00");
    await expect(lines(page).first().locator(".gist")).toHaveText("q=' OR 1=1--&x");
    await expect(lines(page).first().locator(".hit")).toHaveText("' OR 1=1--");
    await expect(page.locator("#table")).toHaveAttribute("aria-rowcount", "601");
    expect(await lines(page).count()).toBeLessThan(60);
    await page.locator("#grid").evaluate((grid) => (grid.scrollTop = grid.scrollHeight));
    await expect(lines(page).last()).toContainText("ray599");
    await expect(lines(page).last().locator(".error")).toContainText("too large");
});

test("columns sort up, down and as in the file; numbers as numbers", async ({ page }) => {
    await load(page, 60);
    await page.locator("#columns summary").click();
    await page.getByRole("checkbox", { name: "Count", exact: true }).check();
    await page.locator("#columns summary").click();
    const head = page.getByRole("columnheader", { name: /^Count/ });
    const first = lines(page).first().locator("td").last();
    await head.getByRole("button").click();
    await expect(head).toHaveAttribute("aria-sort", "ascending");
    await expect(first).toHaveText("0");
    await expect(lines(page).nth(2).locator("td").last()).toHaveText("3");
    await head.getByRole("button").click();
    await expect(first).toHaveText("99");
    await head.getByRole("button").click();
    await expect(head).not.toHaveAttribute("aria-sort");
    await expect(lines(page).first()).toContainText("ray0");
});

test("a value filters, negated too; filters of one column are alternatives; chips turn and go", async ({ page }) => {
    await load(page);
    await top(page, "Action").getByRole("button", { name: "block", exact: true }).click();
    await expect(page.locator("#matched")).toHaveText("300 of 600 match.");
    await top(page, "ClientCountry").getByRole("button", { name: "Leave out ClientCountry DE" })
        .click();
    await expect(page.locator("#matched")).toHaveText("100 of 600 match.");
    await expect(lines(page).first()).toContainText("FR");
    const chip = page.locator(".filter").first();
    await expect(chip.getByRole("button")).toHaveText(["is", "×"]);
    // A click on the rest of it does nothing.
    await chip.click({ position: { x: 12, y: 12 } });
    await expect(chip).toContainText("Action is block");
    await chip.getByRole("button", { name: "Invert the filter Action is block" }).click();
    await expect(chip).toContainText("Action is not block");
    await expect(page.locator("#matched")).toHaveText("200 of 600 match.");
    await page.getByRole("button", { name: "Remove the filter ClientCountry is not DE" }).click();
    await expect(page.locator("#matched")).toHaveText("300 of 600 match.");
    await page.getByRole("button", { name: /Remove the filter/ }).click();
    await expect(page.locator("#filters")).toBeHidden();
    await top(page, "outcome").getByRole("button", { name: "too large to be logged" }).first()
        .click();
    await expect(page.locator("#matched")).toHaveText("100 of 600 match.");
});

test("values keep their places while their counts grow", () => {
    const overview = (...values: string[]) =>
        ({
            tops: [{ column: "e:Action", values: values.map((value) => [value, 1]), distinct: 4 }],
        }) as unknown as Overview;
    const values = ({ tops }: Overview) => tops[0]!.values.map(([value]) => value);
    expect(values(inPlace(overview("c", "a", "d", "b"), overview("a", "b", "c")))).toEqual(["a",
        "b", "c", "d"]);
    expect(values(inPlace(overview("b", "a"), { tops: [] as Overview["tops"] } as Overview)))
        .toEqual(["b", "a"]);
});

test("the row at the side leaves the records where they are, and is in view", async ({ page }) => {
    for (const width of [1000, 1920]) {
        await page.setViewportSize({ width, height: 700 });
        await load(page);
        const grid = page.locator("#grid");
        await grid.evaluate((element) => element.scrollIntoView({ block: "end" }));
        const before = await grid.boundingBox();
        // Playwright's own click would scroll.
        await lines(page).nth(8).evaluate((line: HTMLElement) => line.click());
        await expect(page.locator("#side-title")).toBeInViewport();
        expect((await grid.boundingBox())!.y).toBeCloseTo(before!.y, 0);
    }
});

test("text and regular expressions search payloads and records, and a broken expression is named", async ({ page }) => {
    await load(page);
    const box = page.getByRole("searchbox");
    await box.fill("NEEDLE");
    await expect(page.locator("#matched")).toHaveText("100 of 600 match.");
    await box.fill("ray59");
    await expect(page.locator("#matched")).toHaveText("11 of 600 match.");
    await page.getByLabel("Regular expression").check();
    await box.fill("etc/pass|^ray1$");
    await expect(page.locator("#matched")).toHaveText("101 of 600 match.");
    await box.fill("(");
    await expect(page.locator("#search-error")).toContainText("not a regular expression");
    await box.fill("(a");
    await expect(page.locator("#matched")).toHaveText("101 of 600 match.");
    await box.fill("");
    await expect(page.locator("#search-error")).toBeEmpty();
    await expect(page.locator("#matched")).toBeEmpty();
});

test("the timeline counts, and dragging over it or choosing a figure selects a span", {
    tag: "@drag",
}, async ({ page }) => {
    await load(page);
    await expect(page.locator("#timeline rect.opened")).toHaveCount(40);
    await page.locator("#timeline summary").click();
    const figures = page.locator("#timeline-figures tr");
    await expect(figures).toHaveCount(40);
    const sums = await figures.evaluateAll((rows) =>
        rows.map((row) =>
            [...row.querySelectorAll("td")].slice(1).map((cell) => Number(cell.textContent))
        )
    );
    expect(sums.reduce((sum, [opened]) => sum + opened!, 0)).toBe(500);
    expect(sums.reduce((sum, [, failed]) => sum + failed!, 0)).toBe(100);
    const box = (await page.locator("#timeline svg").boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 50, box.y + 20);
    await page.mouse.up();
    await expect(page.locator("#matched")).toHaveText(/^(299|300|301) of 600 match\.$/);
    await page.getByRole("button", { name: /Remove the filter Datetime from 2026/ }).click();
    await figures.first().getByRole("button").click();
    await expect(page.locator("#matched")).toHaveText("15 of 600 match.");
});

test("one row opens at the side with every member; its values filter; keys move through the table",
    { tag: ["@main", "@active"] }, async ({ page }) => {
    await load(page);
    await lines(page).nth(3).click();
    const side = page.getByRole("complementary");
    await expect(side).toContainText("Record 4");
    await expect(side.locator(".chip").first()).toHaveAttribute("title", "right-to-left override");
    for (
        const text of ["ClientRequest.Host", "a.example", "ray3", "[1,2]", "encrypted_matched_data"]
    ) await expect(side).toContainText(text);
    await side.getByRole("button", { name: "US", exact: true }).click();
    await expect(page.locator("#matched")).toHaveText("100 of 600 match.");
    await lines(page).first().getByRole("button").focus();
    await page.keyboard.press("End");
    await expect(page.locator(":focus")).toHaveText("598");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect(side).toContainText("Record 592");
    await side.getByRole("button", { name: "Close" }).click();
    await expect(side).toBeHidden();
});

test("exports have the selected records, and CSV the table's columns", { tag: "@main" },
    async ({ page }) => {
        await load(page, 60);
        await top(page, "ClientCountry").getByRole("button", { name: "FR", exact: true }).click();
        await expect(page.locator("#matched")).toHaveText("10 of 60 match.");
        const saved = async (name: string) => {
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name }).click();
            return readFileSync(await (await download).path(), "utf8").trim().split(/\r?\n/);
        };
        const json = (await saved("Save NDJSON")).map((line) =>
            JSON.parse(line) as { RayID: string; ClientCountry: string }
        );
        expect(json.map(({ RayID }) => RayID)).toEqual(
            [1, 7, 13, 19, 25, 31, 37, 43, 49, 55].map((i) => `ray${i}`),
        );
        expect(new Set(json.map(({ ClientCountry }) => ClientCountry))).toEqual(new Set(["FR"]));
        const [head, first, ...rest] = await saved("Save CSV");
        expect(head).toBe(
            "record,field,status,key_id,opened,\"Datetime\",\"Action\",\"ClientRequest.Host\",\"ClientCountry\",\"RayID\",\"matched part\",\"matched text\"",
        );
        expect(first).toMatch(
            /^2,"encrypted_matched_data","ok",.*,"2026-01-01T00:01:00.000Z","block","a.example","FR","ray1","http\.request\.uri","<script>alert\(1\)<\/script>"$/,
        );
        expect(rest).toHaveLength(9);
    });

test("a choice of columns stays for the next input in this tab, and is nowhere stored", async ({ page }) => {
    await load(page, 12);
    await page.locator("#columns summary").click();
    await page.getByRole("checkbox", { name: "ClientCountry" }).uncheck();
    await page.getByRole("checkbox", { name: "Big" }).check();
    await page.locator("#log-file").setInputFiles(asFile(events(18)));
    await expect(page.locator("#counts")).toContainText("of 18 records");
    await expect(page.locator("#head th")).toContainText(["No.", "Datetime", "Action",
        "Opened data", "RayID", "Big"]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.locator("#explore")).toBeHidden();
    for (const id of ["lines", "timeline-picture", "timeline-span"])
        await expect(page.locator(`#${id}`)).toBeEmpty();
});

test("on paper nothing is cut off, and records that are not in view leave no empty pages", {
    tag: "@print",
}, async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles(
        asFile([
            JSON.stringify({
                Note: "note\n".repeat(500),
                encrypted_matched_data: sealed("line\n".repeat(500)),
            }),
            ...events(600),
        ]),
    );
    await lines(page).first().click();
    await expect(page.locator("#side pre")).toBeVisible();
    const cut = (id: string) =>
        page.locator(id).evaluate((box) => box.scrollHeight > box.clientHeight + 1);
    for (const id of ["#side", "#side pre", "#grid"]) expect(await cut(id), id).toBe(true);
    const shown = await lines(page).count();
    for (const width of [800, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ media: "print" });
        for (const id of ["#side", "#side pre", "#grid"]) expect(await cut(id), id).toBe(false);
        expect((await page.locator("#grid").boundingBox())!.height).toBeLessThan((shown + 10) * 34);
    }
    await page.emulateMedia({ media: "screen" });
    await payloads(page);
    await expect(page.locator("#rows tr")).toHaveCount(200);
    const skipped = () =>
        page.locator("#rows .copies").evaluateAll((all) =>
            all.filter((one) => !one.checkVisibility({ contentVisibilityAuto: true })).length
        );
    await expect.poll(skipped).toBeGreaterThan(100);
    await page.emulateMedia({ media: "print" });
    await expect.poll(skipped).toBe(0);
});

test("numbers keep their digits, names cannot flood the columns, hidden characters in members are shown", async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`name${i}`, "x"]));
    const blob = sealed("data");
    await open(page,
        `{"encrypted_matched_data":"${blob}","EdgeStartTimestamp":1763700000000000001,"path":"a\u202eb"}\n${
            JSON.stringify({ encrypted_matched_data: blob, ...many })
        }`);
    await expect(lines(page)).toHaveCount(2);
    await expect(lines(page).first().locator(".chip")).toHaveText("U+202E");
    await expect(lines(page).first()).toContainText("2025-11-21 04:40:00");
    await expect(page.locator("#matched")).toContainText("members have no column");
    await lines(page).first().click();
    await expect(page.getByRole("complementary")).toContainText("1763700000000000001");
});

test("100,000 records are filtered, counted and sorted in a moment", { tag: "@heavy" },
    async ({ page }) => {
        test.setTimeout(240_000);
        await page.goto("/");
        // Without a key nothing is opened, and the table is as long.
        await page.locator("#log-file").setInputFiles(asFile(events(100_000)));
        await expect(page.locator("#counts")).toContainText("of 100,000 records", {
            timeout: 200_000,
        });
        await expect(page.locator("#table")).toHaveAttribute("aria-rowcount", "100001");
        await page.locator("#grid").evaluate((grid) => (grid.scrollTop = grid.scrollHeight));
        await expect(lines(page).last()).toContainText("ray99999");
        const found =
            Array.from({ length: 100_000 }, (_, i) => i).filter((i) =>
                i % 6 === 1 && String(i).startsWith("5")
            ).length;
        const times: Record<string, number> = {};
        const timed = async (name: string, action: () => Promise<void>, matched: string) => {
            const begun = performance.now();
            await action();
            await expect(page.locator("#matched")).toHaveText(matched);
            times[name] = Math.round(performance.now() - begun);
        };
        await timed("filter",
            () =>
                top(page, "ClientCountry").getByRole("button", { name: "FR", exact: true }).click(),
            "16,667 of 100,000 match.");
        await timed("search", () => page.getByRole("searchbox").fill("ray5"),
            `${found.toLocaleString("en")} of 100,000 match.`);
        await page.getByRole("columnheader", { name: "RayID" }).getByRole("button").click();
        await expect(page.getByRole("columnheader", { name: "RayID" })).toHaveAttribute("aria-sort",
            "ascending");
        console.log(
            `100,000 records, in milliseconds with the test's own time: ${JSON.stringify(times)}`,
        );
    });

for (const colorScheme of ["light", "dark"] as const)
    test(`axe finds nothing in Explore in ${colorScheme}`, { tag: "@axe" }, async ({ page }) => {
        await load(page, 60);
        await useTheme(page, colorScheme);
        await top(page, "Action").getByRole("button", { name: "block", exact: true }).click();
        await lines(page).first().click();
        await page.locator("#timeline summary").click();
        for (const view of ["Table", "Payloads"]) {
            await page.getByRole("button", { name: view, exact: true }).click();
            expect(await axeFinds(page), view).toEqual([]);
        }
    });

test.describe("far from UTC", () => {
    test.use({ timezoneId: "America/New_York" });

    test("a time without a zone is in UTC, as one with a Z is", { tag: "@timezone" },
        async ({ page }) => {
            await page.goto("/");
            await addKey(page);
            const times = ["2026-07-15 08:00:00", "2026-07-15T08:00:00.5", "2026-07-15T08:00:00Z",
                "2026-07-15T10:00:00+02:00"];
            const record = (Datetime: string) =>
                JSON.stringify({ Datetime, RayID: "ray", encrypted_matched_data: blobs[0] });
            await page.locator("#log-file").setInputFiles(asFile(times.map(record)));
            await expect(lines(page)).toHaveCount(4);
            for (let i = 0; i < 4; i++)
                await expect(lines(page).nth(i)).toContainText("2026-07-15 08:00:00");
            const local = /15\/07\/2026, 04:00:00 \S/;
            await lines(page).first().click();
            await expect(page.locator("#side-event dd").first()).toHaveText(local);
            await expect(page.locator("#timeline title").first()).toHaveText(local);
        });
});

test("the beginning of opened data is shown however long it is, and more on demand", async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles(asFile([sealed("long".repeat(1_100_000))]));
    await expect(page.locator("#rows tr")).toHaveCount(1);
    await expect(page.locator("#more")).toBeHidden();
    await expect(page.locator("#rows pre")).toHaveText("long".repeat(7500));
    await page.getByRole("button", { name: "Show more of record 1" }).click();
    await expect(page.locator("#rows pre")).toHaveText("long".repeat(15_000));
});
