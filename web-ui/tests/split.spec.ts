// Records in JSON arrays and in JSON over many lines: what is damaged is one record, with its
// place, and the next ones are read. The records themselves: wasm/test/records.test.mjs.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";
import { addKey, open, panel, payloads, sealed } from "./page.ts";

test.describe("in the page", () => {
    test.beforeEach(async ({ page }) => {
        await page.goto("/");
        await addKey(page);
    });

    test("an array of blobs is opened", async ({ page }) => {
        const escaped = sealed("two").replaceAll("/", "\\/");
        await open(page, `["${sealed("one")}", "${escaped}"]`);
        await expect(page.locator("#rows pre")).toHaveText(["one", "two"]);
        await expect(page.locator("#run-error")).toBeEmpty();
    });

    test("what is damaged is counted and named, in exports too, and what comes after it is opened", async ({ page }) => {
        const record = (text: string) =>
            JSON.stringify({ RayID: text, encrypted_matched_data: sealed(text) });
        const files = [
            { name: "a.json", content: `[\n${record("a1").slice(0, -1)},\n${record("a2")},\n 5]` },
            { name: "b.json.gz", content: gzipSync(`[${record("b1")}`) },
            {
                name: "c.ndjson",
                content: [record("c1"), "", ...Array(7).fill("{\"cut\": \"o"), record("c2")].join(
                    "\n",
                ),
            },
        ];
        await page.locator("#log-file").setInputFiles(
            files.map(({ name, content }) => ({
                name,
                mimeType: "",
                buffer: Buffer.from(content),
            })),
        );
        const problems = [
            "a.json: 1 record is neither JSON nor base64, and could not be read: line 2.",
            "b.json.gz: The JSON array has no end: it may have been cut off. The records before that were read.",
            "c.ndjson: 7 records are neither JSON nor base64, and could not be read: line 3; line 4; line 5; line 6; line 7; and 2 more.",
        ].join("\n");
        await expect(page.locator("#run-error")).toHaveText(problems);
        await expect(page.locator("#counts")).toContainText(
            "Opened 4 of 12 records with sealed data. 8 could not be opened. 1 of 13 records without sealed data.",
        );
        await payloads(page);
        await expect(page.locator("#rows pre")).toHaveText(["a2", "b1", "c1", "c2"]);
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: "Save NDJSON" }).click();
        expect(readFileSync(await (await download).path(), "utf8").trim().split("\n")).toHaveLength(
            13,
        );
        await expect(page.locator("#run-error")).toHaveText(problems);
    });
});

test("the page says that the file is missing which splits records", { tag: "@route" },
    async ({ page }) => {
        await page.route("**/reader-*.js", (route) => route.abort());
        await page.goto("/");
        await addKey(page);
        await open(page, sealed("one"));
        await expect(page.locator("#run-error")).toHaveText(
            "A file of the page is missing on the server: records cannot be read.",
        );
    });

test("the page says that the file is missing which opens and inspects records", { tag: "@route" },
    async ({ page }) => {
        await page.route("**/later-*.js", (route) => route.abort());
        // What it imports is not asked for only when it has come.
        const imported = ["reader", "zstd"].map((name) => page.waitForRequest(`**/${name}-*.js`));
        await page.goto("/");
        await Promise.all(imported);
        await addKey(page);
        const words =
            "A file of the page is missing on the server: nothing can be opened or inspected.";
        await open(page, sealed("one"));
        await expect(page.locator("#run-error")).toHaveText(words);
        await panel(page, "Inspect");
        await page.locator("#inspect-blob").fill(sealed("one"));
        await page.locator("#inspect-form button").click();
        await expect(page.locator("#inspect-error")).toHaveText(words);
    });
