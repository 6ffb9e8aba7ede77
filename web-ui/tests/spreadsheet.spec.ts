// CSV in spreadsheets: whatever they take for the separator, no cell is a formula.
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { harmless } from "../src/spreadsheet.ts";
import { addKey, open, path, sealed } from "./page.ts";

/** The cases by which `crates/pipeline` is tested too. */
const cases = JSON.parse(readFileSync(path("../crates/pipeline/tests/formulas.json"), "utf8")) as {
    text: string;
    comma: string;
}[];

/**
 * The cells as spreadsheets read them: quotes count only around a whole cell, and every kind of
 * line break ends a line.
 */
function cells(csv: string, separator: string): string[] {
    const end = new RegExp(`[${separator}\r\n]`);
    const found: string[] = [];
    for (let rest = csv; rest !== "";) {
        const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
        rest = rest.slice(quoted?.[0].length ?? 0);
        const at = rest.search(end);
        const bare = at < 0 ? rest : rest.slice(0, at);
        found.push((quoted?.[1] ?? "").replaceAll("\"\"", "\"") + bare);
        rest = at < 0 ? "" : rest.slice(at + 1);
    }
    return found;
}

/** Blanks before a formula are skipped. */
const formulas = (csv: string, separator: string) =>
    cells(csv, separator).filter((cell) => /^[\s\p{Cc}\ufeff]*[=+\-@＝＋－＠]/u.test(cell));

test("the shared cases", () => {
    expect(cases.length).toBeGreaterThan(20);
    for (const { text, comma } of cases) expect(harmless(text), JSON.stringify(text)).toBe(comma);
});

test("the rule takes as long as the text is", () => {
    const begun = performance.now();
    harmless("\t".repeat(500_000) + ";".repeat(500_000) + " \"".repeat(500_000));
    expect(performance.now() - begun).toBeLessThan(5000);
});

test("a saved CSV holds no formula, read with comma, semicolon or tab", async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    await open(page, cases.map(({ text }) => sealed(text)).join("\n"));
    await expect(page.locator("#counts")).toContainText(
        `Opened ${cases.length} of ${cases.length}`,
    );
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save CSV" }).click();
    const csv = readFileSync(await (await download).path(), "utf8");
    // Without a byte order mark spreadsheets take UTF-8 for another encoding.
    expect(csv).toMatch(/^\ufeffrecord,/);
    for (const separator of [",", ";", "\t"])
        expect(formulas(csv, separator), separator).toEqual([]);
    const bare = cases.map(({ text }) => `1,"${text.replaceAll("\"", "\"\"")}"`).join("\r\n");
    for (const separator of [",", ";", "\t"])
        expect(formulas(bare, separator), "the cases are formulas").not.toEqual([]);
});
