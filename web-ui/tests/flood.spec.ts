// Data of attackers neither stops the page nor hides what is beside it, however long or deep it is.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { decodings } from "../src/explore/decode.ts";
import { defanged } from "../src/explore/defang.ts";
import { deepest, most, slice } from "../src/explore/most.ts";
import { quoted } from "../src/explore/quoted.ts";
import { harmless } from "../src/spreadsheet.ts";
import { matchesOf, parsed } from "../src/store/members.ts";
import { unwrapped } from "../src/unwrap.ts";
import { inOneLine } from "../src/visible.ts";
import { addKey, expectCounts, open, panel, path, payloads, random, sealed } from "./page.ts";

/**
 * Elements and characters that a row has in any case: its cells, buttons, notes, and bytes as
 * hexadecimal.
 */
const always = { elements: 120, characters: 10_000 };
const ofRow = {
    elements: most.matches().elements + most.text().elements + most.beside().elements
        + always.elements,
    characters: most.matches().characters + most.text().characters + most.beside().characters
        + always.characters,
    /** Of elements. */
    depth: deepest + 12,
};
const ofSide = {
    elements: ofRow.elements + most.members().elements,
    characters: ofRow.characters + most.members().characters,
    depth: ofRow.depth,
};
const ofTask = {
    elements: slice.elements + ofRow.elements,
    characters: slice.characters + ofRow.characters,
};

const hidden = ["\0", "\u001b", "\u202e", "\u202d", "\u2066", "\u200b", "\u{e0041}", "\u00a0",
    "\ufeff"];
const letters = ["A", "\u0301", "é", "😀", "\"", "\\", "%41", "⟦", "\t", "\n", " ", ...hidden];

type Below = (below: number) => number;
const pick = <T>(from: readonly T[], below: Below): T => from[below(from.length)]!;

/** Texts that are hard to show, each in its own way. */
const texts: ((length: number, below: Below) => string)[] = [
    (length, below) => pick(letters, below).repeat(length),
    (length, below) => Array.from({ length }, () => pick(hidden, below)).join(""),
    (length, below) => Array.from({ length }, () => pick(letters, below)).join(""),
    (length, below) =>
        Array.from({ length: length / 100 }, () => `e${"\u0301".repeat(below(200))}`).join(""),
    (length, below) =>
        Array.from({ length: length / 10 }, () =>
            `${pick(["\u202e", "\u2067", "\u05d0", "a"], below)}word `).join(""),
    (length) => Buffer.alloc(length, "curl http://evil.example/%41 ").toString("base64"),
];

/** Opened data that is hard to show. */
const data: ((length: number, below: Below) => string)[] = [
    (length, below) => pick(texts, below)(length, below),
    (length, below) =>
        JSON.stringify({
            "http.request.uri": {
                before: pick(texts, below)(length, below),
                content: pick(texts, below)(length, below),
                after: "&",
            },
        }),
    (length, below) => JSON.stringify(pick(texts, below)(length, below).slice(0, length)),
    (length) => `${"[".repeat(length)}${"]".repeat(length)}`,
    (length, below) =>
        `${"{\"a\":[".repeat(length / 6)}${JSON.stringify(pick(texts, below)(50, below))}${
            "]}".repeat(length / 6)
        }`,
    (length, below) =>
        JSON.stringify({
            "http.x": { content: Array.from({ length }, () => below(256)) },
            list: Array.from({ length }, () => below(256)),
        }),
    (length, below) =>
        JSON.stringify(Array.from({ length: length / 20 }, () => pick(texts, below)(20, below))),
    (length, below) =>
        JSON.stringify(
            Object.fromEntries(
                Array.from({ length: length / 40 },
                    (_, i) => [`${pick(texts, below)(10, below)}${i}`, {
                        content: pick(texts, below)(10, below),
                    }]),
            ),
        ),
    (length, below) =>
        JSON.stringify({
            [pick(texts, below)(length, below)]: { content: "x" },
            [`${pick(texts, below)(length, below)}.`]: "y",
        }),
    (length, below) =>
        JSON.stringify(
            Array.from({ length: length / 10 }, (_, i) => ({
                [`h.${i}`]: "%41%42",
                b: Buffer.from(`x${i}`.repeat(8)).toString("base64"),
                n: [65, 66],
            })),
        ),
];

