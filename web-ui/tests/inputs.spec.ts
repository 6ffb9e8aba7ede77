// Inputs in other shapes: opened where that is clear, and otherwise named, with what to do.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { addKey, drop, open, panel, payloads, pqseal, published, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const choose = (page: Page, content: string | Buffer) =>
    page.locator("#log-file").setInputFiles({
        name: "export",
        mimeType: "",
        buffer: Buffer.from(content),
    });
const error = (page: Page) => page.locator("#run-error");
const blob = sealed("x".repeat(100));

test("one blob, wrapped, in quotes, or as JSON within JSON", async ({ page }) => {
    const wrapped = (width: number) => blob.match(new RegExp(`.{1,${width}}`, "g"))!.join("\n");
    const within = JSON.stringify({ Metadata: JSON.stringify({ encrypted_matched_data: blob }) });
    for (
        const text of [wrapped(64), wrapped(76), ` ${wrapped(20).replaceAll("\n", "\r\n  ")}\n`,
            `"${blob}"`, `'${blob}',`, within]
    ) {
        await open(page, text);
        await expect(page.locator("#rows pre")).toHaveText("x".repeat(100));
        await expect(page.locator("#counts")).toContainText("Opened 1 of 1 record.");
    }
    // Blobs of one length are not one that was wrapped.
    await open(page, Array(3).fill(blob).join("\n"));
    await expect(page.locator("#counts")).toContainText("Opened 3 of 3 records.");
});

test("lines that stand in place of blobs are no part of one", async ({ page }) => {
    const other = sealed("y".repeat(100));
    const withNull = (opened: number, sealed: number, all: number) =>
        `Opened ${opened} of ${sealed} record${
            sealed === 1 ? "" : "s"
        } with sealed data. 1 of ${all} records without sealed data.`;
    for (
        const [lines, counts] of [
            [[blob, "truncated"], "Opened 1 of 2 records. 1 could not be opened."],
            [[blob, "null"], withNull(1, 1, 2)],
            [[blob, other, "null"], withNull(2, 2, 3)],
            [[blob, "truncated", other, "null"], "Opened 2 of 3 records with sealed data."],
        ] as const
    ) {
        await open(page, lines.join("\n"));
        await expect(page.locator("#counts")).toContainText(counts);
    }
});

test("a wrapped blob in a file", async ({ page }) => {
    const wrapped = blob.match(/.{1,76}/g)!.join("\n");
    for (const content of [`${wrapped}\n`, gzipSync(`${wrapped}\r\n`)]) {
        await choose(page, content);
        await expect(page.locator("#rows pre")).toHaveText("x".repeat(100));
        await expect(page.locator("#counts")).toContainText("Opened 1 of 1 record.");
    }
});

