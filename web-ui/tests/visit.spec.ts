// A first visit: what the page is, an example, panels with addresses, themes.
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { open, panel, path, payloads, published } from "./page.ts";

test("the example opens in two clicks: the published blob, then 500 events", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator("#lead")).toContainText("sent nowhere");
    await expect(page.locator("#results")).toBeHidden();
    await page.getByRole("button", { name: "Try it with an example" }).click();
    await expect(page.locator("#rows pre")).toContainText(published.uri);
    await expect(page.locator("#keys")).toContainText("Ready: x25519");
    await page.getByRole("button", { name: "Open 500 example events" }).click();
    await expect(page.locator("#counts")).toContainText("Opened 500 of 500 records.");
    await expect(page.locator("#source")).toContainText("500 example events");
    await expect(page.locator("#try")).toBeHidden();
    await expect(page.locator("#lines tr").first()).toContainText("www.example.com");
    await payloads(page);
    for (const word of ["OR 1=1", "<script>", "etc/passwd", "jndi"]) await expect(page.locator("#rows")).toContainText(word);
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.getByRole("button", { name: "Try it with an example" })).toBeVisible();
    await expect(page.locator("#results")).toBeHidden();
});

test("what cannot be opened is shown in the third step as well", async ({ page }) => {
    await page.goto("/");
    await open(page, " ");
    await expect(page.locator("#run-error")).toBeVisible();
});

test("each panel has an address and a title, and Back works", async ({ page }) => {
    await page.goto("/#make");
    await expect(page.locator("#make")).toBeVisible();
    await expect(page).toHaveTitle("Make keys - pqseal");
    await panel(page, "Seal");
    await expect(page).toHaveURL(/#seal$/);
    await expect(page).toHaveTitle("Seal - pqseal");
    await panel(page, "Open");
    await page.goBack();
    await expect(page.locator("#seal")).toBeVisible();
    await expect(page.locator("#open")).toBeHidden();
    await page.goForward();
    await expect(page).toHaveTitle("Open sealed data - pqseal");
    await page.goto("/#no-such-panel");
    await expect(page.locator("#open")).toBeVisible();
});

test("the theme is what the user chooses, against the system's", async ({ page }) => {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto("/");
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.getByLabel("Theme").selectOption("Dark");
    expect(await background()).not.toBe(light);
    await page.getByLabel("Theme").selectOption("As the system");
    expect(await background()).toBe(light);
});

test("the footer names version and build, the same in the single file", async ({ page }) => {
    const version = /^version = "(.*)"$/m.exec(readFileSync(path("../Cargo.toml"), "utf8"))![1]!;
    await page.goto("/");
    const stamp = /pqseal (\S+), build ([0-9a-f]{16})/.exec((await page.locator("footer").textContent())!)!;
    expect(stamp[1]).toBe(version);
    expect(readFileSync(path("dist-single/pqseal.html"), "utf8")).toContain(stamp[0]);
});
