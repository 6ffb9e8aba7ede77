// Records in JSON arrays and in JSON over many lines: what is damaged is one record, with its
// place, and the next ones are read.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "@playwright/test";
import { type Block, type Splitter, placeIn } from "../src/blocks.ts";
import { splitterFor } from "../src/split.ts";
import { fromUtf8 } from "../src/transfer.ts";
import { addKey, open, payloads, sealed } from "./page.ts";

/** Each as `line:character text`. Slices of `width` bytes may end within a character. */
function split(text: string, width = Infinity, splitter: Splitter = splitterFor(text)): string[] {
    const bytes = new TextEncoder().encode(text);
    const each = Math.min(width, bytes.length);
    const slices = Array.from({ length: Math.ceil(bytes.length / each) },
        (_, i) => bytes.subarray(i * each, (i + 1) * each));
    return [...slices.flatMap((slice) => shown(splitter.feed(slice))), ...shown(splitter.end())];
}

const shown = (blocks: Iterable<Block>) =>
    [...blocks].flatMap((block) =>
        fromUtf8(block.records).map((text, i) => {
            const { line, column } = placeIn(block, i);
            return `${line}:${column} ${text}`;
        })
    );

const cases: [name: string, text: string, pieces: string[]][] = [
    ["scalars", "[\"a\",\"b\\\"\",5,\nnull]", ["1:2 \"a\"", "1:6 \"b\\\"\"", "1:12 5", "2:1 null"]],
    ["an array and objects after it", "[1]\n[{\"a\":1}]\n{\"b\":1}\ntext", ["1:2 1",
        "2:2 {\"a\":1}", "3:1 {\"b\":1}", "4:1 text"]],
    ["arrays in an array", "[[{\"a\":1}],[2]]", ["1:2 [{\"a\":1}]", "1:12 [2]"]],
    ["nothing", "[ ]", []],
    ["a brace too many", "[{\"a\":1}}, {\"b\":2}]", ["1:2 {\"a\":1}", "1:9 }", "1:12 {\"b\":2}"]],
    ["a bracket too many", "[{\"a\":1], \"b\":2}, {\"c\":3}]", ["1:2 {\"a\":1", "1:11 \"b\":2}",
        "1:19 {\"c\":3}", "1:26 ]"]],
    ["no brace at the end", "[{\"a\":1, {\"b\":2}, {\"c\":3}]", ["1:2 {\"a\":1,", "1:10 {\"b\":2}",
        "1:19 {\"c\":3}"]],
    ["no brace at the end of a member",
        "[\n  {\n    \"a\": {\n      \"x\": 1\n  },\n  {\n    \"b\": 2\n  }\n]\n", [
        "2:3 {\n    \"a\": {\n      \"x\": 1\n  },",
        "6:3 {\n    \"b\": 2\n  }",
    ]],
    ["no brace at the beginning", "[\"a\":1}, {\"b\":2}]", ["1:2 \"a\":1}", "1:10 {\"b\":2}"]],
    ["no bracket at the end", "[{\"a\":[1,2}, {\"b\":2}]", ["1:2 {\"a\":[1,2}", "1:14 {\"b\":2}"]],
    ["no bracket and no brace", "[\n{\"a\":[1,\n{\"b\":2},\n{\"c\":3}\n]", [
        "2:1 {\"a\":[1,\n{\"b\":2},\n{\"c\":3}\n]",
        "3:1 {\"b\":2}",
        "4:1 {\"c\":3}",
    ]],
    ["no comma", "[{\"a\":1} {\"b\":2}]", ["1:2 {\"a\":1}", "1:10 {\"b\":2}"]],
    ["no quote", "[{\"a\":\"x},{\"b\":\"y\"},{\"c\":1}]", ["1:2 {\"a\":\"x},{\"b",
        "1:11 {\"b\":\"y\"}", "1:21 {\"c\":1}"]],
    ["no quote in a line", "[\n{\"a\":\"x},\n{\"b\":\"y\"}\n]", ["2:1 {\"a\":\"x},",
        "3:1 {\"b\":\"y\"}"]],
    ["text between elements", "[{\"a\":1}, xyz, {\"b\":2} xyz]", ["1:2 {\"a\":1}", "1:11 xyz",
        "1:16 {\"b\":2}", "1:24 xyz"]],
    ["over many lines, no quote", "{\n\"a\":\"x\n}\n{\n\"b\":1}\n", ["1:1 {\n\"a\":\"x",
        "4:1 {\n\"b\":1}"]],
    ["over many lines, text between", "{\n\"a\":1}\nAQblob\n{\"b\":[{\"c\":1},{\"d\":2}]}", [
        "1:1 {\n\"a\":1}",
        "3:1 AQblob",
        "4:1 {\"b\":[{\"c\":1},{\"d\":2}]}",
    ]],
    ["characters of many bytes in an array", "[\"é\",\n\"…😀\"]", ["1:2 \"é\"", "2:1 \"…😀\""]],
    ["characters of many bytes in lines", "\"é\"\n\u00a0\n\u2028 \n\"…😀\"", ["1:1 \"é\"",
        "4:1 \"…😀\""]],
    ["lines", "\n{\"a\":1}\n\n{\"b\":\n{\"c\":1}", ["2:1 {\"a\":1}", "4:1 {\"b\":",
        "5:1 {\"c\":1}"]],
];