test.describe("tables", () => {
    const opened = async (page: Page, ...texts: string[]) => {
        await expect(page.locator("#counts")).toContainText(
            `Opened ${texts.length} of ${texts.length} `,
        );
        await expect(page.locator("#lines tr, #rows pre").first()).toBeVisible();
        if (await page.locator("#lines tr").count()) await payloads(page);
        await expect(page.locator("#rows pre")).toHaveText(texts);
        await expect(error(page)).toBeEmpty();
    };
    const metadata = JSON.stringify({ encrypted_matched_data: sealed("in JSON"), n: 1 }).replaceAll(
        "\"",
        "\"\"",
    );

    for (
        const [name, content] of Object.entries({
            "CSV": `RayID,encrypted_matched_data\na,${sealed("one")}\nb,${sealed("two")}\n`,
            "CSV of Windows with a byte order mark, quoted":
                `\ufeff"RayID","encrypted_matched_data"\r\n"a","${sealed("one")}"\r\n"b","${
                    sealed("two")
                }"`,
            "TSV with a quote that means nothing": `RayID\tencrypted_matched_data\n5" a\t${
                sealed("one")
            }\n"b"\t${sealed("two")}\n`,
            "semicolons, with cells of many lines":
                `note;Metadata.encrypted_matched_data\n"a;\n""b"", c";${sealed("one")}\n"";${
                    sealed("two")
                }`,
            "one column": `encrypted_matched_data\n${sealed("one")}\n\n${sealed("two")}\n`,
            "gzip": gzipSync(
                `RayID,encrypted_matched_data\na,${sealed("one")}\nb,${sealed("two")}\n`,
            ),
            "UTF-16": Buffer.from(
                `\ufeffRayID\tencrypted_matched_data\r\na\t${sealed("one")}\r\nb\t${
                    sealed("two")
                }\r\n`,
                "utf16le",
            ),
        })
    )
        test(`opens ${name}`, async ({ page }) => {
            await choose(page, content);
            await opened(page, "one", "two");
        });

    test("cells of JSON, an empty cell, rows that are too short and too long", async ({ page }) => {
        const rows = [`a,"${metadata}",`, `b,{},${sealed("cell")},more`, "c", "d,{},",
            `e,"${metadata}",${sealed("both")}`];
        await choose(page, `RayID,Metadata,encrypted_matched_data\n${rows.join("\n")}\n`);
        await expect(page.locator("#counts")).toContainText(
            "Opened 4 of 4 fields with sealed data. 2 of 5 records without sealed data.",
        );
        await payloads(page);
        await expect(page.locator("#rows pre")).toHaveText(["in JSON", "cell", "in JSON", "both"]);
    });

    test("a table with commas by its name, and one without sealed data names its columns", async ({ page }) => {
        const csv = (content: string) =>
            page.locator("#log-file").setInputFiles({
                name: "export.csv",
                mimeType: "",
                buffer: Buffer.from(content),
            });
        await csv(`payload\n${sealed("one")}\n`);
        await expect(error(page)).toContainText(
            "Its columns are payload. If one of them holds it, set its name under Options.",
        );
        await page.locator("summary", { hasText: "Options" }).first().click();
        await page.locator("#fields").fill("payload");
        await csv(`payload\n${sealed("one")}\n`);
        await opened(page, "one");
    });

    test("columns are shown, and exports hold the row", { tag: "@main" }, async ({ page }) => {
        const row = `a,12345678901234567890,2,${sealed("one")}\n`;
        await choose(page, `RayID,n,n,Metadata.encrypted_matched_data\n${row}${row}`);
        await expect(page.locator("#lines tr")).toHaveCount(2);
        await page.locator("#lines tr").first().click();
        await expect(page.locator("#side-event")).toContainText(
            "RayIDa ≠n12345678901234567890 ≠n (2)2",
        );
        await expect(page.locator("#side-event")).not.toContainText("encrypted_matched_data");
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: "Save NDJSON" }).click();
        const saved = JSON.parse(
            readFileSync(await (await download).path(), "utf8").split("\n")[0]!,
        ) as object;
        expect(saved).toMatchObject({
            RayID: "a",
            n: "12345678901234567890",
            "n (2)": "2",
            "Metadata.encrypted_matched_data": { decrypted_matched_data: "one" },
        });
    });

    test("a large table, cut wherever slices end", async ({ page }) => {
        const [one, note] = [sealed("one"), `"${"a\r\n\"\"b\"\",".repeat(50)}"`];
        await choose(page, `note,encrypted_matched_data\r\n${`${note},${one}\r\n`.repeat(8000)}`);
        await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
        await expect(error(page)).toBeEmpty();
        await expect(page.locator("#counts")).toContainText("Opened 8,000 of 8,000 records.", {
            timeout: 60_000,
        });
    });
});

test("UTF-16, as PowerShell writes it", async ({ page }) => {
    const text = JSON.stringify({ encrypted_matched_data: sealed("from PowerShell") });
    await choose(page, Buffer.from(`\ufeff${text}\r\n`, "utf16le"));
    await expect(page.locator("#rows pre")).toHaveText("from PowerShell");
    await choose(page, gzipSync(Buffer.from(`\ufeff${text}\r\n`, "utf16le")));
    await expect(page.locator("#rows pre")).toHaveText("from PowerShell");
    await choose(page, Buffer.from(`\ufeff${text}\r\n`, "utf16le").swap16());
    await expect(page.locator("#rows pre")).toHaveText("from PowerShell");
});

test("what is not opened is named", async ({ page }) => {
    const other = pqseal.generateKeyPair("x25519").privateKey;
    for (
        const [content, words] of [
            [`time,encrypted_matched_data\n1,"${blob}\n`, "A quote in the table is never closed"],
            ["PAR1\0\0\0\0",
                "This is a Parquet file, which this page does not read: run pqseal logs open on it."],
            ["Obj\x01\x04",
                "This is an Avro file, which this page does not read: convert it to JSON or Parquet"],
            ["ORC\x08", "This is an ORC file"],
            ["%PDF-1.7", "export the records as JSON or CSV"],
            ["PK\x03\x04", "If it is a workbook of Excel, save it as CSV."],
            [Buffer.from("04224d18", "hex"), "run lz4 -d on it"],
            ["\x01\x00\x02\x00", "not text"],
            [other.export("pem"), "This is a key"],
            [other.export("json"), "This is a key"],
            ["age-encryption.org/v1\n-> scrypt", "Choose it under Files"],
            [gzipSync("x".repeat(9999)).subarray(0, 30), "gzip data is damaged"],
        ] as const
    ) {
        await choose(page, content as Buffer);
        await expect(error(page), String(content)).toContainText(words);
        await expect(page.locator("#rows tr")).toHaveCount(0);
    }
    await open(page, published.key);
    await expect(page.locator("#rows .error")).toHaveText(
        "This is a key and not sealed data. Add it under Private key.",
    );
    await open(page, JSON.stringify({ payload: blob }));
    await expect(page.locator("#counts")).toContainText("set it under Options");
});