/**
 * Notes how much comes onto the page in one task, and how long tasks take, where the engine says
 * so.
 */
async function watch(page: Page): Promise<void> {
    await page.evaluate(() => {
        const seen = { elements: 0, characters: 0, longest: 0 };
        Object.assign(window, { seen });
        const add = (records: MutationRecord[]) => {
            const added = new Set(
                records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) =>
                    node.isConnected
                ),
            );
            const outer = [...added].filter((node) =>
                node instanceof HTMLElement && !added.has(node.parentNode!)
            ) as HTMLElement[];
            const sum = (of: (element: HTMLElement) => number) =>
                outer.reduce((sum, element) => sum + of(element), 0);
            seen.elements = Math.max(seen.elements,
                sum((element) => 1 + element.querySelectorAll("*").length));
            seen.characters = Math.max(seen.characters,
                sum((element) => element.textContent.length));
        };
        for (const id of ["rows", "lines"])
            new MutationObserver(add).observe(document.getElementById(id)!, {
                childList: true,
                subtree: true,
            });
        if (!PerformanceObserver.supportedEntryTypes.includes("longtask")) return;
        new PerformanceObserver((list) =>
            list.getEntries().forEach((
                { duration },
            ) => (seen.longest = Math.max(seen.longest, duration)))
        ).observe({ type: "longtask" });
    });
}
type Seen = { elements: number; characters: number; longest: number };
const seen = (page: Page) => page.evaluate(() => (window as unknown as { seen: Seen }).seen);

/** Sizes of the elements. */
const sizes = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((all) =>
        all.map((one) => {
            const depthOf = (element: Element) => {
                let depth = 0;
                for (let at = element; at !== one; at = at.parentElement!) depth++;
                return depth;
            };
            const elements = [...one.querySelectorAll("*")];
            return {
                elements: elements.length,
                characters: one.textContent.length,
                depth: elements.reduce((most, element) => Math.max(most, depthOf(element)), 0),
            };
        })
    );

function expectWithin(found: Partial<typeof ofRow>, limit: Partial<typeof ofRow>,
    what: string): void
{
    for (const [name, value] of Object.entries(found))
        expect(value, `${name}: ${what}`).toBeLessThanOrEqual(limit[name as "depth"] ?? Infinity);
}

/** From a file: a text of megabytes would take the page's thread seconds to become one. */
async function openFile(page: Page, content: string, name = "flood.ndjson"): Promise<void> {
    writeFileSync(test.info().outputPath(name), content);
    await page.locator("#log-file").setInputFiles(test.info().outputPath(name));
}
const seed = Number(process.env.SEED ?? 1);

