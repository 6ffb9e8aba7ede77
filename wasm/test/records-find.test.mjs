// The sealed fields that the page finds, and the lines that it saves, by the module for records.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { KeyRing, PrivateKey } from "../pkg/dist/index.js";
import { RecordFinder, startSync } from "../pkg/records/slim.js";
import { BLOB, KEY } from "./published.mjs";

startSync(readFileSync(new URL("../pkg/records/core_bg.wasm", import.meta.url)));
const names = ["encrypted_matched_data", "matched_vars"];
const finder = new RecordFinder(names);
const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
/** The numbers of records, which only results apart from them need. */
const none = new Uint32Array();

/** Texts as bytes, one after the other, and the end of each. */
function packed(texts) {
    const parts = texts.map((text) => encoder.encode(text));
    let end = 0;
    const ends = Uint32Array.from(parts, ({ length }) => end += length);
    return [Buffer.concat(parts), ends];
}

const find = (records, hasEvents = true, longest = 4096) =>
    finder.find(...packed(records), hasEvents, longest);

/** The values of found rows: the text, or what else the row is. */
function rowsOf({ fields, states, problems, values, valueEnds }) {
    let value = 0;
    return Array.from(states, (state, row) => {
        if (state === 2) return "absent";
        if (state > 2) return problems[state - 3].code;
        const text = decoder.decode(values.subarray(valueEnds[value - 1] ?? 0, valueEnds[value]));
        value++;
        return `${names[fields[row]] ?? "alone"} ${text}`;
    });
}

/** The members of each event. */
function membersOf({ members }) {
    const { columns, cells, cellEnds, letters, letterEnds, otherNumbers, others } = members;
    const text = (number) =>
        otherNumbers.includes(number)
            ? others[otherNumbers.indexOf(number)]
            : Buffer.from(letters.subarray(letterEnds[number - 1] ?? 0, letterEnds[number]))
                .toString("latin1");
    return Array.from(cellEnds, (end, event) => {
        const own = cells.subarray(cellEnds[event - 1] ?? 0, end);
        return Array.from({ length: own.length / 2 },
            (_, i) => [columns[own[2 * i]], text(own[2 * i + 1])]);
    });
}

test("each record is a row, or several", () => {
    const records = ["{\"encrypted_matched_data\":\"a\",\"x\":{\"matched_vars\":\"b\"}}",
        "{\"a\":1}", "{\"encrypted_matched_data\":null}", "{\"encrypted_matched_data\":[\"x\"]}",
        "{\"cut\":", "'word',", "\"\\u0077ord\"", "truncated", " {} \r", "-5", "null"];
    const found = find(records);
    assert.deepEqual([...found.events], records.map(() => 1));
    assert.deepEqual([...found.rows], [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    assert.deepEqual(rowsOf(found), ["encrypted_matched_data a", "matched_vars b", "absent",
        "absent", "not_a_string", "bad_json", "alone word", "alone word", "alone truncated",
        "absent", "absent", "absent"]);
});

test("items of an array with fields are events, with the members around it", () => {
    const document = JSON.stringify({
        transaction: { ip: "é ☃", message: "around", list: [{ a: 1 }] },
        message: "root",
        events: [{ message: "1", encrypted_matched_data: "x" }, { message: "2", big: 1e20 }],
    });
    const found = find([document]);
    assert.deepEqual([...found.events], [2]);
    assert.deepEqual(rowsOf(found), ["encrypted_matched_data x", "absent"]);
    const around = [["transaction.ip", "é ☃"], ["transaction.message", "around"]];
    assert.deepEqual(membersOf(found), [[["message", "1"], ...around], [["message", "2"], ["big",
        "100000000000000000000"], ...around]]);
    // A row of a table is one, and so is a document with a field outside of the array.
    assert.deepEqual([...find([document], false).events], [1]);
    const outside = document.replace("\"root\"", "\"root\",\"matched_vars\":\"y\"");
    assert.deepEqual(rowsOf(find([outside])), ["matched_vars y", "encrypted_matched_data x"]);
});

test("long values are cut at characters", () => {
    const found = find(["{\"a\":\"abcde\",\"b\":\"ab☃☃\",\"c\":\"a😀😀\",\"d\":\"abcd\"}"], true,
        4);
    assert.deepEqual(membersOf(found), [[["a", "abcd…"], ["b", "ab☃☃"], ["c", "a😀…"], ["d",
        "abcd"]]]);
});

const key = PrivateKey.parse(encoder.encode(KEY));
const ring = new KeyRing();
ring.add(key);

/** Opens all that was found. */
function answer(found) {
    const { plaintexts, ends, errors } = ring.openPacked(found.values, found.valueEnds);
    const failed = errors.values();
    const codes = Array.from(ends,
        (end, i) => end > (ends[i - 1] ?? 0) ? "" : failed.next().value.code);
    return { events: new Uint8Array(found.rows.length).fill(1), plaintexts, ends, codes };
}

const lines = [`{"a": 1, "encrypted_matched_data": "${BLOB}" , "z":2}`,
    `{"log":"{\\"encrypted_matched_data\\":\\"${BLOB}\\"}\\n"}`, "{\"a\":1}", "{\"cut\":",
    "{\"a\":1,\"encrypted_matched_data\":\"truncated\",\"b\":2}",
    `{"metadata":[{"key":"encrypted_matched_data","value":"${BLOB}"},{"key":"x","value":"y"}]}`,
    `{"encrypted_matched_data":"${BLOB}","decrypted_matched_data":"was there"}`,
    `{"encrypted_matched_data":"${BLOB}","x":1,"decrypt_status":"no_key_matched"}`,
    "{\"e\":[\"x\"],\"encrypted_matched_data\":[\"x\"]}"];

test("lines are those of the command line", { skip: !process.env.PQSEAL_BIN }, (t) => {
    const written = decoder.decode(finder.write(...packed(lines), true, none, answer));
    const folder = mkdtempSync(join(tmpdir(), "pqseal-"));
    t.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "key"), KEY, { mode: 0o600 });
    const { stdout } = spawnSync(join(process.env.PQSEAL_BIN, "pqseal"), ["logs", "open", "-k",
        "key"], { cwd: folder, input: `${lines.join("\n")}\n`, encoding: "utf8" });
    assert.deepEqual(written.split("\n"), stdout.split("\n"));
});

