// Records in a list of a document, as answers of an API have them: each with its own members,
// whatever is around the list.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { recordsOf, textsOf } from "../src/records.ts";
import { addKey, expectCounts, open, payloads, random, sealed } from "./page.ts";

const fields = new Set(["encrypted_matched_data", "matched_vars"]);

interface Event {
    RuleID: string;
    [member: string]: unknown;
}

const sealedIn: ((blob: string) => object)[] = [
    (blob) => ({ encrypted_matched_data: blob }),
    (blob) => ({ Metadata: { encrypted_matched_data: blob, version: 2 } }),
    (blob) => ({
        metadata: [{ key: "ruleset", value: "x" }, { key: "encrypted_matched_data", value: blob }],
    }),
    (blob) => ({ message: JSON.stringify({ inner: { encrypted_matched_data: blob } }) }),
    (blob) => ({ details: { encrypted_matched_data: blob, matched_vars: blob } }),
];

/** Lists in documents, as APIs have them. What is around them is of no event. */
const wrappers: ((events: unknown[], below: (n: number) => number) => unknown)[] = [
    (events) => ({ result: events, success: true, result_info: { page: 1 } }),
    (events) => ({
        data: { viewer: { zones: [{ firewallEventsAdaptive: events, zoneTag: "z" }] } },
        errors: null,
    }),
    (events) => ({
        took: 3,
        hits: {
            total: { value: events.length },
            hits: events.map((event) => ({ _index: "waf", _source: event })),
        },
    }),
    (events) => ({ pages: [[], events.slice(0, 1), events.slice(1)] }),
    (events) => ({
        zones: events.map((event) => ({ events: [event] })),
        other: [{ RuleID: "other" }],
    }),
    (events) => ({ body: JSON.stringify({ result: events }) }),
    (events) => ({ logs: events.map((event) => JSON.stringify(event)) }),
    (events) => ({ rows: events.map((event) => [JSON.stringify(event)]) }),
    (events) => ({
        data: {
            result: [{
                stream: { app: "waf" },
                values: events.map((event) => ["1795000000", JSON.stringify(event)]),
            }],
        },
    }),
    (events, below) => ({ ["x".repeat(below(900))]: { list: events } }),
];

/** An event with its own number in each value, and its blob named by it; some have none. */
function event(number: number, below: (n: number) => number): Event {
    const blob = sealedIn[below(sealedIn.length)]!(`blob-${number}-`);
    return {
        RuleID: `own-${number}-`,
        ...(below(3) > 0 && { ClientIP: `own-${number}-`, success: `own-${number}-` }),
        ...(below(2) > 0
            && {
                Ref: {
                    big: `own-${number}-`,
                    list: [`own-${number}-`],
                    objects: [{ a: `own-${number}-` }],
                },
            }),
        ...(number === 1 || below(4) > 0 ? blob : {}),
    };
}

/**
 * Finds errors in the records of a document with these events. `expect` itself would take minutes
 * for all of them.
 */
function wrongIn(json: string, events: Event[]): unknown[] {
    const read = recordsOf(json, fields)!;
    const texts = textsOf(json, fields);
    const opened = read.records.filter(({ found }) => found.length > 0);
    const isSealed = (event: Event) => JSON.stringify(event).includes("blob-");
    const wrong: unknown[] = [];
    if (read.isUnclear || texts.length !== read.records.length) wrong.push("texts", texts);
    if (opened.length !== events.filter(isSealed).length) wrong.push("records", read.records);
    for (const record of opened) {
        const number = Number(/\d+/.exec(record.found[0]!.blob)![0]);
        const isOwn = (text: string) => text === `own-${number}`;
        const members = record.members();
        const [own, text] = [Object.fromEntries(members), texts[read.records.indexOf(record)]!];
        if (!record.found.every(({ blob }) => blob === `blob-${number}-`)) wrong.push(record.found);
        if (
            !JSON.stringify(members).match(/own-\d+/g)?.every(isOwn)
            || (own.RuleID ?? own["_source.RuleID"]) !== `own-${number}-`
        ) wrong.push(members);
        if (!JSON.stringify(JSON.parse(text)).match(/own-\d+/g)?.every(isOwn)) wrong.push(text);
        // Documents have such a member too: it is not taken for an event's.
        if (
            own.RuleID && events.some(({ success }) => success)
            && own.success !== events[number - 1]!.success
        ) wrong.push(members);
    }
    return wrong;
}

test("no record has members of another one, whatever document they are in", () => {
    const below = random(1);
    for (let round = 0; round < 500; round++) {
        const events = Array.from({ length: 1 + below(6) }, (_, i) => event(i + 1, below));
        let document: unknown = wrappers[below(wrappers.length)]!(events, below);
        if (below(3) === 0) document = wrappers[below(wrappers.length)]!([document], below);
        const json = JSON.stringify(document, null, below(2));
        const wrong = wrongIn(json, events);
        if (wrong.length) expect(wrong, json).toEqual([]);
    }
});