test("a whole record can be inspected", async ({ page }) => {
    await panel(page, "Inspect");
    await page.locator("#inspect-blob").fill(
        JSON.stringify({ RayID: "r", encrypted_matched_data: blob }),
    );
    await page.locator("#inspect-form button").click();
    await expect(page.locator("#facts")).toContainText("Data in it100 bytes");
});

test("dropped on any panel: data opens where it is seen, a key is a key, and text may be dropped",
    async ({ page }, info) => {
        const other = pqseal.generateKeyPair("mlkem768-x25519").privateKey;
        writeFileSync(info.outputPath("other.key"), other.export("line"));
        writeFileSync(info.outputPath("blobs"), sealed("dropped"));
        writeFileSync(info.outputPath("more"), sealed("more"));
        await panel(page, "Seal");
        await drop(page, info.outputPath("blobs"), "#seal");
        await expect(page.locator("#rows pre")).toHaveText("dropped");
        await expect(page.locator("#open")).toBeVisible();
        await drop(page, info.outputPath("other.key"), "#results");
        await expect(page.locator("#keys")).toContainText(other.keyId);
        await drop(page, [info.outputPath("blobs"), info.outputPath("more")], "body");
        await expect(page.locator("#rows pre")).toHaveText(["dropped", "more"]);
        await expect(page.locator("#source")).toContainText("blobs and 1 more");
        const prevented = await page.evaluate(() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.setData("text/plain", "selected");
            return !document.getElementById("blobs")!.dispatchEvent(
                new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }),
            );
        });
        expect(prevented).toBe(false);
    });

test("several files are one table; each row has its file, and one that cannot be read stops no other", async ({ page }) => {
    const lines = (...names: string[]) =>
        names.map((RayID) =>
            JSON.stringify({ RayID, encrypted_matched_data: sealed(`of ${RayID}`) })
        ).join("\n");
    await page.locator("#log-file").setInputFiles([
        { name: "a.ndjson", mimeType: "", buffer: Buffer.from(lines("a1", "a2")) },
        { name: "bad.zst", mimeType: "", buffer: Buffer.from("28b52ffd00", "hex") },
        { name: "b.ndjson.gz", mimeType: "", buffer: gzipSync(lines("b1")) },
        { name: "c.json", mimeType: "", buffer: Buffer.from(`[${lines("c1")}]`) },
    ]);
    await expect(page.locator("#counts")).toContainText("Opened 4 of 4 records.");
    await expect(error(page)).toContainText("bad.zst: The Zstandard data is cut off");
    await expect(page.locator("#source")).toContainText("a.ndjson and 3 more");
    const rows = page.locator("#lines tr");
    await expect(rows).toContainText(["a.ndjson", "a.ndjson", "b.ndjson.gz", "c.json"]);
    await expect(rows.nth(2).getByRole("button")).toHaveText("1");
    await rows.nth(2).click();
    await expect(page.locator("#side")).toContainText("Fileb.ndjson.gz");
    await page.locator("#tops table", { hasText: "outcome" }).getByRole("button", {
        name: "opened",
    }).first().click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save NDJSON" }).click();
    const saved = readFileSync(await (await download).path(), "utf8").trim().split("\n").map((
        line,
    ) => JSON.parse(line) as { decrypted_matched_data: string });
    expect(saved.map(({ decrypted_matched_data: opened }) => opened)).toEqual(["of a1", "of a2",
        "of b1", "of c1"]);
});

const paste = (page: Page, text: string) =>
    page.evaluate((text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        document.getElementById("blobs")!.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
    }, text);
const press = (page: Page) =>
    page.getByRole("button", { name: "Open", exact: true }).last().click();
const all = (page: Page) =>
    expect(page.locator("#counts")).toContainText("Opened 5,000 of 5,000 records.", {
        timeout: 30_000,
    });

test("a large paste is opened without being shown in the box", { tag: "@clipboard" },
    async ({ page }) => {
        await paste(page, `${JSON.stringify({ encrypted_matched_data: blob })}\n`.repeat(5000));
        await all(page);
        await expect(page.locator("#blobs")).toHaveValue("");
    });

test("a large paste opens again with other options, or another key, until something else is opened",
    { tag: "@clipboard" }, async ({ page }) => {
    await page.getByLabel("Or paste a key").fill("no key");
    await paste(page, `${JSON.stringify({ payload: blob })}\n`.repeat(5000));
    await expect(page.locator("#key-error")).not.toBeEmpty();
    await page.getByLabel("Or paste a key").fill("");
    await press(page);
    await expect(page.locator("#counts")).toContainText(
        "5,000 of 5,000 records without sealed data. If the field that holds it has another name, set it under Options.",
    );
    await page.locator("summary", { hasText: "Options" }).first().click();
    await page.locator("#fields").fill("payload");
    await press(page);
    await all(page);
    await expect(error(page)).toBeEmpty();
    await open(page, sealed("other"));
    await expect(page.locator("#rows pre")).toHaveText("other");
    await open(page, "");
    await expect(error(page)).toContainText("Nothing to open");
});
