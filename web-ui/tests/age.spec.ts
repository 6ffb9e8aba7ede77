// Files in the age format: recognised, decrypted and encrypted in slices, saved whole or not at
// all.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Download, type Page, expect, test } from "@playwright/test";
import * as files from "../../wasm/pkg/dist/files/index.js";
import { addKey, drop, panel, path, pqseal } from "./page.ts";

const identity = files.generateHybridIdentity();
const recipient = files.identityToRecipient(identity);
const plaintext = new Uint8Array(randomBytes(2_500_000));

const choose = (page: Page, name: string, buffer: Uint8Array) =>
    page.locator("#file").setInputFiles({ name, mimeType: "", buffer: Buffer.from(buffer) });

async function saved(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array }> {
    const download: Promise<Download> = page.waitForEvent("download");
    await page.getByRole("button", { name: button }).click();
    const file = await download;
    return {
        name: file.suggestedFilename(),
        bytes: new Uint8Array(readFileSync(await file.path())),
    };
}

test.beforeEach(async ({ page }) => {
    await page.goto("/");
});

test("a file is encrypted to a recipient and decrypted with an identity", { tag: "@main" },
    async ({ page }) => {
        await panel(page, "Files");
        for (const armor of [false, true]) {
            await choose(page, "report.pdf", plaintext);
            await expect(page.locator("#file-facts")).toHaveText(
                "report.pdf, 2.5MB: not encrypted.",
            );
            await page.getByLabel("Recipients").fill(recipient);
            await page.getByLabel("As text (armor)").setChecked(armor);
            const encrypted = await saved(page, "Encrypt and save");
            // Firefox counts files of one name.
            expect(encrypted.name).toMatch(/^report\.pdf(\(1\))?\.age$/);
            expect(Buffer.compare(files.decrypt(encrypted.bytes, identity), plaintext)).toBe(0);
            await expect(page.locator("#file-done")).toContainText("Saved report.pdf.age");

            await choose(page, encrypted.name, encrypted.bytes);
            await expect(page.locator("#file-facts")).toContainText(
                `encrypted to 1 recipient (mlkem768x25519), post-quantum${
                    armor ? ", armored" : ""
                }.`,
            );
            await page.getByLabel("Identity").fill(`# created: today\n${identity}\n`);
            const opened = await saved(page, "Decrypt and save");
            expect(opened.name).toMatch(/^report\.pdf|report\(1\)\.pdf|report\.pdf\(1\)$/);
            expect(Buffer.compare(opened.bytes, plaintext)).toBe(0);
        }
    });

test("a dropped file is recognised on any panel, and the page's keys decrypt it",
    async ({ page }, info) => {
        const key = pqseal.generateKeyPair("mlkem768-x25519").privateKey;
        await addKey(page, key.export("line"));
        for (const [name, options] of [["binary.age", {}], ["armored", { armor: true }]] as const) {
            writeFileSync(info.outputPath(name),
                files.encrypt(key.publicKey("line"), plaintext, options));
            await panel(page, name === "armored" ? "Seal" : "Open");
            await drop(page, info.outputPath(name), "main");
            await expect(page.locator("#file-facts")).toContainText(`${name}, `);
            const opened = await saved(page, "Decrypt and save");
            expect(opened.name).toBe(name === "armored" ? "armored.decrypted" : "binary");
            expect(Buffer.compare(opened.bytes, plaintext)).toBe(0);
        }
        await expect(page.locator("#keys")).toContainText("Ready");
    });

test("a passphrase encrypts and decrypts", { tag: "@heavy" }, async ({ page }) => {
    await panel(page, "Files");
    await choose(page, "a.txt", plaintext.subarray(0, 10));
    await page.getByLabel("Or a passphrase").fill("correct horse");
    const { bytes } = await saved(page, "Encrypt and save");
    expect(
        Buffer.compare(files.decrypt(bytes, { passphrase: "correct horse" }),
            plaintext.subarray(0, 10)),
    ).toBe(0);
    await choose(page, "a.txt.age",
        files.encrypt({ passphrase: "battery", scryptWorkFactor: 10 }, plaintext));
    await expect(page.locator("#file-facts")).toContainText(
        "encrypted with a passphrase, post-quantum.",
    );
    await page.locator("#file-passphrase").fill("wrong");
    await page.getByRole("button", { name: "Decrypt and save" }).click();
    await expect(page.locator("#file-error")).toHaveText("The passphrase is wrong.");
    await page.locator("#file-passphrase").fill("battery");
    expect(Buffer.compare((await saved(page, "Decrypt and save")).bytes, plaintext)).toBe(0);
});

