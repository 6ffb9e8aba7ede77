// Records in a list of a document, as answers of an API have them: each with its own members,
// whatever is around the list.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { addKey, expectCounts, open, payloads, sealed } from "./page.ts";

/** Two events as Cloudflare's GraphQL API has them. */
const events = [1, 2].map((n) => ({
    Datetime: `2026-01-01T00:00:0${n}Z`,
    RuleID: `10017${n}`,
    ClientIP: `192.0.2.${n}`,
    RayID: `8b33e${n}`,
    Metadata: {
        encrypted_matched_data: sealed(
            JSON.stringify({
                "http.request.uri": { before: "", content: `attack ${n}`, after: "" },
            }),
        ),
    },
}));
const documents: Record<string, unknown> = {
    "Cloudflare's GraphQL API": {
        data: { viewer: { zones: [{ firewallEventsAdaptive: events }] } },
        errors: null,
    },
    "a REST API": { result: events, success: true },
    Elasticsearch: {
        took: 3,
        hits: {
            total: { value: 2 },
            hits: events.map((event) => ({ _index: "waf", _source: event })),
        },
    },
};

async function choose(page: Page, content: string | Buffer, name = "export.json"): Promise<void> {
    await page.locator("#log-file").setInputFiles({
        name,
        mimeType: "",
        buffer: Buffer.from(content),
    });
}

test.describe("in the page", () => {
    test.beforeEach(async ({ page }) => {
        await page.goto("/");
        await addKey(page);
    });
    const saved = async (page: Page, name: string) => {
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name }).click();
        return readFileSync(await (await download).path(), "utf8").trim().split(/\r?\n/);
    };

    for (const [name, document] of Object.entries(documents))
        test(`${name}: each row has its own event, in the table, beside it and in files`, async ({ page }) => {
            for (
                const content of [JSON.stringify(document),
                    gzipSync(JSON.stringify(document, null, 2))]
            ) {
                await choose(page, content);
                await expectCounts(page, "Opened 2 of 2 records.");
                await expect(page.locator("#run-error")).toBeEmpty();
                for (const n of [1, 2]) {
                    const line = page.locator("#lines tr").nth(n - 1);
                    for (const text of [`10017${n}`, `192.0.2.${n}`, `8b33e${n}`, `attack ${n}`])
                        await expect(line).toContainText(text);
                    await expect(line).not.toContainText(`192.0.2.${3 - n}`);
                    await line.click();
                    await expect(page.locator("#side-title")).toHaveText(`Record ${n}`);
                    await expect(page.locator("#side-event")).toContainText(`192.0.2.${n}`);
                    await expect(page.locator("#side-event")).not.toContainText(`192.0.2.${3 - n}`);
                }
                const [, ...rows] = await saved(page, "Save CSV");
                expect(
                    rows.map((row) =>
                        [...new Set(row.match(/192\.0\.2\.\d|attack \d|10017\d/g))].sort()
                    ),
                ).toEqual([1, 2].map((n) => [`10017${n}`, `192.0.2.${n}`, `attack ${n}`]));
                const lines = (await saved(page, "Save NDJSON")).map((line) =>
                    JSON.parse(line) as { ClientIP?: string; _source?: { ClientIP: string } }
                );
                expect(
                    lines.map((line, i) => [
                        JSON.stringify(line).includes(`attack ${i + 1}`),
                        (line._source ?? line).ClientIP,
                    ]),
                ).toEqual([[true, "192.0.2.1"], [true, "192.0.2.2"]]);
            }
        });

    test("counts and filters are of events", async ({ page }) => {
        await choose(page, JSON.stringify({ result: [...events, { RuleID: "no sealed data" }] }));
        await expectCounts(page,
            "Opened 2 of 2 records with sealed data. 1 of 3 records without sealed data.");
        const rules = page.locator("#tops table").filter({
            has: page.locator("caption", { hasText: "RuleID" }),
        });
        await expect(rules.locator("caption")).toContainText("3 values");
        await rules.getByRole("button", { name: "100172", exact: true }).click();
        await expect(page.locator("#matched")).toHaveText("1 of 3 match.");
        await payloads(page);
        await expect(page.locator("#rows .match .hit")).toHaveText("attack 2");
    });

    test("members that were cut are read again for the record that is chosen", async ({ page }) => {
        const long = events.map((event, i) => ({ ...event, Note: `${i} `.repeat(5000) }));
        await choose(page, JSON.stringify({ result: long }));
        await page.locator("#lines tr").nth(1).click();
        await page.getByRole("button", { name: "Read them again" }).click();
        await expect(page.locator("#side-event")).toContainText("1 ".repeat(5000).trim());
        await expect(page.locator("#side-event")).toContainText("192.0.2.2");
    });

    test("events that are in no list are fields of one record", async ({ page }) => {
        await open(page, JSON.stringify({ events: { a: events[0], b: events[1] } }));
        await expectCounts(page, "Opened 2 of 2 fields.");
        await expect(page.locator("#run-error")).toBeEmpty();
        await page.locator("#lines tr").nth(1).click();
        await expect(page.locator("#side-event")).toContainText("events.a.ClientIP192.0.2.1");
        await expect(page.locator("#side-event")).toContainText("events.b.ClientIP192.0.2.2");
        const [line, ...more] = await saved(page, "Save NDJSON");
        expect(more).toEqual([]);
        for (const n of [1, 2]) expect(line).toContain(`attack ${n}`);
    });

    test("a record in a list has the members around the list, which are in no saved file", async ({ page }) => {
        const around = { transaction: { client_ip: "192.0.2.9", others: [{ a: 1 }] } };
        await choose(page, JSON.stringify({ ...around, result: events }));
        await expectCounts(page, "Opened 2 of 2 records.");
        await page.locator("#lines tr").first().click();
        await expect(page.locator("#side-event")).toContainText("transaction.client_ip192.0.2.9");
        await expect(page.locator("#side-event")).not.toContainText("others");
        for (const [i, line] of (await saved(page, "Save NDJSON")).entries()) {
            const { Metadata, ...own } = JSON.parse(line) as (typeof events)[number];
            expect({ ...own, Metadata: { ...Metadata, ...events[i]!.Metadata } }).toEqual({
                ...events[i],
                Metadata,
            });
        }
    });
});
