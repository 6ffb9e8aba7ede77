// Many starts: WebKit computes wrong now and then while it compiles a module (SOUNDNESS.md). Clear
// ends the worker, so that it is compiled anew.
import { expect, test } from "@playwright/test";

test("each record opens, however often the module is compiled anew",
    async ({ page }, { project: { name } }) => {
        const times = name === "webkit" ? 50 : 5;
        test.setTimeout(times * 20_000);
        let reopened = 0;
        await page.goto("/");
        for (let i = 0; i < times; i++) {
            await page.getByRole("button", { name: "Try it with an example" }).click();
            await page.getByRole("button", { name: "Open 500 example events" }).click();
            // With the error, if there is one.
            await expect(page.locator("#counts, #run-error"))
                .toContainText([/^Opened 500 of 500 records\./, /^$/]);
            reopened += Number(
                /(\d+) only at the second attempt/.exec(
                    (await page.locator("#counts").textContent()) ?? "",
                )?.[1] ?? 0,
            );
            await page.getByRole("button", { name: "Clear keys and data" }).click();
            await expect(page.getByRole("button", { name: "Try it with an example" }))
                .toBeVisible();
        }
        console.log(`${name}: ${times} times 500 records, ${reopened} at the second attempt`);
    });
