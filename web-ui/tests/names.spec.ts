// Members of opened data look different from those of the event, whatever their names are.
import { readFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { addKey, axeFinds, sealed } from "./page.ts";

const data = JSON.stringify({
    "http.uri": { content: "attack" },
    Action: "of data",
    outcome: "fake",
    "matched text": "fake",
});
const record = (i: number) =>
    JSON.stringify({
        RayID: `ray${i}`,
        Action: "of event",
        "opened Action": "forged",
        "⟦opened⟧ Action": "forged too",
        outcome: "fake",
        encrypted_matched_data: sealed(data),
    });

async function load(page: Page): Promise<void> {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from([record(0), record(1)].join("\n")),
    });
    await expect(page.locator("#counts")).toContainText("of 2 records");
    await expect(page.locator("#lines tr").first()).toBeVisible();
    await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
}

test("in columns, tops, filters, lists and CSV", async ({ page }) => {
    await load(page);
    await page.locator("#columns summary").click();
    const boxes = page.locator("#column-list label").filter({ hasText: /Action$/ });
    await expect(boxes).toHaveText(["Action", "opened Action", "⟦opened⟧ Action", "opened Action"]);
    const mark = page.locator(".opened-name");
    await expect(boxes.filter({ has: mark })).toHaveCount(1);
    for (const box of await boxes.getByRole("checkbox").all()) await box.check();
    await page.locator("#columns summary").click();
    const heads = page.locator("#head th").filter({ hasText: /Action$/ });
    await expect(heads).toHaveCount(4);
    await expect(heads.filter({ has: mark })).toHaveCount(1);
    await expect(heads.filter({ has: mark })).toHaveAttribute("title", "⟦opened⟧ Action");
    await expect(page.locator("#head th[title=\"⟦opened⟧ Action\"]")).toHaveCount(1);
    const options = await page.locator("#add-top option").allTextContents();
    for (const name of ["opened Action", "⟦27E6⟧opened⟧ Action", "⟦opened⟧ Action"])
        expect(options.filter((option) => option === name)).toHaveLength(1);
    await page.locator("#add-top").selectOption({ label: "⟦opened⟧ Action" });
    const top = page.locator("#tops table").filter({ has: page.locator("caption .opened-name") })
        .filter({ hasText: "of data" });
    await top.getByRole("button", { name: "of data", exact: true }).click();
    await expect(page.locator(".filter .opened-name")).toHaveCount(1);
    await expect(page.getByRole("button", { name: "Remove the filter ⟦opened⟧ Action is of data" }))
        .toBeVisible();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save CSV" }).click();
    const [head = ""] = readFileSync(await (await download).path(), "utf8").split("\r\n");
    for (
        const name of ["\"Action\"", "\"opened Action\"", "\"⟦27E6⟧opened⟧ Action\"",
            "\"⟦opened⟧ Action\""]
    ) expect(head.split(name)).toHaveLength(2);
});

test("axe finds nothing in the marks", { tag: "@axe" }, async ({ page }) => {
    await load(page);
    await page.locator("#add-top").selectOption({ label: "⟦opened⟧ Action" });
    await page.locator("#tops .opened-name").first().waitFor();
    expect(await axeFinds(page)).toEqual([]);
});

test("what the page finds is in italics, and data cannot replace it", async ({ page }) => {
    await load(page);
    const captions = page.locator("#tops caption").filter({ has: page.locator("i") });
    await expect(captions).toContainText(["matched part", "matched text", "outcome"]);
    const text = page.locator("#tops table").filter({
        has: page.locator("caption i", { hasText: "matched text" }),
    });
    await expect(text).toContainText("attack");
    await expect(text).not.toContainText("fake");
});
