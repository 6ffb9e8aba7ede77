// Private keys on the page: not offered to a password manager, not left behind, not lost.
import { readFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { addKey, open, panel, pqseal, published, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => void (await page.goto("/")));

test("no field is a password's, and the key is not readable on the screen", async ({ page }) => {
    await addKey(page);
    expect(await page.locator("input[type=password]").count()).toBe(0);
    const field = page.getByLabel("Or paste a key");
    expect(await field.evaluate((element) => getComputedStyle(element).getPropertyValue("-webkit-text-security"))).toBe("disc");
    for (const manager of ["data-1p-ignore", "data-lpignore", "data-bwignore"]) await expect(field).toHaveAttribute(manager);
});

test("keys are a list: label, kind, id, public key, how many each opened; one is removed", async ({ page }) => {
    const other = pqseal.generateKeyPair("mlkem768-x25519");
    await addKey(page);
    await page.locator("#key-file").setInputFiles({ name: "rotated.key", mimeType: "", buffer: Buffer.from(other.privateKey.export("line")) });
    const keys = page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    await expect(keys).toContainText(["Pasted", "rotated.key"]);
    const blob = pqseal.seal(other.publicKey, new TextEncoder().encode("new"));
    await open(page, [sealed("old"), blob, blob].join("\n"));
    await expect(keys).toContainText(["x25519, id 5415100940c68e69opened 1", `mlkem768-x25519, id ${other.privateKey.keyId}opened 2`]);
    await keys.last().locator("summary").click();
    await expect(keys.last().locator("code")).toHaveText(other.publicKey);
    await page.getByRole("button", { name: `Remove the key ${other.privateKey.keyId}` }).click();
    await expect(keys).toHaveCount(1);
    // What it had opened is not shown any more.
    await expect(page.locator("#counts")).toContainText("Opened 1 of 3 records. 2 could not be opened.");
    await expect(page.locator("#rows pre")).toHaveText(["old"]);
    await expect(page.locator("#rows .error").first()).toContainText(other.privateKey.keyId);
});

test("a key that was made and is used opens after another was made, and after another was removed", async ({ page }) => {
    await panel(page, "Make keys");
    const make = page.getByRole("button", { name: "Make key pair" });
    await make.click();
    await expect(page.locator("#made-public")).not.toHaveValue("");
    const publicKey = await page.locator("#made-public").inputValue();
    await page.getByRole("button", { name: "Use this key to open data" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save private key" }).click();
    await download;
    await make.click();
    await expect(page.locator("#made-public")).not.toHaveValue(publicKey);
    await panel(page, "Open");
    await addKey(page);
    await page.getByRole("button", { name: "Remove the key 5415100940c68e69" }).click();
    await open(page, pqseal.seal(publicKey, new TextEncoder().encode("still")));
    await expect(page.locator("#rows pre")).toHaveText("still");
});

test("after Clear no field holds what was in it", async ({ page }) => {
    await addKey(page);
    for (const name of ["Open", "Inspect", "Seal"]) {
        await panel(page, name);
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const fields = page.locator("main input:not([type=file]):visible, main textarea:not([readonly]):visible");
        for (const field of await fields.all()) if (await field.isEnabled()) await field.fill("left behind");
    }
    await panel(page, "Open");
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.locator("#keys")).toHaveText("Cleared. No key yet.");
    const left = await page.locator("input, textarea").evaluateAll((fields) =>
        (fields as HTMLInputElement[]).filter(({ value }) => value === "left behind").map(({ id }) => id));
    // The names of members are a setting, and no data.
    expect(left).toEqual(["fields"]);
});

test.describe("a private key that is in no file", () => {
    const make = (page: Page) => page.getByRole("button", { name: "Make key pair" }).click();
    const clear = (page: Page) => page.getByRole("button", { name: "Clear keys and data" }).click();
    const question = (page: Page) => page.getByRole("dialog", { name: "The private key is not saved" });
    const publicKey = (page: Page) => page.locator("#made-public").inputValue();

    test.beforeEach(async ({ page }) => {
        await panel(page, "Make keys");
        await make(page);
        await expect(page.locator("#made-public")).not.toHaveValue("");
    });

    test("is asked about before Clear: back, save, discard", async ({ page }) => {
        const made = await publicKey(page);
        await panel(page, "Open");
        await clear(page);
        await expect(question(page)).toBeVisible();
        await page.getByRole("button", { name: "Back" }).click();
        await expect(page.locator("#made-public")).toHaveValue(made);
        await clear(page);
        await page.keyboard.press("Escape");
        await expect(page.locator("#made-public")).toHaveValue(made);
        await clear(page);
        const download = page.waitForEvent("download");
        await question(page).getByRole("button", { name: "Save private key" }).click();
        expect(pqseal.derivePublicKey(readFileSync(await (await download).path(), "utf8"))).toBe(made);
        await expect(page.locator("#keys")).toHaveText("Cleared. No key yet.");
        await panel(page, "Make keys");
        await make(page);
        await expect(page.locator("#made")).toBeVisible();
        await panel(page, "Open");
        await clear(page);
        await page.getByRole("button", { name: "Discard it" }).click();
        await expect(page.locator("#made-public")).toHaveValue("");
    });

    test("is asked about before another is made, and once saved is not", async ({ page }) => {
        const made = await publicKey(page);
        await make(page);
        await question(page).getByRole("button", { name: "Back" }).click();
        await expect(page.locator("#made-public")).toHaveValue(made);
        const download = page.waitForEvent("download");
        await page.getByRole("button", { name: "Save private key" }).click();
        await download;
        await make(page);
        await expect(page.locator("#made-public")).not.toHaveValue(made);
        await expect(question(page)).toBeHidden();
    });

    test("is asked about by the browser before the page is left", { tag: "@dialog" }, async ({ page }) => {
        const asked = page.waitForEvent("dialog");
        await page.close({ runBeforeUnload: true });
        expect((await asked).type()).toBe("beforeunload");
        await (await asked).dismiss();
        // The page is still there. A browser that is closed before the dialog is gone may hang.
        await expect(page.locator("#made-public")).not.toHaveValue("");
    });

    test("outlives idle time, when the other keys and data go", { tag: "@clock" }, async ({ page, context }) => {
        const other = await context.newPage();
        await other.clock.install();
        await other.goto("/");
        await addKey(other);
        await open(other, published.blob);
        await expect(other.locator("#rows pre")).toHaveCount(1);
        await panel(other, "Make keys");
        await make(other);
        await expect(other.locator("#made-public")).not.toHaveValue("");
        const made = await publicKey(other);
        const ended = other.workers()[0]!.waitForEvent("close");
        await other.clock.fastForward("15:01");
        await ended;
        await expect(other.locator("#keys")).toContainText("was kept, since it is not saved yet");
        await expect(other.locator("#rows")).toBeEmpty();
        await other.clock.resume();
        const download = other.waitForEvent("download");
        await other.getByRole("button", { name: "Save private key" }).click();
        expect(pqseal.derivePublicKey(readFileSync(await (await download).path(), "utf8"))).toBe(made);
        await panel(other, "Open");
        await open(other, sealed("x"));
        await expect(other.locator("#failures")).toContainText("no private key was given");
    });
});

test("a private key in place of the recipient's public key is not sealed to", async ({ page }) => {
    const seal = async (key: string) => {
        await page.getByLabel("Public key of the recipient").fill(key);
        await page.getByLabel("Message").fill("m");
        await page.locator("#seal-form .main").click();
        await expect(page.locator("#seal-form")).not.toHaveAttribute("aria-busy", "true");
    };
    const refused = async (key: string, words: string) => {
        await seal(key);
        await expect(page.locator("#seal-error")).toContainText(words);
        await expect(page.locator("#sealed")).toHaveValue("");
    };
    await panel(page, "Seal");
    const { privateKey, publicKey } = pqseal.generateKeyPair("x25519");
    for (const form of ["pem", "json", "line", "jwk"] as const) await refused(privateKey.export(form), publicKey);
    const raw = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    const bits = (first: number, last: number) => raw(new Uint8Array(32).map((_, i) => (i === 0 ? first : i === 31 ? last : 7)));
    // Its highest bit is set; it is no point of the curve; its bits are those of the published private key.
    await refused(bits(1, 0xc0), "not an X25519 public key");
    await refused(raw(new Uint8Array(32).fill(2, 0, 1)), "not an X25519 public key");
    await refused(published.key, "private key");
    // What may be either is sealed to when the user insists, and what is surely public at once.
    const either = clampedPublicKey();
    await refused(either, "press Seal again");
    await page.locator("#seal-form .main").click();
    await expect(page.locator("#sealed")).not.toHaveValue("");
    await seal(publicKeyNotClamped());
    await expect(page.locator("#sealed")).not.toHaveValue("");
    // A key that the page has is known, whatever its bits.
    await panel(page, "Open");
    const known = privateKeyThatLooksPublic();
    await addKey(page, known);
    await panel(page, "Seal");
    await refused(known, "This is a private key");
});

const clamped = (key: string) => {
    const bytes = Buffer.from(key, "base64");
    return (bytes[0]! & 7) === 0 && bytes[31]! >> 6 === 1;
};

function clampedPublicKey(): string {
    for (;;) {
        const { publicKey } = pqseal.generateKeyPair("x25519");
        if (clamped(publicKey)) return publicKey;
    }
}

function publicKeyNotClamped(): string {
    for (;;) {
        const { publicKey } = pqseal.generateKeyPair("x25519");
        if (!clamped(publicKey)) return publicKey;
    }
}

/** A public key's bytes are a private key too. */
const privateKeyThatLooksPublic = publicKeyNotClamped;
