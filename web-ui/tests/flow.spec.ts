// What people do with the page: open, make keys, inspect, seal.
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { addKey, clipboardText, expectCounts, open, panel, pqseal, published,
    sealed } from "./page.ts";

test.beforeEach(async ({ page }) => void (await page.goto("/")));

test("the vendor's published blob opens", { tag: "@main" }, async ({ page }) => {
    await addKey(page);
    await open(page, published.blob);
    await expect(page.locator("#rows pre")).toContainText(
        `"http.request.uri.path": "${published.uri}"`,
    );
    await expectCounts(page, "Opened 1 of 1 record.");
});

test("a key file opens, and a second key after a rotation", { tag: "@main" }, async ({ page }) => {
    const other = pqseal.generateKeyPair("x25519");
    const blob = pqseal.seal(other.publicKey, new TextEncoder().encode("after"));
    await page.locator("#key-file").setInputFiles([
        { name: "a.key", mimeType: "", buffer: Buffer.from(published.key) },
        { name: "b.pem", mimeType: "", buffer: Buffer.from(other.privateKey.export("pem")) },
    ]);
    await expect(page.locator("#keys")).toContainText("2 keys ready");
    await open(page, `${sealed("before")}\n${blob}`);
    await expect(page.locator("#rows pre")).toHaveText(["before", "after"]);
});

test("a pasted PEM keeps its lines", { tag: "@clipboard" }, async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { privateKey, publicKey } = pqseal.generateKeyPair("x25519");
    await page.evaluate((pem) => navigator.clipboard.writeText(pem), privateKey.export("pem"));
    await page.getByLabel("Or paste a key").focus();
    await page.keyboard.press("Control+V");
    await page.keyboard.press("Enter");
    await expect(page.locator("#keys")).toContainText(privateKey.keyId);
    await open(page, pqseal.seal(publicKey, new TextEncoder().encode("PEM")));
    await expect(page.locator("#rows pre")).toHaveText("PEM");
});

test("each blob that does not open says why, and stops no other", { tag: "@main" },
    async ({ page }) => {
        await addKey(page);
        const other = pqseal.seal(pqseal.generateKeyPair("x25519").publicKey, new Uint8Array(3));
        const good = sealed("good");
        await open(page,
            [good, other, "truncated", "!!!", "CQ==", good.slice(0, 40), `${good.slice(0, -4)}AAAA`,
                "{\"broken"].join("\n"));
        await expectCounts(page, "Opened 1 of 8 records. 7 could not be opened.");
        await expect(page.locator("#rows pre")).toHaveText(["good"]);
        await expect(page.locator("#rows .error")).toHaveCount(7);
        for (
            const reason of ["1 × sealed to another key", "too large", "not base64", "version",
                "cut off", "after its end", "damaged"]
        )
            await expect(page.locator("#failures")).toContainText(reason);
    });

test("a version 4 blob of another key names it, and a refused algorithm is told", async ({ page }) => {
    await addKey(page);
    const other = pqseal.generateKeyPair("mlkem768-x25519");
    const blob = pqseal.seal(other.publicKey, new Uint8Array(3));
    // The KEM's number is in the second and third byte: secp256k1's in place of the hybrid's.
    const refused = Buffer.from(blob, "base64").fill(Buffer.from([0x00, 0x16]), 1, 3).toString(
        "base64",
    );
    await open(page, `${blob}\n${refused}`);
    await expect(page.locator("#rows .error")).toContainText([other.privateKey.keyId,
        "use p256 or x25519"]);
    await expect(page.locator("#failures")).toContainText("1 × sealed to a key you have not added");
    await expect(page.locator("#failures")).toContainText(
        "1 × sealed with a KEM that is not supported",
    );
});

test("without a key it says so; with nothing to open, too", async ({ page }) => {
    await open(page, published.blob);
    await expect(page.locator("#failures")).toContainText("no private key was given");
    await open(page, " ");
    await expect(page.locator("#run-error")).toContainText("Nothing to open");
    await page.getByLabel("Or paste a key").fill("no key at all");
    await page.getByRole("button", { name: "Add key" }).click();
    await expect(page.locator("#key-error")).not.toBeEmpty();
});

