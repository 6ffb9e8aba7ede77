// The module that reads records for the page, against the command line: the same records, wherever
// pieces end, and the same ones damaged.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { RecordReader, startSync } from "../pkg/records/slim.js";
import { BLOB, KEY } from "./published.mjs";

startSync(readFileSync(new URL("../pkg/records/core_bg.wasm", import.meta.url)));
const fields = ["encrypted_matched_data", "matched_vars"];
const decoder = new TextDecoder();

/** Reads an input in pieces of this size: its blocks, and the reader at the end. */
function blocksOf(bytes, name = "", size = Infinity) {
    const reader = RecordReader.of(bytes, name, fields);
    const blocks = [];
    const take = () => {
        for (let block = reader.nextBlock(); block; block = reader.nextBlock()) blocks.push(block);
    };
    for (let at = 0; at < bytes.length; at += Math.min(size, bytes.length)) {
        reader.feed(bytes.subarray(at, at + size));
        take();
    }
    reader.end();
    take();
    return { blocks, reader };
}

/** Each record as `line:character text`. */
const recordsOf = (blocks) =>
    blocks.flatMap(({ records: { bytes, ends }, lines, columns }) =>
        Array.from(ends, (end, i) =>
            `${lines[i]}:${columns[i]} ${decoder.decode(bytes.subarray(ends[i - 1] ?? 0, end))}`)
    );

const read = (text, name, size) =>
    recordsOf(blocksOf(new TextEncoder().encode(text), name, size).blocks);

const cases = {
    "lines": ["\ufeff\n{\"a\":1}\r\n\n{\"b\":\nx", "", ["2:1 {\"a\":1}\r", "4:1 {\"b\":", "5:1 x"]],
    "an array": ["[{\"a\":1},\n \"é\", {\"b\":\"x},\n {\"c\":1}]", "", ["1:2 {\"a\":1}",
        "2:2 \"é\"", "2:7 {\"b\":\"x}", "3:2 {\"c\":1}"]],
    "JSON over many lines": ["{\n \"a\":1\n}\n{}\n", "", ["1:1 {\n \"a\":1\n}", "4:1 {}"]],
    "JSON text sequences": ["\u001e{\n\"a\":1}\n\u001e{}\n", "", ["1:1 {\n\"a\":1}", "3:1 {}"]],
    "a table by its header": ["n;x.matched_vars\r\n1;\"A\"\"\n;\"\r\n\r\n2;\n", "", [
        "2:1 {\"n\":\"1\",\"x.matched_vars\":{\"matched_vars\":\"A\\\"\\n;\"}}",
        "5:1 {\"n\":\"2\",\"x.matched_vars\":{\"matched_vars\":null}}",
    ]],
    "a table by its name": ["n\nA\n", "a.csv.gz", ["2:1 {\"n\":\"A\"}"]],
    "a delimiter that is declared": ["sep=|\nn|m\n1|2\n", "a.csv", [
        "3:1 {\"n\":\"1\",\"m\":\"2\"}",
    ]],
    "lines of a table that are no rows": ["a,b\n\"x\"y,1\n2,3\n", "", ["2:1 \"x\"y,1",
        "3:1 {\"a\":\"2\",\"b\":\"3\"}"]],
    "a header that is no row": ["\"a\"b,c\n1,2\n", "a.csv", ["2:1 1,2"]],
};
for (const [name, [text, file, expected]] of Object.entries(cases))
    test(`${name}, wherever pieces end`, () => {
        for (const size of [Infinity, 1, 7]) assert.deepEqual(read(text, file, size), expected);
    });

test("what is known at the end is told", () => {
    const ended = (text, name) => blocksOf(new TextEncoder().encode(text), name).reader;
    assert.equal(ended("[{}]").isArrayOpen, false);
    assert.equal(ended("[{}").isArrayOpen, true);
    assert.equal(ended("a,b\n1,\"\n2,3\n").openQuote, 2);
    assert.equal(ended("a,\"b\n1,2\n", "a.csv").openQuote, 1);
    assert.equal(ended("a,b\n1,\"x\"y").openQuote, undefined);
    assert.deepEqual(ended("a,,a\n").columns, ["a", "column 2", "a (2)"]);
    assert.equal(ended("{}").columns, undefined);
    assert.equal(RecordReader.of(Uint8Array.of(1, 0, 2, 0), "", fields), undefined);
    assert.equal(RecordReader.of(Uint8Array.of(0x1f, 0x8b, 8, 0), "a.csv", fields), undefined);
});

test("a record larger than 64 MiB is told, and is in no block", () => {
    const piece = new Uint8Array(1 << 20).fill(0x78);
    const reader = RecordReader.of(piece, "", fields);
    let pieces = 0;
    for (; !reader.isTooLarge && pieces < 70; pieces++) {
        reader.feed(piece);
        assert.equal(reader.nextBlock(), undefined);
    }
    assert.equal(pieces, 66);
});

test("blocks are not large, but for one record that is", () => {
    const lines = [...Array(250).fill("short"), "x".repeat(300_000),
        ...Array(50).fill("y".repeat(10_000))];
    const { blocks } = blocksOf(new TextEncoder().encode(lines.join("\n")));
    assert.deepEqual(recordsOf(blocks), lines.map((line, i) => `${i + 1}:1 ${line}`));
    for (const { records: { ends } } of blocks) {
        assert.ok(ends.length <= 200);
        assert.ok((ends.at(-2) ?? 0) < 1 << 19);
    }
});

