// Opened data has so much room in memory. What there is no room for is said, read again, and whole
// in exports.
import { readFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { BatchWriter } from "../src/batch.ts";
import type { FoundMembers } from "../src/found.ts";
import { Buffers } from "../src/recycle.ts";
import { Explorer } from "../src/store/explorer.ts";
import { Store } from "../src/store/store.ts";
import { addKey, open, sealed } from "./page.ts";

type Member = [name: string, value: string];

/** Members as the engine gives them. */
function membersOf(events: Member[][]): FoundMembers {
    const [columns, texts] = [new Map<string, number>(), new Map<string, number>()];
    const number = (of: Map<string, number>, text: string) => {
        if (!of.has(text)) of.set(text, of.size);
        return of.get(text)!;
    };
    const cells = events.map((event) =>
        event.flatMap(([name, value]) => [number(columns, name), number(texts, value)])
    );
    const endsOf = (lengths: number[]) => {
        let end = 0;
        return Uint32Array.from(lengths, (length) => end += length);
    };
    return {
        columns: [...columns.keys()],
        cells: Uint32Array.from(cells.flat()),
        cellEnds: endsOf(cells.map(({ length }) => length)),
        letters: new TextEncoder().encode([...texts.keys()].join("")),
        letterEnds: endsOf([...texts.keys()].map(({ length }) => length)),
        otherNumbers: new Uint32Array(),
        others: [],
    };
}

/** Rows that were not opened, each with its own members. */
function batchOf(events: Member[][]) {
    const batch = new BatchWriter(membersOf(events), events.length);
    for (const event of events.keys()) {
        batch.event(event);
        batch.row({
            record: 0,
            file: "",
            field: "",
            result: { ok: false, code: "no_key", message: "No." },
        }, event);
    }
    return batch.end((size) => new ArrayBuffer(size));
}
const query = { filters: [], text: "", regex: false };

test("rows, and columns of few cells, take no more memory than there is", () => {
    const batch = batchOf(Array.from({ length: 290 }, (_, i) => [[`name${i}`, "x"]]));
    const before = process.memoryUsage().arrayBuffers;
    const explorer = new Explorer();
    for (let i = 0; i < 9000; i++) explorer.store.add(batch, 290 * i, "");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(170_000_000);
    const { total, missing, partial } = explorer.select(query, []);
    expect(total + missing).toBe(290 * 9000);
    // Rows are listed even where their cells are not held.
    expect(total).toBeGreaterThan(1_000_000);
    expect(partial).toBeGreaterThan(100_000);
    expect(explorer.detail(5)).toMatchObject({ event: [["name5", "x"]], isWhole: true });
    expect(explorer.detail(total - 1)).toMatchObject({ event: [], isWhole: false });
});

test("names have no more room than other texts", () => {
    const store = new Store();
    for (let i = 0; i < 400; i++)
        store.add(batchOf([[[`${i}${"n".repeat(1_000_000)}`, "x"]]]), i, "");
    expect(store.columns.size).toBeLessThan(100);
    expect([...store.columns.keys(), ...store.leftOut].join("").length).toBeLessThan(100_000_000);
    expect(store.moreLeftOut).toBe(true);
    expect(store.size).toBe(400);
});

test("buffers are used again, and overwritten at the end", () => {
    const buffers = new Buffers();
    const [one, other] = [buffers.take(10), buffers.take(1_000_000)];
    new Uint8Array(one).fill(7);
    for (const buffer of [one, other]) buffers.give(buffer);
    expect(buffers.take(500_000)).toBe(other);
    expect(buffers.take(500_000)).not.toBe(one);
    expect(buffers.take(10)).toBe(one);
    // Node 20 gives no memory back, so that what was in it can be looked at.
    const { transfer } = ArrayBuffer.prototype as { transfer?: unknown };
    buffers.give(one);
    buffers.clear();
    expect(new Uint8Array(one).every((byte) => byte === 0)).toBe(true);
    expect(transfer === undefined || one.byteLength === 0).toBe(true);
    expect(buffers.take(10)).not.toBe(one);
});

/** In a page whose room is so many megabytes, which an option of the test's own chooses. */
async function load(page: Page, megabytes: number, records: string[]): Promise<void> {
    await page.goto("/");
    await addKey(page);
    await page.locator("#room").evaluate((field: HTMLSelectElement, megabytes) => {
        field.add(new Option("", String(megabytes)));
        field.value = String(megabytes);
    }, megabytes);
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from(records.join("\n")),
    });
    await expect(page.locator("#counts")).toContainText(
        `of ${records.length.toLocaleString("en")} records`,
    );
}
const lines = (page: Page) => page.locator("#lines tr");
async function saved(page: Page, name: string): Promise<string[]> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name }).click();
    return readFileSync(await (await download).path(), "utf8").trim().split(/\r?\n/);
}

test("the room is a part of the memory that the browser reports, within bounds", async ({ page }) => {
    await page.goto("/");
    const rooms = await page.evaluateHandle(() => {
        const rooms: (number | undefined)[] = [];
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function(
            message: { name?: string; ask: { room?: number } },
            ...rest: never[]
        ) {
            if (message.name === "run") rooms.push(message.ask.room);
            return post.call(this, message, ...rest);
        };
        return rooms;
    });
    const expected = [[undefined, undefined], [0.25, 64e6], [2, 128e6], [8, 512e6], [32, 1e9]];
    for (const [i, [gigabytes]] of expected.entries()) {
        await page.evaluate((value) => {
            Object.defineProperty(navigator, "deviceMemory", { value, configurable: true });
        }, gigabytes);
        await open(page, sealed("data"));
        await expect.poll(() => rooms.evaluate(({ length }) => length)).toBe(i + 1);
        await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
    }
    expect(await rooms.evaluate((rooms) => rooms.map((room) => room ?? null))).toEqual(
        expected.map(([, room]) => room ?? null),
    );
});