test.describe("in the page", () => {
    test.beforeEach(async ({ page }) => {
        await page.goto("/");
        await addKey(page);
        await watch(page);
    });

    test(
        "opened data, whatever is in it, takes so many elements, so deep, and so many characters, in a row and in a task",
        { tag: "@heavy" },
        async ({ page }) => {
            test.setTimeout(600_000);
            const below = random(seed);
            const plain = (number: number) => sealed(`plain ${number}`);
            const lengths = [10, 300, 3000, 40_000, 200_000];
            for (const length of lengths) {
                const made = data.map((make) => make(length, below));
                await openFile(page, [...made.map((text) =>
                    sealed(text)
                ), plain(length)].join("\n"));
                await expectCounts(page,
                    `Opened ${made.length + 1} of ${made.length + 1} records.`);
                await expect(page.locator("#run-error")).toBeEmpty();
                await expect(page.locator("#rows tr")).toHaveCount(made.length + 1);
                await expect(page.locator("#rows tr").last()).toContainText(`plain ${length}`);
                for (const [i, found] of (await sizes(page, "#rows tr")).entries())
                    expectWithin(
                        found,
                        ofRow,
                        `${length}, ${String(data[i])}, seed ${seed}`,
                    );
            }
            const { longest, ...found } = await seen(page);
            expectWithin(found, ofTask, `a task, seed ${seed}`);
            console.log(
                `${data.length * lengths.length} payloads: the longest task took ${
                    longest ? `${Math.round(longest)} ms` : "less than 50 ms, or is not known"
                }; in one task at most ${JSON.stringify(found)}`,
            );
            await page.getByRole("button", { name: "Clear keys and data" }).click();
            await expect(page.locator("#keys")).toHaveText("Cleared. No key yet.");
        },
    );

    test("8 MB of one character", { tag: "@heavy" }, async ({ page }) => {
        test.setTimeout(600_000);
        for (const letter of ["A", "\0", "\u0301", "\"", "😀"]) {
            const of = (length: number) => letter.repeat(8_000_000 / length);
            for (
                const one of [of(Buffer.byteLength(letter)), JSON.stringify({
                    "http.x": { content: of(Buffer.byteLength(JSON.stringify(letter)) - 2) },
                })]
            ) {
                await openFile(page, [sealed("before"), sealed(one), sealed("after")].join("\n"));
                await expect(page.locator("#counts")).toContainText("Opened 3 of 3 records.", {
                    timeout: 120_000,
                });
                await expect(page.locator("#rows tr")).toHaveCount(3);
                await expect(page.locator("#rows tr").last()).toContainText("after");
                await page.getByRole("button", { name: "Open record 2 again" }).click();
                await expect(page.locator("#side pre")).not.toBeEmpty();
                for (const found of await sizes(page, "#side"))
                    expectWithin(found, ofSide, JSON.stringify(letter));
                for (const found of await sizes(page, "#rows tr"))
                    expectWithin(found, ofRow, JSON.stringify(letter));
            }
        }
        const { longest, ...found } = await seen(page);
        expectWithin(found, ofTask, "a task");
        console.log(`8 MB of one character: the longest task took ${Math.round(longest)} ms`);
    });

    test("members and their names, in the table, in lists and beside it", { tag: "@heavy" },
        async ({ page }) => {
            test.setTimeout(600_000);
            const below = random(seed);
            for (const length of [100, 4000, 100_000]) {
                // Not as an object: `JSON.stringify` has no room for what is deep.
                const record = () =>
                    `{"deep":${data[4]!(length, below)},${
                        JSON.stringify({
                            RuleID: pick(texts, below)(length, below),
                            Action: pick(texts, below)(length, below),
                            ClientIP: "192.0.2.1",
                            [pick(texts, below)(length, below)]: "x",
                            list: Array.from({ length }, () => below(256)),
                            encrypted_matched_data: sealed(pick(data, below)(length, below)),
                        }).slice(1)
                    }`;
                await openFile(page, Array.from({ length: 30 }, record).join("\n"));
                await expectCounts(page, "Opened 30 of 30 records.");
                await expect(page.locator("#lines tr").first()).toBeVisible();
                await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
                for (const [i, found] of (await sizes(page, "#lines tr")).entries())
                    expectWithin(found, { elements: 400, characters: 6000, depth: 5 },
                        `line ${i} of ${length}`);
                for (const found of await sizes(page, "#tops table"))
                    expectWithin(found, { elements: 400, characters: 6000, depth: 6 },
                        `top of ${length}`);
                for (const i of [0, 5, 9]) {
                    // Playwright's own click would scroll.
                    await page.locator("#lines tr").nth(i).evaluate((line: HTMLElement) =>
                        line.click()
                    );
                    await expect(page.locator("#side-title")).toHaveText(`Record ${i + 1}`);
                    for (const found of await sizes(page, "#side"))
                        expectWithin(found, ofSide, `the side of ${length}`);
                    const again = page.getByRole("button", { name: "Read them again" });
                    if (!(await again.count())) continue;
                    await again.click();
                    await expect(again).toHaveCount(0);
                    for (const found of await sizes(page, "#side"))
                        expectWithin(found, ofSide, `the side of ${length}, read again`);
                }
            }
            console.log(
                `members: the longest task took ${Math.round((await seen(page)).longest)} ms`,
            );
        });

    test("all of it can be shown, piece by piece, in its order", async ({ page }) => {
        const list = JSON.stringify(Array.from({ length: 5000 }, (_, i) => i));
        await open(page, sealed(list));
        const more = page.getByRole("button", { name: "Show more of record 1" });
        await expect(page.locator("#rows pre")).toContainText("1,");
        while (await more.count()) await more.click();
        expect(JSON.parse((await page.locator("#rows pre").textContent())!)).toEqual(
            JSON.parse(list),
        );
    });

    test("a run of one hidden character is one chip with its count; of many runs more are shown on demand", async ({ page }) => {
        await open(page,
            [sealed(`a${"\0".repeat(40_000)}b\u202e\u202ec`), sealed("\u202e\u202d".repeat(2000))]
                .join("\n"));
        await expect(page.locator("#rows pre").first()).toHaveText("aU+0000 × 40,000bU+202E × 2c");
        await expect(page.locator("#rows pre").first().locator(".chip").first()).toHaveAttribute(
            "title",
            "null",
        );
        const chips = page.locator("#rows pre").nth(1).locator(".chip");
        await expect(chips).toHaveCount(most.text().elements);
        await page.getByRole("button", { name: "Show more of record 2" }).click();
        await expect(chips).toHaveCount(4000);
        await expect(page.getByRole("button", { name: /^Show more/ })).toHaveCount(0);
    });

    test("brackets fold to a depth, and those in them are flat", async ({ page }) => {
        await open(page, sealed(`${"[".repeat(300)}${"]".repeat(300)}`));
        await expect(page.locator("#rows .fold")).toHaveCount(deepest);
        expect((await page.locator("#rows pre").textContent())!.match(/[[\]]/g)).toHaveLength(600);
    });

    test("deep rows that are shown again, or in another width, are laid out only near the view, and stay reachable", async ({ page }) => {
        test.setTimeout(600_000);
        const number = 200;
        await open(page,
            Array<string>(number).fill(sealed(`${"[".repeat(1150)}${"]".repeat(1150)}`)).join(
                "\n",
            ));
        await expect(page.locator("#rows tr")).toHaveCount(number, { timeout: 120_000 });
        await expect(page.locator("#rows tr").last().locator(".copies")).toHaveCount(1);
        /**
         * Rows that are laid out, boxes with text that are around a line, and data that scrolls and
         * that the Tab key skips.
         */
        const laidOut = () =>
            page.locator("#rows").evaluate(async (rows) => {
                // Engines find out what is in view when they draw.
                for (let i = 0; i < 3; i++) await new Promise((drawn) =>
                        requestAnimationFrame(drawn)
                    );
                const all = [...rows.querySelectorAll("pre")];
                const boxes = (pre: Element) =>
                    [...pre.querySelectorAll(".inner")].filter((inner) =>
                        getComputedStyle(inner).display !== "contents"
                    ).length;
                const shown = all.filter((pre) =>
                    pre.checkVisibility({ contentVisibilityAuto: true })
                );
                return {
                    rows: shown.length,
                    boxes: boxes(all[0]!),
                    unreachable: shown.filter((pre) => pre.tabIndex < 0).length,
                };
            });
        const expectFew = async (what: string, inView = page.locator("#rows tr").first()) => {
            await inView.scrollIntoViewIfNeeded();
            // What was in view before is skipped some frames later.
            await expect(async () => {
                const found = await laidOut();
                expect(found.rows, what).toBeGreaterThan(0);
                expect(found.rows, what).toBeLessThanOrEqual(20);
                expect(found, what).toMatchObject({ boxes: 0, unreachable: 0 });
            }).toPass({ timeout: 30_000 });
        };
        await expectFew("at first");
        await page.evaluate(() => ((window as unknown as { seen: Seen }).seen.longest = 0));
        await page.getByRole("button", { name: "Table", exact: true }).click();
        await expect(page.locator("#payload-view")).toBeHidden();
        await payloads(page);
        await expect(page.locator("#payload-view")).toBeVisible();
        await expectFew("after the table");
        await panel(page, "Seal");
        await expect(page.locator("#payload-view")).toBeHidden();
        await panel(page, "Open");
        await expect(page.locator("#payload-view")).toBeVisible();
        await expectFew("after another panel");
        await page.setViewportSize({ width: 700, height: 700 });
        await expectFew("in a narrow window");
        const { longest } = await seen(page);
        console.log(
            `${number} deep rows shown again: the longest task took ${
                longest ? `${Math.round(longest)} ms` : "less than 50 ms, or is not known"
            }`,
        );
        await expectFew("at the end", page.locator("#rows tr").last());
        await expect.poll(() =>
            page.locator("#rows pre").last().evaluate((pre) =>
                pre.checkVisibility({ contentVisibilityAuto: true })
            )
        ).toBe(true);
    });

    test("a row that fails is one that says so, and no other is lost", async ({ page }) => {
        await page.evaluate(() => {
            const create = Document.prototype.createElement;
            let count = 0;
            Document.prototype.createElement = function(this: Document, tag: string) {
                if (tag === "pre" && ++count % 3 === 2)
                    throw new RangeError("Maximum call stack size exceeded");
                return create.call(this, tag);
            } as typeof create;
        });
        await open(page, ["one", "two", "three"].map(sealed).join("\n"));
        await expect(page.locator("#rows tr")).toHaveCount(3);
        await expect(page.locator("#rows pre")).toHaveText(["one", "three"]);
        await expect(page.locator("#rows tr").nth(1)).toContainText(
            "This record cannot be shown here",
        );
    });

    test("in a table and in members, nesting and quotes end no run", async ({ page }) => {
        const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
        await openFile(page, [
            `{"RayID":"r1","deep":${deep},"encrypted_matched_data":"${
                sealed(`{"http.x":{"content":${deep}},"other":${deep}}`)
            }"}`,
            `{"RayID":"r2","encrypted_matched_data":"${sealed("after it")}"}`,
        ].join("\n"));
        await expectCounts(page, "Opened 2 of 2 records.");
        await payloads(page);
        await expect(page.locator("#rows tr").last()).toContainText("after it");
        const quotes = `"${"\"\"".repeat(4_000_000)}"`;
        await openFile(page,
            `note,encrypted_matched_data\n${quotes},${sealed("one")}\nb,${sealed("two")}\n`,
            "a.csv");
        await expectCounts(page, "Opened 2 of 2 records.");
        await expect(page.locator("#run-error")).toBeEmpty();
    });
});