test("a pair that was made is saved, shown when asked, and opens", { tag: "@main" },
    async ({ page }) => {
        await panel(page, "Make keys");
        await page.getByRole("button", { name: "Make key pair" }).click();
        await expect(page.getByLabel("Public key", { exact: true })).toHaveValue(
            /^pqseal-public-key:mlkem768-x25519:/,
        );
        await expect(page.locator("#made-private")).toBeHidden();
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: "Save private key" }).click();
        const file = readFileSync(await (await download).path(), "utf8");
        expect(pqseal.derivePublicKey(file)).toBe(await page.locator("#made-public").inputValue());
        await page.getByRole("button", { name: "Show" }).click();
        await expect(page.locator("#made-private")).toHaveValue(file.trim());
        await page.getByRole("button", { name: "Use this key to open data" }).click();
        await panel(page, "Open");
        await open(page,
            pqseal.seal(pqseal.derivePublicKey(file), new TextEncoder().encode("for the new key")));
        await expect(page.locator("#rows pre")).toHaveText("for the new key");
    });

test("Copy says so, twice in a row too, and where there is no clipboard", { tag: "@clipboard" },
    async ({ page, context }) => {
        await context.grantPermissions(["clipboard-read", "clipboard-write"]);
        await addKey(page);
        await open(page, sealed("copied"));
        const button = page.getByRole("button", { name: "Copy, record 1" });
        await button.click();
        await button.click();
        await expect(button).toHaveText("Copied");
        await expect(page.locator("#announced")).toHaveText("Copied.");
        expect(await clipboardText(page)).toBe("copied");
        await expect(button).toHaveText("Copy");
        await page.evaluate(() =>
            Object.defineProperty(navigator, "clipboard", { value: undefined })
        );
        await button.click();
        await expect(button).toHaveText("Not copied");
        await expect(page.locator("#announced")).toContainText("copy it by hand");
    });

test("what is refused is said in sentences", async ({ page }) => {
    const sentence = /^[A-Z][^`]*[^.?][.?]$/;
    await page.getByLabel("Or paste a key").fill("no key at all");
    await page.getByRole("button", { name: "Add key" }).click();
    await expect(page.locator("#key-error")).toHaveText(sentence);
    await panel(page, "Inspect");
    // The library's messages have backticks for the second of each.
    for (const blob of ["!", "truncated"]) {
        await page.getByLabel("Sealed data; no key is needed").fill(blob);
        await page.locator("#inspect-form button").click();
        await expect(page.locator("#inspect-error")).toHaveText(sentence);
    }
    await panel(page, "Seal");
    for (const key of ["no key", "pqseal-public-key:nothing:AAAA"]) {
        await page.getByLabel("Public key of the recipient").fill(key);
        await page.locator("#seal-form .main").click();
        await expect(page.locator("#seal-error")).toHaveText(sentence);
    }
});

test("inspect needs no key", async ({ page }) => {
    await panel(page, "Inspect");
    await page.getByLabel("Sealed data; no key is needed").fill(published.blob);
    await page.locator("#inspect-form button").click();
    await expect(page.locator("#facts")).toContainText("Version3 (RFC 9180)KEMx25519");
    await expect(page.locator("#facts")).toContainText("Data in it78 bytes");
    await page.getByLabel("Sealed data; no key is needed").fill("!");
    await page.locator("#inspect-form button").click();
    await expect(page.locator("#inspect-error")).not.toBeEmpty();
    await expect(page.locator("#facts")).toBeEmpty();
});

test("what is sealed here opens elsewhere, bound to its info", { tag: "@main" },
    async ({ page }) => {
        await panel(page, "Seal");
        await page.getByLabel("Public key of the recipient").fill(
            pqseal.PrivateKey.parse(published.key).publicKey(),
        );
        await page.getByLabel("Message").fill("to the edge");
        await page.locator("#seal-form .main").click();
        await expect(page.locator("#sealed")).not.toHaveValue("");
        const key = pqseal.PrivateKey.parse(published.key);
        const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
        const plain = await page.locator("#sealed").inputValue();
        expect(pqseal.inspect(plain).version).toBe(3);
        expect(text(pqseal.open(plain, key))).toBe("to the edge");
        await page.locator("#seal-form summary").click();
        await page.getByLabel("Info to bind it to").fill("zone 1");
        await page.locator("#seal-form .main").click();
        // Version 4 begins with the byte 4.
        await expect(page.locator("#sealed")).toHaveValue(/^B/);
        const bound = await page.locator("#sealed").inputValue();
        expect(text(pqseal.open(bound, key, { info: new TextEncoder().encode("zone 1") }))).toBe(
            "to the edge",
        );
        expect(() => pqseal.open(bound, key)).toThrow();
    });
