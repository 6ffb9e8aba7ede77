// Log exports: every shape, streamed, with counts, cancel, search and export.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { growth } from "./memory.ts";
import { addKey, drop, expectCounts, firewallEvents, holdReads, open, payloads, pqseal,
    sealed } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const file = (text: string | Buffer) => ({
    name: "export",
    mimeType: "",
    buffer: Buffer.from(text),
});
const lines = firewallEvents(300);
const pairs = lines.map((line) => ({
    rayName: "x",
    metadata: [{
        key: "encrypted_matched_data",
        value: JSON.parse(line).Metadata.encrypted_matched_data,
    }],
}));

const shapes = {
    NDJSON: lines.join("\n"),
    "NDJSON, gzip": gzipSync(lines.join("\n") + "\n"),
    "a JSON array": `[\n${lines.join(",\n")}\n]`,
    "a dashboard's array of key and value, indented, gzip": gzipSync(
        JSON.stringify(pairs, null, 2),
    ),
    "one object over many lines": JSON.stringify({ data: pairs }, null, 2),
};

for (const [name, content] of Object.entries(shapes)) {
    test(`opens ${name}`, async ({ page }) => {
        await page.locator("#log-file").setInputFiles(file(content));
        await expect(page.locator("#counts")).toHaveText(
            /^Opened 297 of 300 (records|fields)\. 3 could not be opened\./,
        );
        await payloads(page);
        await expect(page.locator("#rows tr")).toHaveCount(200);
        await expect(page.locator("#more")).toContainText("The first 200 are shown");
    });
}

test.describe("gzip of many members", () => {
    /**
     * Each line a member of its own, as what appends to a log writes it; and the empty member that
     * bgzip ends with.
     */
    const members = Buffer.concat([...lines.map((line) => gzipSync(`${line}\n`)), gzipSync("")]);

    test("opens all of them", { tag: "@main" }, async ({ page }) => {
        await page.locator("#log-file").setInputFiles(file(members));
        await expect(page.locator("#counts")).toContainText(
            "Opened 297 of 300 records. 3 could not be opened.",
        );
        await expect(page.locator("#run-error")).toBeEmpty();
    });

    test("is not misled by what looks like a beginning, wherever the input is cut", async ({ page }) => {
        // Stored, not compressed: the inner members are in the outer one as they are.
        const inner = gzipSync("inner\n");
        const text = Buffer.concat([Buffer.from(`${lines[0]}\n`), inner, Buffer.from("\n")]);
        const outer = gzipSync(text, { level: 0 });
        expect(outer.includes(inner)).toBe(true);
        const large = gzipSync(Buffer.alloc(200_000, "x\n"), { level: 0 });
        await page.locator("#log-file").setInputFiles(file(Buffer.concat([outer, large, outer])));
        await expect(page.locator("#counts")).toContainText("Opened 2 of", { timeout: 60_000 });
        await expect(page.locator("#run-error")).toContainText("neither JSON nor base64");
        await expect(page.locator("#run-error")).not.toContainText("gzip");
    });

    test("tells damage and a cut", async ({ page }) => {
        const damaged = Buffer.from(members);
        const second = members.indexOf(Buffer.from([0x1f, 0x8b, 8]), 1);
        damaged[second - 8]! ^= 1;
        for (
            const content of [damaged, members.subarray(0, -5),
                Buffer.concat([members, Buffer.from("junk")])]
        ) {
            await page.locator("#log-file").setInputFiles(file(content));
            await expect(page.locator("#run-error")).not.toBeEmpty();
            await page.getByRole("button", { name: "Clear keys and data" }).click();
            await expect(page.locator("#run-error")).toBeEmpty();
        }
    });
});

test("names a packer that the page does not unpack, and what does", async ({ page }) => {
    for (
        const [magic, command] of [["504b0304", "unzip"], ["fd377a58", "xz -d"], ["425a6839",
            "bzip2 -d"]]
    ) {
        await page.locator("#log-file").setInputFiles(file(Buffer.from(magic!, "hex")));
        await expect(page.locator("#run-error")).toContainText(`run ${command} on it`);
    }
});

