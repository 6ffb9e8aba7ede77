// A first visit: what the page is, an example, panels with addresses, themes.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, test } from "@playwright/test";
import { addKey, expectCounts, firewallEvents, open, panel, path, payloads, published,
    sealed } from "./page.ts";

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
    for (const word of ["OR 1=1", "<script>", "etc/passwd", "jndi"])
        await expect(page.locator("#rows")).toContainText(word);
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.getByRole("button", { name: "Try it with an example" })).toBeVisible();
    await expect(page.locator("#results")).toBeHidden();
});

for (const [width, height] of [[1280, 800], [375, 667]] as const)
    test(`what was opened comes into view, with the focus, at ${width} pixels`, { tag: "@active" },
        async ({ page }) => {
            await page.setViewportSize({ width, height });
            await page.goto("/");
            const title = page.getByRole("heading", { name: "3. Opened data" });
            await page.getByRole("button", { name: "Try it with an example" }).click();
            await expect(title).toBeFocused();
            await expect(title).toBeInViewport();
            await expect(page.locator("#rows .match").first()).toBeInViewport();
            await expect(page.getByRole("button", { name: "Open 500 example events" }))
                .toBeInViewport();
            await page.getByRole("button", { name: "Clear keys and data" }).click();
            await addKey(page);
            await open(page, sealed("seen"));
            await expect(title).toBeFocused();
            await expect(page.locator("#rows pre").first()).toBeInViewport();
            await open(page, " ");
            await expect(page.locator("#run-error")).toBeFocused();
            await expect(page.locator("#run-error")).toBeInViewport();
            await page.locator("#log-file").setInputFiles({
                name: "a.ndjson",
                mimeType: "",
                buffer: Buffer.from(firewallEvents(5).join("\n")),
            });
            await expectCounts(page, "Opened 5 of 5 records.");
            await expect(title).toBeInViewport();
        });

test("records stay in view when the steps above them are folded", async ({ page }) => {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "a.ndjson",
        mimeType: "",
        buffer: Buffer.from(firewallEvents(2000).join("\n")),
    });
    await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
    await expect(page.locator("#summary")).toBeVisible();
    await expect(page.getByRole("heading", { name: "3. Opened data" })).toBeInViewport();
});

test(
    "what was opened does not come into view if the user is elsewhere, or if a key added later opens it",
    { tag: "@active" },
    async ({ page }) => {
        await page.goto("/");
        await open(page, published.blob);
        await expect(page.locator("#results-title")).toBeFocused();
        await addKey(page);
        await expectCounts(page, "Opened 1 of 1 record.");
        await expect(page.locator("#rows pre")).toContainText(published.uri);
        await expect(page.getByRole("button", { name: "Add key" })).toBeFocused();
        await page.getByLabel("Paste sealed data").fill(firewallEvents(5).join("\n"));
        // Before the run can end.
        await page.evaluate(() => {
            document.querySelector<HTMLButtonElement>("#open-form .main")!.click();
            document.body.dispatchEvent(new WheelEvent("wheel", { bubbles: true }));
        });
        await expectCounts(page, "Opened 5 of 5 records.");
        await expect(page.locator("#lines tr")).toHaveCount(5);
        await expect(page.locator("#counts")).toHaveAttribute("aria-busy", "false");
        await expect(page.locator("#results-title")).not.toBeFocused();
    },
);

test("the example is not offered once there is data or a key of the user's own, until Clear", async ({ page }) => {
    await page.goto("/");
    const example = page.getByRole("button", { name: "Try it with an example" });
    const clear = () => page.getByRole("button", { name: "Clear keys and data" }).click();
    const givens = {
        data: () => page.getByLabel("Paste sealed data").fill("mine"),
        "a typed key": () => page.getByLabel("Or paste a key").fill("mine"),
        "a key file": () =>
            page.locator("#key-file").setInputFiles({
                name: "a.key",
                mimeType: "",
                buffer: Buffer.from(published.key),
            }),
        "a log export": () =>
            page.locator("#log-file").setInputFiles({
                name: "a.txt",
                mimeType: "",
                buffer: Buffer.from(published.blob),
            }),
    };
    for (const [what, give] of Object.entries(givens)) {
        await expect(example, what).toBeVisible();
        await give();
        await expect(example, what).toBeHidden();
        await clear();
    }
    await example.click();
    await expect(page.getByRole("button", { name: "Open 500 example events" })).toBeVisible();
    await page.getByLabel("Paste sealed data").fill("mine");
    await expect(page.locator("#try")).toBeHidden();
});