/** Numbers below others, the same in every run. */
let state = 88172645;
function below(end) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % end;
}
const oneOf = (all) => all[below(all.length)];

function value(depth = 0) {
    const inner = () => value(depth + 1);
    const kinds = [() => "null", () => "-1.5e400", () => "\"\\ud800 \\u00e9\\n\"",
        () => `"${oneOf(["", "é", "[x] {y}", "}, {\\\"a\\\":1}"])}"`,
        () => `{"a":${inner()},"encrypted_matched_data":${oneOf(["", " "])}"${BLOB}"}`,
        () => `[{"key":"encrypted_matched_data","value":"${BLOB}"},${inner()}]`,
        () => `{"log":${JSON.stringify(inner() + oneOf(["", "\n"]))}}`,
        () => `{"b":${inner()},\n "c":${inner()}}`, () => `[${inner()}, ${inner()}]`];
    return kinds[below(depth > 4 ? 4 : kinds.length)]();
}

/** Damages a text: cut, or with something in it that does not belong there. */
function damaged(text) {
    const at = below(text.length);
    return text.slice(0, at) + (below(2)
        ? ""
        : oneOf(["\"", "{", "}", "[", "]", ",", ":", "x", "\n"]) + text.slice(at));
}

test("text of brackets, quotes and commas, wherever pieces end", () => {
    const marks = ["{", "{", "}", "}", "[", "]", ",", ":", "\"", "\"", "\\", "\n", " ", "a", "1",
        "é", "},\n{\"a\":", "\n  {\"b\":[1", "\"x\":"];
    for (let round = 0; round < 3000; round++) {
        const text = `${oneOf(["[", "{\n", "[\n  {"])}${
            Array.from({ length: below(60) }, () => oneOf(marks)).join("")
        }`;
        const whole = read(text);
        for (const size of [1, 2, 3 + below(20)])
            assert.deepEqual(read(text, "", size), whole, JSON.stringify([text, size]));
    }
});

/** Rows of two cells, of which one may have text after its quotes. */
const row = () => `${below(9)},"${value().replaceAll("\"", "\"\"")}"${below(4) ? "" : "x"}`;

const inputs = Array.from({ length: 520 }, (_, number) => {
    const records = Array.from({ length: 1 + below(6) }, () => value()).map((record) =>
        below(4) ? record : damaged(record)
    );
    const inLines = records.map((record) => record.replaceAll("\n", ""));
    const [ending, text] = [
        () => ["ndjson", inLines.join(oneOf(["\n", "\r\n", "\n\n"]))],
        () => ["json", `[${records.join(oneOf([",", ",\n", " ,\n  "]))}]\n`],
        () => ["json", records.map((record) => `{\n"r":${record}\n}\n`).join("")],
        () => ["seq", records.map((record) => `\u001e${record}\n`).join("")],
        () => ["csv", ["n,Metadata", ...records.map(row)].join("\r\n")],
    ][number % 5]();
    return { name: `${String(number).padStart(3, "0")}.${ending}`, text };
}).filter(({ name, text }) =>
    // The command line ends with an error at an array without an end.
    !blocksOf(new TextEncoder().encode(text), name).reader.isArrayOpen
);

const isJson = (text) => {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
};

/**
 * The number of records, and those that are no JSON, with their numbers as the command line has
 * them: among values, or of the line.
 */
function byModule({ name, text }) {
    const areValues = /^(?:\[|\{\n)/.test(text);
    const { blocks } = blocksOf(new TextEncoder().encode(text), name);
    const lines = blocks.flatMap((block) => [...block.lines]);
    const records = recordsOf(blocks).map((record) => record.slice(record.indexOf(" ") + 1));
    const damaged = records.flatMap((record, i) =>
        isJson(record)
            ? []
            : [`${name}:${areValues ? i + 1 : lines[i]} ${record.trimEnd()}`]
    );
    return { records: records.length, damaged };
}

test("the command line finds the same records, and the same ones damaged", {
    skip: !process.env.PQSEAL_BIN,
}, (t) => {
    const folder = mkdtempSync(join(tmpdir(), "pqseal-"));
    t.after(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "in"));
    for (const { name, text } of inputs) writeFileSync(join(folder, "in", name), text);
    writeFileSync(join(folder, "key"), KEY, { mode: 0o600 });
    const { stdout, stderr } = spawnSync(join(process.env.PQSEAL_BIN, "pqseal"), ["logs", "open",
        "-k", "key", "--stats", "json", "--dead-letter", "dead", "in/", "-o", "out/"], {
        cwd: folder,
        encoding: "utf8",
    });
    const stats = JSON.parse(
        `${stdout}${stderr}`.split("\n").find((line) => line.startsWith("{\"records\"")),
    );
    const dead = readFileSync(join(folder, "dead"), "utf8").trim().split("\n").map((line) =>
        JSON.parse(line)
    ).filter(({ code }) => code === "bad_json" || code === "bad_row");
    const all = inputs.map(byModule);
    assert.deepEqual(
        all.flatMap(({ damaged }) => damaged),
        dead.map(({ source, line, record_text: text }) =>
            `${source.replace(/.*\//, "")}:${line} ${text.trimEnd()}`
        ).sort((a, b) => Number(a.slice(0, 3)) - Number(b.slice(0, 3))),
    );
    assert.ok(inputs.length > 400, `${inputs.length} inputs`);
    assert.equal(stats.records, all.reduce((sum, { records }) => sum + records, 0));
    assert.ok(["bad_json", "bad_row"].every((code) => stats.failed_by_code[code] > 50));
});