test("what is no log export is given up soon, however little of it comes at once", {
    tag: "@heavy",
}, async ({ page }) => {
    const long = Buffer.alloc(80_000_000, "x");
    for (const content of [gzipSync(long), gzipSync(Buffer.concat([Buffer.from("a,b\n"), long]))]) {
        await page.locator("#log-file").setInputFiles(file(content));
        await expect(page.locator("#run-error")).toContainText("One record is larger than 64 MiB", {
            timeout: 15_000,
        });
    }
});

test("strings with brackets, quotes and escapes do not mislead the array", async ({ page }) => {
    const blob = sealed("ok");
    const record = { a: "[{\"\\", b: "]}\\\\\"", encrypted_matched_data: blob };
    await open(page, JSON.stringify([record, { nothing: 1 }, record]));
    await expect(page.locator("#counts")).toContainText(
        "Opened 2 of 2 records with sealed data. 1 of 3 records without sealed data.",
    );
});

test("a damaged first line stops no other", async ({ page }) => {
    await open(page, `{"cut": "of\n${lines.slice(0, 3).join("\n")}`);
    await expect(page.locator("#counts")).toContainText(
        "Opened 3 of 4 records. 1 could not be opened.",
    );
});

test("a broken gzip and an empty file end in words", async ({ page }) => {
    await page.locator("#log-file").setInputFiles(file(gzipSync("x".repeat(9999)).subarray(0, 30)));
    await expect(page.locator("#run-error")).not.toBeEmpty();
    await page.locator("#log-file").setInputFiles(file(""));
    await expect(page.locator("#counts")).toHaveText("There are no records in it.");
    await expect(page.locator("#run-error")).toBeEmpty();
});

test("search finds and marks; exports hold what was found", { tag: "@main" }, async ({ page }) => {
    await page.locator("#log-file").setInputFiles(file(lines.join("\n")));
    await expect(page.locator("#counts")).toContainText("Opened 297 of 300");
    await payloads(page);
    await page.getByRole("searchbox").fill("/A7?");
    await expect(page.locator("#matched")).toHaveText("15 of 300 match.");
    await expect(page.locator("#rows pre mark")).toHaveText(Array(15).fill("/a7?"));
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save NDJSON" }).click();
    const saved = readFileSync(await (await download).path(), "utf8").trim().split("\n");
    expect(saved).toHaveLength(15);
    expect(JSON.parse(saved[0]!)).toMatchObject({
        RayID: "r7",
        Metadata: { decrypted_matched_data: expect.stringContaining("/a7?") as unknown },
    });
    expect(saved[0]).toContain("1763700000000000001");
});

test("CSV: quotes are doubled, hidden characters are shown", async ({ page }) => {
    await open(page, ["a \"quoted\", one", "\u001b[31m"].map(sealed).join("\n"));
    await expect(page.locator("#rows tr")).toHaveCount(2);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save CSV" }).click();
    const cells = readFileSync(await (await download).path(), "utf8").split("\r\n").slice(1, -1)
        .map((line) => line.replace(/^(.*?,){4}/, ""));
    expect(cells).toEqual(["\"a \"\"quoted\"\", one\"", "\"⟦001B⟧[31m\""]);
});

test(
    "an export opens again: the same file, Open with nothing pasted, and automatically when a key is added",
    { tag: "@main" },
    async ({ page }) => {
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await page.locator("#log-file").setInputFiles(file(lines.join("\n")));
        await expect(page.locator("#counts")).toContainText(
            "Opened 0 of 300 records. 300 could not be opened.",
        );
        await expect(page.locator("#source")).toHaveText(/^export, \d+K?B/);
        // What a browser asks before it says that a file was chosen: whether it is another than
        // before.
        expect(await page.locator("#log-file").inputValue()).toBe("");
        await addKey(page);
        await expect(page.locator("#counts")).toContainText(
            "Opened 297 of 300 records. 3 could not be opened.",
        );
        await payloads(page);
        await expect(page.locator("#rows tr")).toHaveCount(200);
        for (
            const again of [
                () => page.locator("#log-file").setInputFiles(file(lines.join("\n"))),
                () => page.getByRole("button", { name: "Open", exact: true }).last().click(),
            ]
        ) {
            await page.locator("#rows").evaluate((rows) => rows.replaceChildren());
            await again();
            await expect(page.locator("#rows tr")).toHaveCount(200);
            await expect(page.locator("#counts")).toContainText(
                "Opened 297 of 300 records. 3 could not be opened.",
            );
        }
    },
);