for (const [name, text, pieces] of cases)
    test(`${name}, wherever slices end`, () => {
        for (const width of [Infinity, 1, 7])
            expect(split(text, width, splitterFor(text)), String(width)).toEqual(pieces);
    });

test("an array without an end is told", () => {
    for (const [text, told] of [["[{\"a\":1}", true], ["[{\"a\":1}]", false]] as const) {
        const splitter = splitterFor(text);
        split(text, Infinity, splitter);
        expect(splitter.problem !== undefined).toBe(told);
    }
});

test("damage on purpose is not looked through again and again", () => {
    test.setTimeout(600_000);
    const { test: real } = RegExp.prototype;
    let marks = 0;
    RegExp.prototype.test = function(text) {
        marks++;
        return real.call(this, text);
    };
    try {
        for (
            const part of ["[", "{\"a\":[", "\n{\"a\":[", "{\"", "\"", "},{\"a\":[{\"b\":\"",
                "\n{\n", "\"\n", "]}", "{\"a\":\"x},"]
        )
            split(`[${part.repeat(500_000 / part.length)}`, 100_000);
    } finally {
        RegExp.prototype.test = real;
    }
    expect(marks).toBeLessThan(100_000_000);
});

test("lines are given in blocks that are not large, but for one record that is", () => {
    const lines = [...Array<string>(250).fill("short"), "x".repeat(300_000),
        ...Array<string>(50).fill("y".repeat(10_000))];
    const bytes = new TextEncoder().encode(lines.join("\n"));
    const splitter = splitterFor("short");
    const blocks = [...splitter.feed(bytes), ...splitter.end()].map(({ records }) =>
        fromUtf8(records)
    );
    expect(blocks.flat()).toEqual(lines);
    for (const block of blocks) {
        expect(block.length).toBeLessThanOrEqual(100);
        expect(block.slice(0, -1).join("").length).toBeLessThan(1 << 17);
    }
});

test("a large array is split", () => {
    const record = JSON.stringify({
        RayID: "8f2a",
        Action: "block",
        Metadata: { blob: "A".repeat(300), n: [1, 2, 3] },
        path: "/a?b=c,d:e",
    });
    // What is given out is not looked at again: that would take minutes.
    expect(split(`[${Array(100_000).fill(record).join(",\n")}]`, 1 << 20)).toHaveLength(100_000);
});

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
            "a.json: 2 records are neither JSON nor base64, and could not be read: line 2; line 4, character 2.",
            "b.json.gz: The JSON array has no end: it may have been cut off. The records before that were read.",
            "c.ndjson: 7 records are neither JSON nor base64, and could not be read: line 3; line 4; line 5; line 6; line 7; and 2 more.",
        ].join("\n");
        await expect(page.locator("#run-error")).toHaveText(problems);
        await expect(page.locator("#counts")).toContainText(
            "Opened 4 of 13 records. 9 could not be opened.",
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