test(
    "what there was no room to keep is read again when it is chosen, whole in exports, and the page says so",
    { tag: "@route" },
    async ({ page }) => {
        const record = (i: number) =>
            JSON.stringify({
                RayID: `ray${i}`,
                Action: "x".repeat(5000),
                encrypted_matched_data: sealed(`payload ${i}: ${String(i).repeat(400)}`),
            });
        await load(page, 0.4, Array.from({ length: 9 }, (_, i) => record(i)));
        await expect(page.locator("#matched")).toContainText("payloads are not kept in memory");
        await expect(page.locator("#matched")).toContainText(
            "records have members that are not kept",
        );
        await expect(lines(page)).toHaveCount(9);
        await lines(page).nth(7).click();
        await expect(page.locator("#side pre")).toContainText("payload 7: 777");
        await expect(page.locator("#side-event")).toContainText("ray7");
        await lines(page).nth(0).click();
        await expect(page.locator("#side pre")).toContainText("payload 0: 000");
        const rows = await saved(page, "Save CSV");
        expect(rows[0]).toContain("\"Action\"");
        for (const [i, row] of rows.slice(1).entries()) {
            expect(row).toContain(`"ray${i}"`);
            expect(row).toContain("x".repeat(5000));
            expect(row).toContain(`payload ${i}: ${String(i).repeat(400)}`);
            expect(row).not.toContain("not kept");
        }
        expect(rows).toHaveLength(10);
    },
);

test("members without a column are read when they are asked for", { tag: "@route" },
    async ({ page }) => {
        const many = Object.fromEntries(
            Array.from({ length: 400 }, (_, i) => [`name${i}`, `value${i}`]),
        );
        await load(page, 160,
            Array(2).fill(JSON.stringify({ encrypted_matched_data: sealed("data"), ...many })));
        await expect(page.locator("#matched")).toContainText("members have no column");
        await lines(page).first().click();
        await expect(page.locator("#side-event")).not.toContainText("value399");
        await page.getByRole("button", { name: "Read them again" }).click();
        await expect(page.locator("#side-event")).toContainText("value399");
        await expect(page.getByRole("button", { name: "Read them again" })).toHaveCount(0);
        // Rows are not found by what has no column.
        await expect(
            page.locator("#side-event").getByRole("button", { name: "value399", exact: true }),
        ).toHaveCount(0);
        await page.locator("#side-event").getByRole("button", { name: "value0", exact: true })
            .click();
        await expect(page.locator("#matched")).toContainText("2 of 2 match.");
    });

test("the column with the most different texts makes room for the others, and is named", async ({ page }) => {
    const record = (i: number) =>
        JSON.stringify({
            RayID: `${i} ${"r".repeat(100)}`,
            RuleID: `rule ${i % 7}`,
            encrypted_matched_data: "truncated",
        });
    await load(page, 1, Array.from({ length: 4000 }, (_, i) => record(i)));
    const notes = page.locator("#matched");
    await expect(notes).toContainText("Out of room: RayID had the most different values");
    await expect(notes).not.toContainText("members that are not kept");
    const rules = page.locator("#tops table", { hasText: "RuleID" });
    await expect(rules).toContainText("7 values");
    const counts = await rules.locator("tbody tr td:nth-child(2)").allTextContents();
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(4000);
    await lines(page).first().click();
    await page.getByRole("button", { name: "Read them again" }).click();
    await expect(page.locator("#side-event")).toContainText("0 rrrr");
    expect((await saved(page, "Save NDJSON")).at(-1)).toContain("3999 rrrr");
});

test("a long value is cut, read whole when it is asked for, and filters in both forms", async ({ page }) => {
    const long = "n".repeat(5000);
    const record = (Note: string) =>
        JSON.stringify({ Note, encrypted_matched_data: sealed("data") });
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from([record(long), record(long), record("short")].join("\n")),
    });
    await expect(lines(page)).toHaveCount(3);
    await lines(page).first().click();
    const note = page.locator("#side-event button.value");
    await expect(note).toHaveText(`${"n".repeat(4096)}…`);
    await expect(page.locator("#side-partial")).toContainText("Long values are cut.");
    await note.click();
    await expect(page.locator("#matched")).toHaveText("2 of 3 match.");
    await page.getByRole("button", { name: /Remove the filter/ }).click();
    await page.getByRole("button", { name: "Read them again" }).click();
    await expect(note).toHaveText(long);
    await expect(page.locator("#side-partial")).toBeEmpty();
    await note.click();
    await expect(page.locator("#matched")).toHaveText("2 of 3 match.");
});

test("rows for which there is no room are said, and exported if nothing is filtered", {
    tag: "@route",
}, async ({ page }) => {
    await load(page, 0.005,
        Array.from({ length: 700 },
            (_, i) => JSON.stringify({ RayID: `ray${i}`, encrypted_matched_data: "truncated" })));
    await expect(page.locator("#matched")).toContainText(
        "188 more are not shown: there is no room in memory.",
    );
    expect(await saved(page, "Save NDJSON")).toHaveLength(700);
    await expect(page.locator("#run-error")).toBeEmpty();
    await page.getByRole("searchbox").fill("truncated");
    await expect(page.locator("#matched")).toContainText("512 of 512 match.");
    expect(await saved(page, "Save CSV")).toHaveLength(513);
    await expect(page.locator("#run-error")).toHaveText(
        "188 are not in the file: there was no room to keep them, so filters did not see them.",
    );
});
