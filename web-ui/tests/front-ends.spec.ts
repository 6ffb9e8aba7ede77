// The page finds the same sealed fields as the command line, in files of every kind of record.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { addKey, path, published, sealed } from "./page.ts";

const cli = join(process.env.PQSEAL_BIN ?? path("../target/debug"), "pqseal");

/** A record that failed, as `pqseal logs open --dead-letter` reports it. */
interface Letter {
    source: string;
    line: number;
    code: string;
}

/** The lines of a text, without white space around the records, and without marks. */
const linesOf = (text: string) =>
    text.split(/\r?\n/).map((line) => line.replace(/^\ufeff/, "").trim()).filter(Boolean);

test("540 files: the page and the command line write the same", async ({ page }, info) => {
    test.skip(!existsSync(cli) && !process.env.PQSEAL_BIN, `no ${cli}`);
    test.setTimeout(300_000);
    const [input, out, letters, key] = ["in", "out", "letters", "key"].map((name) =>
        info.outputPath(name)
    ) as [string, string, string, string];
    mkdirSync(input);
    const blobs = [
        published.blob,
        sealed("\"quoted\"\n\u001b é ☃ \u202e \\"),
        sealed(Buffer.from("GET \xff\xfe", "latin1")),
    ];
    execFileSync(path("../dev/checks/record_inputs.py"), [input, ...blobs]);
    writeFileSync(key, published.key, { mode: 0o600 });
    execFileSync(cli, ["logs", "open", "-k", key, "--explode", "--keep-partial", "--dead-letter",
        letters, "-o", `${out}/`, `${input}/`], { stdio: "ignore" });
    const names = readdirSync(input).sort();
    expect(names.length).toBeGreaterThan(400);

    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles(names.map((name) => join(input, name)));
    await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
    await expect(page.locator("#counts")).toContainText("record");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save NDJSON" }).click();
    const saved = linesOf(readFileSync(await (await download).path(), "utf8"));
    for (const name of names) {
        const expected = linesOf(readFileSync(join(out, name), "utf8"));
        expect(saved.splice(0, expected.length), name).toEqual(expected);
    }
    expect(saved).toEqual([]);

    // Damage is told with its place.
    const damaged = new Map<string, number[]>();
    for (const letter of readFileSync(letters, "utf8").trim().split("\n")) {
        const { source, line, code } = JSON.parse(letter) as Letter;
        if (code !== "bad_json") continue;
        const name = source.slice(source.lastIndexOf("/") + 1);
        damaged.set(name, [...(damaged.get(name) ?? []), line]);
    }
    const told = new Map<string, number[]>();
    for (const line of linesOf(await page.locator("#run-error").innerText())) {
        const [name, ...what] = line.split(": ");
        const places = what.join(": ").matchAll(/line ([\d,]+)/g);
        if (/neither JSON/.test(line))
            told.set(name!, Array.from(places, ([, number]) => Number(number)));
    }
    expect([...told.keys()].sort()).toEqual([...damaged.keys()].sort());
    for (const [name, lines] of damaged)
        if (name.endsWith(".ndjson")) expect(told.get(name), name).toEqual(lines);
});
