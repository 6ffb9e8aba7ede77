// An analyst's trial: which rule fired most, on which path, by whom, what changed from one day to the
// next, and a ticket. Everything that the analyst does is counted; what is read costs nothing.
import { expect, test } from "@playwright/test";
import { clipboardText, published, sealed } from "./page.ts";

const MOST_ACTIONS = 12;
const rules = [["SQL injection", "' OR 1=1--"], ["Cross-site scripting", "<script>"], [
    "Path traversal",
    "../../etc/passwd",
]] as const;
const blobs = rules.map(([, content]) =>
    sealed(JSON.stringify({ "http.request.uri.query": { before: "q=", content, after: "" } }))
);

/**
 * Two days. Scripting leads on both together; on the second one address tries SQL on /login. A tenth
 * of the events has no sealed data.
 */
const events = Array.from({ length: 2000 }, (_, i) => {
    const isAttack = i >= 1000 && i % 3 === 0;
    const rule = isAttack ? 0 : i % 10 < 7 ? 1 : 2;
    return JSON.stringify({
        Datetime: new Date(Date.UTC(2026, 0, 14) + i * 86_400).toISOString(),
        Action: ["block", "log"][i % 2],
        Description: rules[rule][0],
        RuleID: `5f3c9a7e11d84b0c9f21d7a4c0de10${10 + rule}`,
        ClientIP: isAttack ? "198.51.100.7" : `192.0.2.${i % 200}`,
        ClientRequestPath: isAttack ? "/login" : `/p${i % 5}`,
        RayID: (0x8f00_0000_0000 + i * 7919).toString(16),
        Metadata: i % 10 === 9 ? {} : { encrypted_matched_data: blobs[rule] },
    });
});

test("an analyst's five questions take at most twelve actions", { tag: "@clipboard" },
    async ({ page, context }) => {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        const done: string[] = [];
        const act = async (what: string, action: () => Promise<unknown>) => {
            done.push(what);
            await action();
        };
        const file = (name: string, content: string) => ({
            name,
            mimeType: "",
            buffer: Buffer.from(content),
        });
        const top = (name: string) =>
            page.locator("#tops table").filter({ has: page.locator("caption", { hasText: name }) });
        const first = (name: string) => top(name).locator("tbody tr").first();
        const matched = page.locator("#matched");

        await page.goto("/");
        await act("chooses the key file",
            () => page.locator("#key-file").setInputFiles(file("key.txt", published.key)));
        await act("chooses the export", () =>
            page.locator("#log-file").setInputFiles(
                file("two-days.ndjson", events.join("\n")),
            ));
        await expect(page.locator("#counts")).toContainText("of 2,000 records");

        // Which rule? It stands there.
        await expect(first("Description")).toContainText("Cross-site scripting1,167");
        // Which path, who?
        await act("chooses the rule",
            () => first("Description").getByRole("button", { name: /^Cross-site/ }).click());
        await expect(matched).toHaveText("1,167 of 2,000 match.");
        await expect(first("ClientRequestPath")).toContainText("/p");
        await expect(first("ClientIP")).toContainText("192.0.2.");
        await act("goes back", () => page.goBack());
        await expect(matched).toHaveText("");

        // What changed from day to day?
        await act("selects the day before",
            () => page.locator("#preset").selectOption("before-day"));
        await expect(matched).toHaveText("1,000 of 2,000 match.");
        await act("pins it", () => page.getByRole("button", { name: "Pin as A" }).click());
        await act("selects the last day", () => page.locator("#preset").selectOption("day"));
        await expect(first("Description")).toContainText("SQL injection0%33%+33");
        await expect(first("ClientRequestPath")).toContainText("/login0%33%+33");
        await expect(first("ClientIP")).toContainText("198.51.100.7");
        // The name of the rule is read, and not guessed from its beginning.
        const cell = first("Description").locator("td").first();
        expect(
            await cell.evaluate(({ firstElementChild: value }) =>
                value!.scrollWidth <= value!.clientWidth
            ),
        ).toBe(true);

        await expect(first("matched part")).toContainText("…uri.query");

        // A ticket.
        await act("chooses what is new",
            () => first("Description").getByRole("button", { name: /^SQL/ }).click());
        await expect(matched).toHaveText("333 of 2,000 match.");
        await act("opens a record", () => page.locator("#lines tr").first().click());
        await act("copies it for the ticket",
            () => page.getByRole("button", { name: "Copy for ticket" }).click());
        for (const fact of ["SQL injection", "198[.]51[.]100[.]7", "/login", "' OR 1=1--"])
            await expect.poll(() => clipboardText(page)).toContain(fact);

        console.log(`${done.length} actions: ${done.join(", ")}`);
        expect(done.length).toBeLessThanOrEqual(MOST_ACTIONS);
    });