test("a record in a list has what is around the list, unless its own or another record's members have that name", () => {
    const message = (id: string) => ({
        message: `m${id}`,
        details: { ruleId: id, encrypted_matched_data: `blob ${id}` },
    });
    const json = JSON.stringify({
        transaction: {
            client_ip: "192.0.2.1",
            request: { method: "GET" },
            message: "around",
            messages: [message("1"), message("2")],
            others: [{ a: 1 }],
        },
        message: "root",
    });
    const read = recordsOf(json, fields)!;
    const around = [["transaction.client_ip", "192.0.2.1"], ["transaction.request.method", "GET"], [
        "transaction.message",
        "around",
    ]];
    expect(read.records.map(({ members }) => members())).toEqual(
        ["1", "2"].map((id) => [["message", `m${id}`], ["details.ruleId", id], ...around]),
    );
    expect(read.records[0]!.around()).toEqual(around);
});

test("texts of records are as they came", () => {
    const first =
        "{ \"n\": 12345678901234567890, \"e\": 1.50, \"s\": \"a\\\\\\\"}]\", \"encrypted_matched_data\": \"x\" }";
    const second = "{\"__proto__\":{\"a\":1},\"encrypted_matched_data\":\"y\"}";
    expect(textsOf(`{"a":[{"not":"[this"}],"result":[ ${first} ,${second}, 5]}`, fields)).toEqual([
        first,
        second,
        "5",
    ]);
    const members = recordsOf(`{"result":[${first}]}`, fields)!.records[0]!.members();
    expect(members).toEqual([["n", "12345678901234567890"], ["e", "1.5"], ["s", "a\\\"}]"]]);
});

test("objects that are in no list: one record if each field is there once, else each by itself, with a doubt", () => {
    const one = recordsOf(
        JSON.stringify({
            RuleID: "r",
            a: { encrypted_matched_data: "1", x: 1 },
            b: { matched_vars: "2", y: 2 },
        }),
        fields,
    )!;
    expect(one.records).toHaveLength(1);
    expect(one.isUnclear).toBe(false);
    const events = {
        id1: { RuleID: "1", encrypted_matched_data: "1" },
        id2: { RuleID: "2", encrypted_matched_data: "2" },
        id3: { RuleID: "3" },
    };
    const several = recordsOf(JSON.stringify({ took: 3, events }), fields)!;
    expect(several.isUnclear).toBe(true);
    expect(several.records.map(({ found, members }) => [found[0]?.blob, members()])).toEqual([["1",
        [["RuleID", "1"], ["took", "3"]]], ["2", [["RuleID", "2"], ["took", "3"]]]]);
});

/** Lists, objects and JSON in texts within each other, with a sealed field somewhere. */
function nested(below: (n: number) => number, levels: number): unknown {
    const inner = () => nested(below, levels - 1);
    if (levels === 0) return below(2) ? below(9) : { encrypted_matched_data: "blob" };
    return [() => [inner()], () => [below(9), inner()], () => [inner(), inner()],
        () => ({ a: inner() }), () => JSON.stringify(inner())][below(5)]!();
}

test("what an attacker nests in a member ends no run: every record of the text has members", () => {
    const below = random(5);
    for (let i = 0; i < 5_000; i++) {
        const agent = JSON.stringify(nested(below, 1 + below(5)));
        const { records } = recordsOf(
            JSON.stringify({
                RuleID: "own",
                ClientRequestUserAgent: agent,
                encrypted_matched_data: "blob",
            }),
            fields,
        )!;
        expect(
            records.flatMap((record) => [...record.members(), ...record.around()]).some(([name]) =>
                name === "RuleID"
            ),
            agent,
        ).toBe(true);
    }
});

test("what is nested more deeply than any record is skipped, and so is the end of the engine's stack", () => {
    const deep = (n: number) => `${"[".repeat(n)}${"]".repeat(n)}`;
    for (const n of [900, 5000, 100_000]) {
        const read = recordsOf(`{"encrypted_matched_data":"x","deep":${deep(n)},"RuleID":"r"}`,
            fields)!;
        expect(read.records).toHaveLength(1);
        expect(read.records[0]!.members().at(-1)).toEqual(["RuleID", "r"]);
    }
});

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

    test("events that are in no list are shown apart, and the page says so", async ({ page }) => {
        const doubt =
            "1 record has one field in several objects outside a list: each is shown only with its own members: line 1.";
        await open(page, JSON.stringify({ events: { a: events[0], b: events[1] } }));
        await expect(page.locator("#run-error")).toHaveText(doubt);
        await expectCounts(page, "Opened 2 of 2 records.");
        await expect(page.locator("#lines tr").nth(1)).toContainText("192.0.2.2");
        await expect(page.locator("#lines tr").nth(1)).not.toContainText("192.0.2.1");
        await saved(page, "Save NDJSON");
        await expect(page.locator("#run-error")).toHaveText(doubt);
    });
});
