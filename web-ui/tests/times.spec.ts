// The timeline says which times it has, and others can be chosen.
import { type Page, expect, test } from "@playwright/test";
import { addKey, sealed } from "./page.ts";

const minute = (month: number, i: number) =>
    new Date(Date.UTC(2026, month, 1) + i * 60_000).toISOString();

async function load(page: Page, record: (i: number) => object): Promise<void> {
    await page.goto("/");
    await addKey(page);
    const lines = Array.from({ length: 20 }, (_, i) => JSON.stringify(record(i)));
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from(lines.join("\n")),
    });
    await expect(page.locator("#counts")).toContainText("of 20 records");
    await expect(page.locator("#lines tr").first()).toBeVisible();
}
const times = (page: Page) => page.getByLabel("Time", { exact: true });
const span = (page: Page) => page.locator("#timeline-span");

test("times of the event, of another member, of opened data", async ({ page }) => {
    await load(page, (i) => ({
        Datetime: minute(0, i),
        ...(i % 2 && { Meta: { stored_time: Date.parse(minute(2, i)) / 1000 } }),
        Count: 1_000_000_000 + i,
        RayID: `ray${i}`,
        encrypted_matched_data: sealed(JSON.stringify({ seen: minute(1, i) })),
    }));
    await expect(times(page)).toHaveValue("e:Datetime");
    await expect(times(page).locator("option")).toHaveCount(3);
    await expect(span(page)).toContainText("2026-01-01 00:00:00");
    await page.locator("#timeline summary").click();
    await page.locator("#timeline-figures button").first().click();
    await expect(page.locator("#matched")).toHaveText("1 of 20 match.");
    await expect(page.locator(".filter")).toContainText("Datetime from 2026-01-01 00:00:00");
    // A span of one column's times does not select by another column.
    await times(page).selectOption("p:seen");
    await expect(page.locator(".filter")).toHaveCount(0);
    await expect(span(page)).toContainText("2026-02-01 00:00:00");
    await expect(page.locator("#timeline-without")).toBeEmpty();
    await page.locator("#timeline-figures button").first().click();
    await expect(page.locator(".filter")).toContainText("seen from 2026-02-01 00:00:00");
    await times(page).selectOption("e:Meta.stored_time");
    await expect(span(page)).toContainText("2026-03-01 00:01:00");
    await expect(page.locator("#timeline-without")).toHaveText(
        "10 of the selected rows have none.",
    );
    // Where no record has such a time, another one can still be chosen.
    await page.getByRole("searchbox").fill("ray2");
    await expect(page.locator("#timeline-without")).toHaveText(
        "No selected row has a time.",
    );
    await expect(page.locator("#timeline-picture")).toBeHidden();
    await times(page).selectOption("e:Datetime");
    await expect(span(page)).toContainText("2026-01-01 00:02:00");
    await page.locator("#timeline-box").getByText("Figures").focus();
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(times(page).locator("option")).toHaveCount(0);
});

test("times of opened data only are there to be chosen", async ({ page }) => {
    await load(page, (i) => ({
        RayID: `ray${i}`,
        encrypted_matched_data: sealed(JSON.stringify({ seen: minute(1, i) })),
    }));
    await expect(times(page)).toHaveValue("");
    await expect(page.locator("#timeline-picture")).toBeHidden();
    await times(page).selectOption("p:seen");
    await expect(span(page)).toContainText("2026-02-01 00:00:00");
});

test("without times there is no timeline", async ({ page }) => {
    await load(page, (i) => ({
        RayID: `ray${i}`,
        Count: 1_000_000_000 + i,
        encrypted_matched_data: sealed("data"),
    }));
    await expect(page.locator("#timeline")).toBeHidden();
});
