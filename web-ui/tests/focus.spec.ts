// Explore with only the keyboard: the focus is never lost when parts of it are drawn again.
import { type Locator, type Page, expect, test } from "@playwright/test";
import { addKey, axeFinds, sealed } from "./page.ts";

const record = (i: number) =>
    JSON.stringify({
        Datetime: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
        Action: i % 2 ? "block" : "log",
        ClientCountry: ["DE", "FR", "US"][i % 3],
        RayID: `ray${i}`,
        Big: "B",
        encrypted_matched_data: i % 2 ? blob : "truncated",
    });
const blob = sealed("payload");

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    const lines = Array.from({ length: 60 }, (_, i) => record(i));
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from(lines.join("\n")),
    });
    await expect(page.locator("#counts")).toContainText("of 60 records");
    await expect(page.locator("#lines tr").first()).toBeVisible();
    await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
});

const matched = (page: Page, n: number) =>
    expect(page.locator("#matched")).toHaveText(`${n} of 60 match.`);
const top = (page: Page, name: string) =>
    page.locator("#tops table").filter({ has: page.locator("caption", { hasText: name }) });
async function press(on: Locator, key = "Enter"): Promise<void> {
    await on.focus();
    await on.press(key);
}

test("a value that filters keeps it; one that is gone gives it to the next; a filter turns and goes", async ({ page }) => {
    const block = top(page, "Action").getByRole("button", { name: "block", exact: true });
    await press(block);
    await matched(page, 30);
    await expect(block).toBeFocused();
    await press(
        top(page, "ClientCountry").getByRole("button", { name: "Leave out ClientCountry DE" }),
    );
    await matched(page, 20);
    await expect(page.locator("#tops button:focus")).toHaveCount(1);
    const turn = page.getByRole("button", { name: /Invert the filter Action/ });
    await press(turn);
    await expect(turn).toHaveText("is not");
    await expect(page.locator(".filter").first()).toContainText("Action is not block");
    await expect(turn).toBeFocused();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await matched(page, 40);
    await expect(page.locator("#filters button:focus")).toHaveCount(1);
    await press(page.getByRole("button", { name: /Remove the filter/ }));
    await expect(page.locator("#filters")).toBeHidden();
    await expect(page.getByRole("searchbox")).toBeFocused();
});

test("a column that sorts keeps it, and a box of a column, a time and a list of values", async ({ page }) => {
    const head = page.getByRole("columnheader", { name: "RayID" });
    for (const sort of ["ascending", "descending"]) {
        await press(head.getByRole("button"));
        await expect(head).toHaveAttribute("aria-sort", sort);
        await expect(head.getByRole("button")).toBeFocused();
    }
    await press(page.locator("#columns summary"));
    const box = page.getByRole("checkbox", { name: "Big" });
    await press(box, "Space");
    await expect(page.getByRole("columnheader", { name: "Big" })).toBeVisible();
    await expect(box).toBeFocused();
    await press(page.locator("#columns summary"));
    await press(page.getByRole("button", { name: "Hide the values of ClientCountry" }));
    await expect(top(page, "ClientCountry")).toHaveCount(0);
    await expect(page.locator("#tops button:focus")).toHaveCount(1);
    await press(page.locator("#timeline summary"));
    await press(page.locator("#timeline-figures button").nth(5));
    await matched(page, 1);
    await expect(page.locator("#timeline-figures button:focus")).toHaveCount(1);
});

test("a record that is opened keeps it, gets it back when it is closed, and a search without a match takes it", async ({ page }) => {
    const line = page.locator("#lines button").nth(3);
    await press(line);
    await expect(page.locator("#side-title")).toHaveText("Record 4");
    await expect(line).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("button", { name: "Close" })).toBeFocused();
    const value = page.getByRole("complementary").getByRole("button", { name: "DE", exact: true });
    await press(value);
    await matched(page, 20);
    await expect(value).toBeFocused();
    await press(page.getByRole("button", { name: "Close" }));
    await expect(page.getByRole("complementary")).toHaveCount(0);
    await expect(page.locator("#lines button:focus")).toHaveCount(1);
});

test("axe finds nothing in what keys have opened", { tag: "@axe" }, async ({ page }) => {
    await press(top(page, "Action").getByRole("button", { name: "block", exact: true }));
    await matched(page, 30);
    // By its name, not its place: the table is drawn again after the count.
    await press(page.locator("#lines tr", { hasText: "ray7" }).getByRole("button").first());
    await expect(page.locator("#side-title")).toHaveText("Record 8");
    await press(page.locator("#timeline summary"));
    expect(await axeFinds(page)).toEqual([]);
});

test("a button that saves has it again when the file is there", async ({ page }) => {
    const download = page.waitForEvent("download");
    await press(page.getByRole("button", { name: "Save CSV" }));
    await download;
    // Not `toBeFocused`: in Firefox the list of downloads has taken the focus from the window.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("save-csv");
});