test("the example that fails says so", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("button", { name: "Try it with an example" }).click();
    const next = page.getByRole("button", { name: "Open 500 example events" });
    await expect(next).toBeVisible();
    await page.evaluate(() => {
        const post = Worker.prototype.postMessage;
        Worker.prototype.postMessage = function(message: { id: number; name: string },
            ...rest: never[])
        {
            if (message.name !== "example") return post.call(this, message, ...rest);
            this.onmessage!(
                new MessageEvent("message", {
                    data: {
                        id: message.id,
                        kind: "failed",
                        code: "failed",
                        message: "There is no example.",
                    },
                }),
            );
        };
    });
    await next.click();
    await expect(page.locator("#example-error")).toHaveText("There is no example.");
    await expect(page.locator("#example-error")).toBeVisible();
    await expect(page.getByLabel("Paste sealed data")).toHaveValue(published.blob);
});

test("the data box names the firewall's field, and Ctrl+Enter or Cmd+Enter in it opens", async ({ page }) => {
    await page.goto("/");
    const box = page.getByLabel("Paste sealed data");
    await expect(box).toHaveAccessibleDescription(
        /Encrypted matched data: the value of encrypted_matched_data/,
    );
    await addKey(page);
    for (const key of ["Control+Enter", "Meta+Enter"]) {
        await box.fill(sealed(key));
        await box.press(key);
        await expect(page.locator("#rows pre")).toHaveText(key);
    }
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

test("the licences of third-party code are beside the page, and in the single file", async ({ page, request }) => {
    await page.goto("/");
    const link = page.getByRole("link", { name: "Licences of third-party code" });
    const response = await request.get(
        new URL(await link.getAttribute("href") ?? "", page.url()).href,
    );
    const text = await response.text();
    for (
        const name of ["fzstd 0.1.1 (MIT)", "Copyright (c) 2020 Arjun Barrett", "libcrux-ml-kem",
            "Apache License", "pkcs5"]
    ) expect(text).toContain(name);
    // Tools and tests are not in the page.
    for (const name of ["vite 8", "playwright", "@hpke/core"]) expect(text).not.toContain(name);
    await page.goto(pathToFileURL(path("dist-single/pqseal.html")).href);
    const licences = page.locator("#licences pre");
    await expect(licences).toBeHidden();
    await page.getByText("Licences of third-party code").click();
    await expect(licences).toBeVisible();
    expect(await licences.textContent()).toBe(text.replace("\ufeff", ""));
});

test("the footer names version and build, the same in the single file", async ({ page }) => {
    const version = /^version = "(.*)"$/m.exec(readFileSync(path("../Cargo.toml"), "utf8"))![1]!;
    await page.goto("/");
    const stamp = /pqseal (\S+), build ([0-9a-f]{16})/.exec(
        (await page.locator("footer").textContent())!,
    )!;
    expect(stamp[1]).toBe(version);
    expect(readFileSync(path("dist-single/pqseal.html"), "utf8")).toContain(stamp[0]);
});

// No link: a browser that blocks what a page could send by blocks links to other places too.
test("the footer says where the source code is", async ({ page }) => {
    const url = /^repository = "(.*)"$/m.exec(readFileSync(path("../Cargo.toml"), "utf8"))![1]!;
    await page.goto("/");
    await expect(page.locator("footer")).toContainText(`Source code: ${url}`);
});