test("8 MB of one character end no engine's stack", () => {
    const tried: Record<string, (text: string) => unknown> = {
        harmless,
        inOneLine,
        quoted,
        defanged,
        unwrapped,
        decodings: (text) => decodings(text).length,
        matches: (text) =>
            matchesOf(parsed(`{"a.b":[${text}`) ?? parsed(JSON.stringify({ "a.b": text }))),
    };
    test.setTimeout(600_000);
    for (const letter of ["\"", "\\", "a", "1", "%41"]) {
        const text = letter.repeat(8_000_000 / letter.length);
        for (const [name, run] of Object.entries(tried))
            expect(() => run(text), `${name}, ${letter}`).not.toThrow();
    }
});

/**
 * The expression's source without what is no repetition: classes and escapes. Then repetitions in
 * groups that are repeated.
 */
function isNested(source: string): boolean {
    const bare = source.replace(/\\[pPu]\{[^}]*\}|\\./g, "x").replace(/\[(?:[^\]])*\]/g, "x");
    const repeated = /^(?:[*+]|\{(?!1\})\d+(?:,\d*)?\})/;
    const groups: boolean[] = [false];
    for (let at = 0; at < bare.length; at++) {
        if (bare[at] === "(") groups.push(false);
        else if (bare[at] === ")") {
            const inner = groups.pop()!;
            const again = repeated.test(bare.slice(at + 1));
            if (inner && again) return true;
            if (inner || again) groups[groups.length - 1] = true;
        } else if (repeated.test(bare.slice(at))) groups[groups.length - 1] = true;
    }
    return false;
}

test("no expression repeats a repetition, and no call has as many arguments as data says", () => {
    for (
        const [source, nested] of [["\"(?:[^\"\\\\]|\\\\.)*\"", false], ["(?:a+)+", true], [
            "(?:%[0-9a-f]{2})+",
            true,
        ], ["(a|b*c)*", true], ["(a+)?b", false], ["[(a+)+]", false]] as const
    )
        expect(isNested(source), source).toBe(nested);
    const sources = readdirSync(path("src"), { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".ts")
    );
    for (const name of sources) {
        const code = readFileSync(path(`src/${name}`), "utf8");
        for (
            const [, source = ""] of code.matchAll(
                /(?<=[(,=:!&|?[]\s?|return )\/(?![/*])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+)\/[a-z]*/g,
            )
        )
            expect(isNested(source), `${name}: ${source}`).toBe(false);
        expect(
            code.match(
                /(?:\.(?:push|unshift|append|prepend|replaceChildren|replaceWith|concat)|Math\.(?:max|min))\((?:[^;\n{[]*, )?\.\.\.|\bh\("[^;\n{[]*, \.\.\./g,
            ) ?? [],
            name,
        ).toEqual([]);
    }
});
