// Every record is a row, and a saved file has the lines that `pqseal logs open` writes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Page, expect, test } from "@playwright/test";
import { clipboardText, openLog, path, published, sealed } from "./page.ts";

const cli = join(process.env.PQSEAL_BIN ?? path("../target/debug"), "pqseal");

async function load(page: Page, text: string, name = "zone a.2026.ndjson"): Promise<void> {
    await openLog(page, text, name);
    await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
    await expect(page.locator("#counts")).toContainText("record");
}

async function save(page: Page, kind: string): Promise<{ name: string; text: string }> {
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: `Save ${kind}` }).click();
    const file = await download;
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

/** Every third record has no sealed data, and the rule of those is not the most frequent else. */
const events = Array.from({ length: 60 }, (_, i) =>
    JSON.stringify({
        RuleID: i % 3 ? `rule ${i % 5}` : "quiet",
        Description: "a rule's name",
        ...(i % 3 && { encrypted_matched_data: sealed(`{"part":{"content":"attack ${i}"}}`) }),
    }));

test("records without sealed data are rows, counted, and filtered by that outcome", {
    tag: "@main",
}, async ({ page }) => {
    await load(page, events.join("\n"));
    await expect(page.locator("#counts")).toContainText(
        "Opened 40 of 40 records with sealed data. 20 of 60 records without sealed data.",
    );
    await expect(page.locator("#table")).toHaveAttribute("aria-rowcount", "61");
    const rules = page.locator("#tops table", { hasText: "RuleID" });
    await expect(rules.locator("tbody tr").first()).toContainText("quiet");
    await expect(rules.locator("tbody tr").first()).toContainText("20");
    await page.locator("#tops table", { hasText: "outcome" }).getByRole("button", {
        name: "no sealed data",
        exact: true,
    }).click();
    await expect(page.locator("#matched")).toContainText("20 of 60 match.");
    expect((await save(page, "NDJSON")).text.trim().split("\n")).toEqual(
        events.filter((_, i) => i % 3 === 0),
    );
    await page.locator("#lines tr").first().click();
    await expect(page.locator("#side-data")).toContainText("No sealed data in this record.");
    await expect(page.getByRole("button", { name: "Copy for ticket" })).toBeVisible();
});

/** Records of every kind that the command line writes something of its own into. */
const kinds = (() => {
    const { blob } = published;
    const opened = sealed("line\nbreak \u001b[31m \u007f é ☃ \u202e \"quoted\" \\");
    return [
        `{"a": 1, "encrypted_matched_data": "${blob}" , "z":2}`,
        `{"n":1763700000000000001,"Metadata":{"encrypted_matched_data":"${opened}","v":"9"}}`,
        `{"a":1}`,
        `{"a":1,"encrypted_matched_data":"truncated","b":2}`,
        `{"a":1,"encrypted_matched_data":"no base64!"}`,
        `{"metadata":[{"key":"encrypted_matched_data","value":"${blob}"},{"key":"x","value":"y"}]}`,
        `{"a":1,"encrypted_matched_data":"${blob}","decrypted_matched_data":"was there"}`,
        `{"encrypted_matched_data":"${blob}","x":1,"decrypt_status":"no_key_matched"}`,
        `{"encrypted_matched_data":null}`,
        `{"encrypted_matched_data":"","b":[]}`,
        `{"e":["x"],"encrypted_matched_data":["x"]}`,
        `{"encrypted_matched_data":"${sealed(Buffer.from("GET \xff\xfe", "latin1"))}"}`,
        `{"encrypted_matched_data":"${blob.slice(0, 40)}"}`,
    ];
})();

test("a saved NDJSON is what the command line writes, byte for byte", async ({ page }, info) => {
    test.skip(!existsSync(cli) && !process.env.PQSEAL_BIN, `no ${cli}`);
    const [input, key] = [info.outputPath("in.ndjson"), info.outputPath("key")];
    const text = `${kinds.join("\n")}\n`;
    writeFileSync(input, text);
    writeFileSync(key, published.key, { mode: 0o600 });
    await load(page, text);
    const { name, text: saved } = await save(page, "NDJSON");
    expect(name).toBe("zone_a.2026-opened.ndjson");
    let written = "";
    try {
        written = execFileSync(cli, ["logs", "open", "-k", key, input], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "ignore"],
        });
    } catch (error) {
        // It reports records that did not open by its status.
        written = (error as { stdout: string }).stdout;
    }
    expect(saved.split("\n")).toEqual(written.split("\n"));
});

test("CSV has the match and the rule's name, and its name says what was filtered", async ({ page }) => {
    await load(page, events.join("\n"));
    await page.locator("#tops table", { hasText: "RuleID" }).getByRole("button", {
        name: "rule 1",
        exact: true,
    }).click();
    await expect(page.locator("#matched")).toContainText("8 of 60 match.");
    const { name, text } = await save(page, "CSV");
    expect(name).toBe("zone_a.2026-opened-RuleID-rule_1.csv");
    const [head, first] = text.split("\r\n");
    expect(head).toContain("\"RuleID\",\"Description\",\"matched part\",\"matched text\"");
    expect(first).toMatch(/"rule 1","a rule's name","part","attack 1"$/);
});

test("a ticket has the event and its match, with nothing that links or formats", {
    tag: "@clipboard",
}, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const event = {
        Datetime: "2026-01-15T08:00:00Z",
        RuleID: "100173",
        Description: "`SQLi`",
        RayID: "8f01",
        ClientIP: "198.51.100.7",
        ClientRequestPath: "/login",
        encrypted_matched_data: sealed(
            JSON.stringify({
                uri: { before: "q=", content: "http://a.example/\u001b[201~\n`", after: "" },
            }),
        ),
    };
    await load(page, [event, event].map((one) => JSON.stringify(one)).join("\n"));
    await page.locator("#lines tr").first().click();
    await page.getByRole("button", { name: "Copy for ticket, record 1" }).click();
    await expect.poll(() => clipboardText(page)).toBe([
        "**Record 1**",
        "",
        "- Time: `2026-01-15T08:00:00Z`",
        "- Rule: `100173` `` `SQLi` ``",
        "- Ray: `8f01`",
        "- Client: `198[.]51[.]100[.]7`",
        "- Request: `/login`",
        "- Match in `uri`: `` hxxp[://]a[.]example/⟦001B⟧[201~⟦000A⟧` `` within `` q=hxxp[://]a[.]example/⟦001B⟧[201~⟦000A⟧` ``",
    ].join("\n"));
});

test("JSON that is copied has hidden characters as escapes", { tag: "@clipboard" },
    async ({ page, context }) => {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const data = { a: "\u009b31m\u202e\u007f", b: "line\nbreak" };
        // JSON.stringify leaves these as they are.
        const record = { n: 1, encrypted_matched_data: sealed(JSON.stringify(data)) };
        await load(page, [record, record].map((one) => JSON.stringify(one)).join("\n"));
        await page.locator("#lines tr").first().click();
        await page.getByRole("button", { name: "Copy JSON, record 1" }).click();
        await expect.poll(() => clipboardText(page)).toBe(
            `{\n  "a": "\\u009b31m\\u202e\\u007f",\n  "b": "line\\nbreak"\n}`,
        );
    });