test("only wanted events are written, and what is thrown comes back", () => {
    const [bytes, ends] = packed([
        `{"result":[{"n":1,"encrypted_matched_data":"${BLOB}"},\n{"n":2}]}`,
        BLOB,
    ]);
    const second = (found) => ({ ...answer(found), events: Uint8Array.of(0, 1, 1) });
    const [event, alone, end] = decoder.decode(finder.write(bytes, ends, true, none, second)).split(
        "\n",
    );
    assert.equal(event, "{\"n\":2}");
    assert.match(alone, /^\{"encrypted_matched_data":".*","decrypted_matched_data":"/);
    assert.equal(end, "");
    assert.equal(finder.write(bytes, ends, true, none, () => undefined), undefined);
    assert.throws(() =>
        finder.write(bytes, ends, true, none, () => {
            throw new Error("mine");
        }), /mine/);
});

test("with a preset every value is passed on, and results of receipts are apart from them", () => {
    const found = (kind, record) => {
        const finder = new RecordFinder(["a_disclosure", "b"], kind);
        const { states, problems, values } = finder.find(...packed([record]), false, 0);
        finder.free();
        return [...states, ...problems.map(({ code }) => code), decoder.decode(values)];
    };
    const record = "{\"a_disclosure\":{\"x\":1},\"b\":[1]}";
    assert.deepEqual(found(undefined, record), [1, 3, "not_a_string", "{\"x\":1}"]);
    assert.deepEqual(found("ai-gateway", record), [1, 0, "{\"x\":1}[1]"]);
    const finder = new RecordFinder(["a_disclosure", "b_disclosure"], "agent-receipt");
    const records = [`{"id":"r1",\n"a_disclosure":"x","b_disclosure":"y","a":{"b_disclosure":""}}`,
        "no JSON", "{}"];
    const answer = () => ({
        events: Uint8Array.of(1, 1, 1),
        plaintexts: encoder.encode("{\"z\":1}"),
        ends: Uint32Array.of(7, 7),
        codes: ["", "bad_iv"],
    });
    const lines = finder.write(...packed(records), true, Uint32Array.of(5, 7, 8), answer);
    assert.deepEqual(decoder.decode(lines).split("\n"), [
        "{\"receipt\":\"r1\",\"record\":5,\"a\":{\"z\":1},\"b_status\":\"bad_iv\"}",
        "{\"record\":7,\"status\":\"bad_json\"}",
        "{\"record\":8}",
        "",
    ]);
    finder.free();
});
