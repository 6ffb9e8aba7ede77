// Calendars of the kit: periods, sealing at a time, opening with private, shredded and lent ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as core from "../pkg/dist/index.js";
import * as full from "../pkg/dist/full/index.js";

const { Calendar, KeyRing, PrivateKey, inspect, open, seal } = full;

const kit = JSON.parse(readFileSync(
    new URL("../../test-vectors/kit/calendars/answers.json", import.meta.url),
    "utf8",
));
const utf8 = (text) => new TextEncoder().encode(text);
const fails = (code, call, says = "") =>
    assert.throws(call, (error) => {
        assert.equal(error.code, code, error.message);
        assert.ok(error.message.includes(says), error.message);
        return true;
    });

for (const group of kit.testGroups) {
    const [first] = group.periods;
    const kem = group.tests[0].file.split(" ")[3];
    test(`${kem}: every file of a calendar`, () => {
        for (const { file, states, comment } of group.tests) {
            const calendar = Calendar.parse(comment === "public" ? file : utf8(file));
            assert.deepEqual([calendar.id, calendar.name, calendar.kem], [group.id, group.name,
                kem]);
            assert.equal(calendar.isPrivate, !comment.includes("public"));
            const periods = calendar.periods();
            assert.deepEqual(periods.map(({ state }) => state), states);
            for (const [at, period] of periods.entries()) {
                const { keyId, start, unix } = group.periods[at];
                assert.deepEqual([period.keyId, period.name, period.start], [keyId, start,
                    unix * 1000]);
                assert.deepEqual(calendar.periodAt(new Date(period.start)), period);
                assert.deepEqual(calendar.periodAt(period.end - 1), period);
            }
            calendar.free();
        }
    });
    test(`${kem}: sealed to each period, opened by those who have its key`, () => {
        const [whole, calendar, , lent] = group.tests.map(({ file }) => Calendar.parse(file));
        const [all, few] = [new KeyRing(), new KeyRing()];
        all.addCalendar(whole);
        few.addCalendar(lent);
        for (const handle of [whole, lent]) handle.free();
        const codes = ["key_shredded", "key_shredded", "key_not_lent", "opened"];
        for (const [at, { start, keyId }] of calendar.periods().entries()) {
            const options = { aad: utf8("3") };
            const blob = calendar.seal(start + 17, utf8("GET"), options);
            assert.deepEqual([inspect(blob).version, inspect(blob).keyId], [4, keyId]);
            assert.equal(all.open(blob, options).keyId, keyId);
            const [result] = few.openMany([blob], options);
            assert.equal(result.ok ? "opened" : result.error.code, codes[at]);
            const day = group.periods[at].start;
            if (!result.ok) assert.ok(result.error.message.includes(`${day} of ${group.name}`));
            assert.ok(open(blob, PrivateKey.parse(group.tests[0].file.split("\n")[at + 1]
                .split(" ")[2]), options).length === 3);
        }
        fails("no_period", () => calendar.seal(first.unix * 1000 - 1, utf8("")));
        fails("no_period", () => calendar.periodAt(Number.MAX_VALUE));
        fails("no_period", () => calendar.seal(-1, utf8("")));
        for (const time of [undefined, null, "2026-12-07", NaN, 1n, Symbol("now"), {}])
            fails("bad_argument", () => calendar.periodAt(time));
        fails("bad_argument", () => calendar.seal(first.unix * 1000, utf8(""), { version: 3 }),
            "4");
    });
}

test("a private calendar does not seal, and a public one does not open", () => {
    const [whole, calendar] = kit.testGroups[0].tests.map(({ file }) => Calendar.parse(file));
    const time = kit.testGroups[0].periods[0].unix * 1000;
    fails("bad_key", () => whole.seal(time, utf8("")), "calendar public");
    fails("bad_key", () => new KeyRing().addCalendar(calendar), "public calendar");
    const { file } = kit.testGroups[0].tests[1];
    fails("bad_key", () => seal(file, utf8("")), "calendar");
    fails("bad_key", () => PrivateKey.parse(file), "calendar");
    fails("bad_key", () => Calendar.parse("pqseal-calendar 1"), "");
    fails("bad_argument", () => Calendar.parse(1));
});

// A quick build of core has what full has.
const isWhole = core.suites().kems.some(({ name }) => name === "p256");
test("core says where calendars are, and takes those of full after load()", { skip: isWhole },
    async () => {
        const [{ file }, sealing] = kit.testGroups[0].tests;
        fails("not_loaded", () => core.Calendar.parse(file), "await load()");
        const before = new core.KeyRing();
        await core.load();
        const calendar = core.Calendar.parse(file);
        assert.ok(calendar instanceof core.Calendar && calendar instanceof Calendar);
        fails("bad_argument", () => before.addCalendar(calendar), "after load()");
        fails("bad_argument", () => new core.KeyRing().addCalendar(file), "must be a Calendar");
        const ring = new core.KeyRing();
        ring.addCalendar(calendar);
        const time = kit.testGroups[0].periods[0].unix * 1000;
        const blob = core.Calendar.parse(sealing.file).seal(time, utf8("GET"));
        assert.equal(ring.open(blob).keyId, kit.testGroups[0].periods[0].keyId);
    });