test("an error stands beside no earlier result, and what was opened before damage is shown", async ({ page }) => {
    const good = () => open(page, lines[0]!);
    await good();
    await expect(page.locator("#counts")).toContainText("Opened 1 of 1");
    await page.locator("#log-file").setInputFiles(file(Buffer.from("504b0304", "hex")));
    await expect(page.locator("#run-error")).toContainText("unzip");
    await expect(page.locator("#counts")).not.toContainText("Opened 1 of 1");
    await expect(page.locator("#rows tr")).toHaveCount(0);
    await good();
    await expect(page.locator("#counts")).toContainText("Opened 1 of 1");
    await open(page, "");
    await expect(page.locator("#run-error")).toContainText("Nothing to open");
    await expect(page.locator("#counts")).toHaveText("Nothing opened yet.");
    await expect(page.locator("#rows tr")).toHaveCount(0);
    // The first member ends well, and the second does not.
    const cut = gzipSync("x".repeat(100)).subarray(0, 20);
    await page.locator("#log-file").setInputFiles(
        file(Buffer.concat([gzipSync(`${lines[0]}\n`), cut])),
    );
    await expect(page.locator("#run-error")).not.toBeEmpty();
    await expect(page.locator("#counts")).toContainText("Opened 1 of 1");
    await expect(page.locator("#rows tr")).toHaveCount(1);
});

test.describe("during a run", () => {
    const many = () => file(Array(60).fill(lines.join("\n")).join("\n"));
    const start = async (page: Page) => {
        await page.locator("#log-file").setInputFiles(many());
        await expect(page.getByRole("button", { name: "Cancel" })).toBeEnabled();
    };

    test("another input takes its place, and is what is saved", { tag: "@heavy" },
        async ({ page }) => {
            await start(page);
            await open(page, sealed("the other input"));
            await expectCounts(page, "Opened 1 of 1 record.");
            await expect(page.locator("#source")).toContainText("Pasted text");
            await expect(page.locator("#rows pre")).toHaveText("the other input");
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name: "Save CSV" }).click();
            const saved = readFileSync(await (await download).path(), "utf8");
            expect(saved.trim().split("\r\n")).toHaveLength(2);
            expect(saved).toContain("the other input");
        });

    test("a file that is being saved is not given up for it", { tag: "@heavy" },
        async ({ page }) => {
            await start(page);
            await expect(page.getByRole("button", { name: "Save CSV" })).toBeEnabled({
                timeout: 60_000,
            });
            const before = await page.locator("#counts").textContent();
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name: "Save CSV" }).click();
            await open(page, sealed("the other input"));
            await expect(page.locator("#run-error")).toContainText("A file is being saved");
            const saved = readFileSync(await (await download).path(), "utf8");
            expect(saved.split("\r\n")).toHaveLength(18_000 + 2);
            expect((await page.locator("#counts").textContent())?.split(".")[0]).toBe(
                before?.split(".")[0],
            );
            await expect(page.locator("#source")).toContainText("export");
        });

    test("after a cancel, files have what was read until then, and the page says so", async ({ page }) => {
        const reads = await holdReads(page, 3);
        await page.locator("#log-file").setInputFiles(many());
        await reads.held();
        // Progress is reported four times a second, as slices come.
        await page.waitForTimeout(300);
        await reads.give();
        await expect(page.locator("#counts")).toHaveText(/^Opened [1-9]/);
        await page.getByRole("button", { name: "Cancel" }).click();
        await reads.give(100);
        await expect(page.locator("#counts")).toContainText("Cancelled.");
        const number = (text: string, pattern: RegExp) =>
            Number(pattern.exec(text)![1]!.replaceAll(",", ""));
        const read = number((await page.locator("#counts").textContent())!, / of ([\d,]+) records/);
        expect(read).toBeLessThan(18_000);
        const saved = async (name: string) => {
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name }).click();
            const lines =
                readFileSync(await (await download).path(), "utf8").trim().split("\n").length;
            await expect(page.locator("#run-error")).toHaveText(
                "The file has only what was read before you cancelled. For the rest, open the input again and let it finish.",
            );
            return lines;
        };
        expect(await saved("Save NDJSON")).toBe(read);
        await page.getByRole("searchbox").fill("/A7?");
        await expect(page.locator("#matched")).toContainText("match.");
        const matched = number((await page.locator("#matched").textContent())!, /^([\d,]+) of/);
        expect(await saved("Save CSV")).toBe(matched + 1);
    });

    test("a key that is added opens it from the beginning", { tag: "@heavy" }, async ({ page }) => {
        const other = pqseal.generateKeyPair("x25519");
        const blob = pqseal.seal(other.publicKey, new TextEncoder().encode("for the other key"));
        const first = JSON.stringify({ encrypted_matched_data: blob });
        await page.locator("#log-file").setInputFiles(
            file(`${first}\n${many().buffer.toString()}`),
        );
        await expect(page.getByRole("button", { name: "Cancel" })).toBeEnabled();
        await addKey(page, other.privateKey.export("line"));
        await payloads(page);
        await expect(page.locator("#rows pre").first()).toHaveText("for the other key");
        await expect(page.locator("#counts")).toContainText(
            "Opened 17,821 of 18,001 records. 180 could not be opened.",
            { timeout: 60_000 },
        );
    });
});