test("what fails says why, and nothing is saved", async ({ page }) => {
    let downloads = 0;
    page.on("download", () => downloads++);
    await panel(page, "Files");
    const file = files.encrypt(recipient, plaintext);
    const start = files.inspect(file).headerLength + 16;
    const altered = file.slice();
    altered[start + 200_000]! ^= 1;
    await page.getByLabel("Identity").evaluate(
        (field: HTMLTextAreaElement, text) => void (field.value = text),
        identity,
    );
    for (
        const [bytes, words] of [
            [file.subarray(0, start + 10 * 65_552), "The file was cut: its last chunk is missing."],
            [altered, "chunk 3 does not authenticate"],
            [file.subarray(0, file.length - 1), "cut within its last chunk"],
            [file.subarray(0, 300), "The header is incomplete: the file was cut."],
            [files.encrypt(files.identityToRecipient(files.generateHybridIdentity()), plaintext),
                "No identity matches"],
        ] as const
    ) {
        await choose(page, "x.age", bytes);
        await page.getByRole("button", { name: "Decrypt and save" }).click();
        await expect(page.locator("#file-error")).toContainText(words);
    }
    await page.getByLabel("Identity").fill("");
    await page.getByRole("button", { name: "Decrypt and save" }).click();
    await expect(page.locator("#file-error")).toContainText(
        "No key: give an identity or a passphrase",
    );
    await choose(page, "x.txt", plaintext);
    const encrypt = page.getByRole("button", { name: "Encrypt and save" });
    for (
        const [to, words] of [
            ["", "Nobody could decrypt it"],
            [identity, "It is a private key"],
            ["age1x", "Its checksum is wrong"],
            [`${recipient}\nage1x`, "Line 2"],
            [pqseal.generateKeyPair("x25519").publicKey, "Base64 does not say whose key it is"],
        ] as const
    ) {
        await page.getByLabel("Recipients").fill(to);
        await encrypt.click();
        await expect(page.locator("#file-error")).toContainText(words);
    }
    expect(downloads).toBe(0);
});

/**
 * A picker as Chromium has it, which saves into the page's own file system; what it makes can be
 * looked at.
 */
const picker = () => {
    window.showSaveFilePicker = async ({ suggestedName }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
};
const written = (page: Page, name: string) =>
    page.evaluate(async (name) => {
        const file = await (await (await navigator.storage.getDirectory()).getFileHandle(name))
            .getFile();
        const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
        return [file.size, Array.from(new Uint8Array(hash).slice(0, 8))] as const;
    }, name);

test("a large file goes to the disk as it is made, and can be cancelled", { tag: "@file-system" },
    async ({ page }, info) => {
        await page.evaluate(picker);
        await panel(page, "Files");
        const large = new Uint8Array(Buffer.concat(Array.from({ length: 16 }, () => plaintext)));
        writeFileSync(info.outputPath("large.age"), files.encrypt(recipient, large));
        await page.locator("#file").setInputFiles(info.outputPath("large.age"));
        await page.getByLabel("Identity").fill(identity);
        // As soon as something was read.
        await page.evaluate(async () => {
            document.getElementById("decrypt-go")!.click();
            while ((document.getElementById("file-bar") as HTMLProgressElement).value === 0)
                await new Promise((later) => setTimeout(later));
            document.getElementById("file-cancel")!.click();
        });
        await expect(page.locator("#file-done")).toHaveText("Cancelled. Nothing was saved.");
        expect((await written(page, "large"))[0]).toBe(0);
        await page.getByRole("button", { name: "Decrypt and save" }).click();
        await expect(page.locator("#file-done")).toHaveText("Saved large, 40MB.");
        const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", large)).slice(0, 8);
        expect(await written(page, "large")).toEqual([large.length, Array.from(hash)]);

        const cut = info.outputPath("cut.age");
        writeFileSync(cut, readFileSync(info.outputPath("large.age")).subarray(0, -10_000));
        await page.locator("#file").setInputFiles(cut);
        await page.getByRole("button", { name: "Decrypt and save" }).click();
        await expect(page.locator("#file-error")).toContainText(
            "end of the file does not authenticate",
        );
        expect((await written(page, "cut"))[0]).toBe(0);
    });

test("the page as one file does it too, and clearing ends it", async ({ page }) => {
    await page.goto(`${pathToFileURL(path("dist-single/pqseal.html"))}#files`);
    await choose(page, "x.age", files.encrypt(recipient, plaintext));
    await expect(page.locator("#file-facts")).toContainText("1 recipient");
    await page.getByLabel("Identity").fill(identity);
    expect(Buffer.compare((await saved(page, "Decrypt and save")).bytes, plaintext)).toBe(0);
    await panel(page, "Open");
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await panel(page, "Files");
    await expect(page.locator("#file-facts")).toHaveText("No file yet.");
    await expect(page.getByRole("button", { name: "Decrypt and save" })).toBeHidden();
    await expect(page.locator("#file-identity")).toHaveValue("");
});