const padding = `,"UserAgent":"${"x".repeat(6000)}"}`;
const large = () => firewallEvents(50_000).map((line) => line.slice(0, -1) + padding).join("\n");

test(
    "50,000 dropped records of 300 MB: streamed, the page answers meanwhile, cancel stops, memory is bounded",
    { tag: "@heavy" },
    async ({ page }, info) => {
        test.setTimeout(300_000);
        const name = info.outputPath("export.ndjson");
        writeFileSync(name, large());
        await page.locator("#log-file").setInputFiles(name);
        await expect(page.locator("#counts")).toContainText("records per second");
        await page.locator("summary", { hasText: "Options" }).first().click();
        await expect(page.locator("#fields")).toBeVisible();
        // The run is not at its end: the page answered meanwhile.
        await page.getByRole("button", { name: "Cancel" }).click();
        await expect(page.locator("#counts")).toContainText("Cancelled.");
        await expect(page.getByRole("button", { name: "Cancel" })).toBeHidden();

        const grown = await growth(async () => {
            await drop(page, name, "body");
            await expect(page.locator("#counts")).toContainText(
                /^Opened 49,500 of 50,000 records\. 500 could not/,
                { timeout: 240_000 },
            );
        });
        console.log(
            `${await page.locator("#counts").textContent()} Memory grew by ${
                Math.round(grown / 1e6)
            } MB.`,
        );
        // Less than the file, garbage that is not yet collected included.
        expect(statSync(name).size).toBeGreaterThan(300e6);
        expect(grown).toBeLessThan(statSync(name).size);
    },
);

test("a file is read to its end though the engine collects garbage meanwhile", { tag: "@garbage" },
    async ({ page }) => {
        const engine = await page.context().newCDPSession(page);
        const large = file(
            firewallEvents(100).map((line) => line.slice(0, -1) + padding).join("\n"),
        );
        let isOver = false;
        const collecting = (async () => {
            while (!isOver) await engine.send("HeapProfiler.collectGarbage");
        })();
        try {
            for (let i = 0; i < 20; i++) {
                await page.locator("#log-file").setInputFiles({ ...large, name: `export ${i}` });
                await expect(page.locator("#source")).toContainText(`export ${i}`);
                await expect(page.locator("#counts")).toContainText("Opened 99 of 100 records");
            }
        } finally {
            isOver = true;
            await collecting;
        }
    });

test("a file dropped on the key's card is a key", async ({ page }, info) => {
    const other = pqseal.generateKeyPair("mlkem768-x25519").privateKey;
    writeFileSync(info.outputPath("other.key"), other.export("line"));
    await drop(page, info.outputPath("other.key"), "#key-card");
    await expect(page.locator("#keys")).toContainText(
        `2 keys ready: x25519 5415100940c68e69, mlkem768-x25519 ${other.keyId}.`,
    );
});
