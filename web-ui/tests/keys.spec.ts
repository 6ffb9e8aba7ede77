// Private keys on the page: not offered to a password manager, not left behind, not lost.
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import * as files from "../../wasm/pkg/dist/files/index.js";
import { addKey, drop, open, panel, pqseal, published, sealed } from "./page.ts";

test.beforeEach(async ({ page }) => void (await page.goto("/")));

test("no field is a password's, and the key is not readable on the screen", async ({ page }) => {
    await addKey(page);
    expect(await page.locator("input[type=password]").count()).toBe(0);
    for (const field of [page.getByLabel("Or paste a key"), page.locator("#key-passphrase")]) {
        expect(
            await field.evaluate((element) =>
                getComputedStyle(element).getPropertyValue("-webkit-text-security")
            ),
        ).toBe("disc");
        for (const manager of ["data-1p-ignore", "data-lpignore", "data-bwignore"])
            await expect(field).toHaveAttribute(manager);
    }
});

test("keys are a list: label, kind, id, public key, how many each opened; one is removed", {
    tag: "@main",
}, async ({ page }) => {
    const other = pqseal.generateKeyPair("mlkem768-x25519");
    await addKey(page);
    await page.locator("#key-file").setInputFiles({
        name: "rotated.key",
        mimeType: "",
        buffer: Buffer.from(other.privateKey.export("line")),
    });
    const keys = page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    await expect(keys).toContainText(["Pasted", "rotated.key"]);
    const blob = pqseal.seal(other.publicKey, new TextEncoder().encode("new"));
    await open(page, [sealed("old"), blob, blob].join("\n"));
    await expect(keys).toContainText(["x25519, id 5415100940c68e69opened 1",
        `mlkem768-x25519, id ${other.privateKey.keyId}opened 2`]);
    await keys.last().locator("summary").click();
    await expect(keys.last().locator("code")).toHaveText(other.publicKey);
    await page.getByRole("button", { name: `Remove the key ${other.privateKey.keyId}` }).click();
    await expect(keys).toHaveCount(1);
    // What it had opened is not shown any more.
    await expect(page.locator("#counts")).toContainText(
        "Opened 1 of 3 records. 2 could not be opened.",
    );
    await expect(page.locator("#rows pre")).toHaveText(["old"]);
    await expect(page.locator("#rows .error").first()).toContainText(other.privateKey.keyId);
});

test("names of files are shown as data is: on keys, on what was opened, in errors, and under Files", async ({ page }) => {
    const name = (ending: string) => `report\u202efdp${ending}`;
    const file = (name: string, content: string | Uint8Array) => ({
        name,
        mimeType: "",
        buffer: Buffer.from(content),
    });
    const chip = (id: string) => page.locator(`${id} .chip`);
    await page.locator("#key-file").setInputFiles(file(name(".key"), published.key));
    await expect(chip("#key-list")).toHaveText("U+202E");
    await page.locator("#log-file").setInputFiles(file(name(".ndjson"), sealed("x")));
    await expect(chip("#source")).toHaveText("U+202E");
    await page.locator("#log-file").setInputFiles([
        file(name(".zip"), Buffer.from("504b0304", "hex")),
        file("b", sealed("x")),
    ]);
    await expect(page.locator("#run-error")).toContainText("report⟦202E⟧fdp.zip: ");
    await page.locator("#key-file").setInputFiles(
        file(name(".age"),
            files.encrypt({ passphrase: "x", scryptWorkFactor: 10 }, new Uint8Array(1))),
    );
    await expect(page.locator("#unlock-label")).toHaveText("Passphrase of report⟦202E⟧fdp.age");
    await panel(page, "Files");
    await page.locator("#file").setInputFiles(file(name(".exe"), "x"));
    await expect(chip("#file-facts")).toHaveText("U+202E");
    await page.getByLabel("Or a passphrase").fill("x");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Encrypt and save" }).click();
    await download;
    await expect(chip("#file-done")).toHaveText("U+202E");
    expect(await page.locator("body").innerText()).not.toContain("\u202e");
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

test.describe("a key in the field that was not added", () => {
    const field = (page: Page) => page.getByLabel("Or paste a key");

    test("is added by Open, and by a log export that is chosen", async ({ page }) => {
        await field(page).fill(published.key);
        await open(page, sealed("opened"));
        await expect(page.locator("#rows pre")).toHaveText("opened");
        await expect(page.locator("#keys")).toContainText("Ready: x25519");
        await expect(field(page)).toHaveValue("");
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await field(page).fill(published.key);
        await page.locator("#log-file").setInputFiles({
            name: "a.txt",
            mimeType: "",
            buffer: Buffer.from(sealed("from a file")),
        });
        await expect(page.locator("#rows pre")).toHaveText("from a file");
    });

    test("says what is wrong with it, and opens once it is right", { tag: "@active" },
        async ({ page }) => {
            await field(page).fill("no key at all");
            await open(page, sealed("later"));
            await expect(page.locator("#key-error")).not.toBeEmpty();
            await expect(page.locator("#key-error")).toBeInViewport();
            await expect(field(page)).toBeFocused();
            await expect(page.locator("#results")).toBeHidden();
            await addKey(page);
            await expect(page.locator("#rows pre")).toHaveText("later");
            await expect(page.locator("#key-error")).toBeEmpty();
        });

    test("is forgotten with what waits for it by Clear", async ({ page }) => {
        await field(page).fill("no key at all");
        await open(page, sealed("cleared"));
        await expect(page.locator("#key-error")).not.toBeEmpty();
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await addKey(page);
        await expect(page.locator("#results")).toBeHidden();
    });

    test("is recognised if it is sealed data", async ({ page }) => {
        for (
            const data of [published.blob,
                JSON.stringify({ Metadata: { encrypted_matched_data: published.blob } })]
        ) {
            await field(page).fill(data);
            await page.getByRole("button", { name: "Add key" }).click();
            await expect(page.locator("#key-error")).toHaveText(
                "This looks like encrypted data, not a private key: paste it under 2. Sealed data.",
            );
            await field(page).fill(published.key.slice(0, -4));
            await page.getByRole("button", { name: "Add key" }).click();
            await expect(page.locator("#key-error")).not.toContainText("encrypted data");
            await expect(page.locator("#key-error")).not.toBeEmpty();
        }
    });
});

test("after Clear no field holds what was in it", async ({ page }) => {
    await addKey(page);
    for (const name of ["Open", "Inspect", "Seal"]) {
        await panel(page, name);
        for (const summary of await page.locator("summary:visible").all()) await summary.click();
        const fields = page.locator(
            "main input:not([type=file]):visible, main textarea:not([readonly]):visible",
        );
        for (const field of await fields.all())
            if (await field.isEnabled()) await field.fill("left behind");
    }
    await panel(page, "Open");
    await page.getByRole("button", { name: "Clear keys and data" }).click();
    await expect(page.locator("#keys")).toHaveText("Cleared. No key yet.");
    const left = await page.locator("input, textarea").evaluateAll((fields) =>
        (fields as HTMLInputElement[]).filter(({ value }) => value === "left behind").map((
            { id },
        ) => id)
    );
    // The names of members are a setting, and no data.
    expect(left).toEqual(["fields"]);
});

test.describe("a private key that is in no file", () => {
    const make = (page: Page) => page.getByRole("button", { name: "Make key pair" }).click();
    const clear = (page: Page) => page.getByRole("button", { name: "Clear keys and data" }).click();
    const question = (page: Page) =>
        page.getByRole("dialog", { name: "The private key is not saved" });
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
        expect(pqseal.derivePublicKey(readFileSync(await (await download).path(), "utf8"))).toBe(
            made,
        );
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

    test("is asked about by the browser before the page is left", { tag: "@dialog" },
        async ({ page }) => {
            const asked = page.waitForEvent("dialog");
            await page.close({ runBeforeUnload: true });
            expect((await asked).type()).toBe("beforeunload");
            await (await asked).dismiss();
            // The page is still there. A browser that is closed before the dialog is gone may hang.
            await expect(page.locator("#made-public")).not.toHaveValue("");
        });

    test("outlives idle time, when the other keys and data go", { tag: "@clock" },
        async ({ page, context }) => {
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
            await expect(other.locator("#keys")).toContainText(
                "was kept, since it is not saved yet",
            );
            await expect(other.locator("#rows")).toBeEmpty();
            await other.clock.resume();
            const download = other.waitForEvent("download");
            await other.getByRole("button", { name: "Save private key" }).click();
            expect(pqseal.derivePublicKey(readFileSync(await (await download).path(), "utf8")))
                .toBe(made);
            await panel(other, "Open");
            await open(other, sealed("x"));
            await expect(other.locator("#failures")).toContainText("no private key was given");
        });
});

test.describe("a key file under a passphrase", () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const locked = (content: string | Uint8Array, armor = false) =>
        files.encrypt({ passphrase: "correct horse", scryptWorkFactor: 10 },
            typeof content === "string" ? bytes(content) : content, { armor });
    const choose = (page: Page, ...named: [name: string, file: Uint8Array][]) =>
        page.locator("#key-file").setInputFiles(
            named.map(([name, file]) => ({ name, mimeType: "", buffer: Buffer.from(file) })),
        );
    const unlock = async (page: Page, passphrase = "correct horse") => {
        await page.locator("#key-passphrase").fill(passphrase);
        await page.getByRole("button", { name: "Add keys" }).click();
    };
    const error = (page: Page) => page.locator("#key-error");
    const keys = (page: Page) =>
        page.getByRole("list", { name: "Private keys" }).getByRole("listitem");
    const key = (kem: string) => pqseal.generateKeyPair(kem).privateKey;

    /** A key in PEM under the passphrase, as `openssl pkcs8` writes it. */
    const openssl = (pem: string, ...options: string[]) =>
        execFileSync("openssl", ["pkcs8", "-topk8", "-passout", "pass:correct horse", ...options], {
            input: pem,
            encoding: "utf8",
        });

    test("opens what was asked for before it was unlocked", { tag: "@active" },
        async ({ page }) => {
            await page.getByLabel("Or paste a key").fill(
                new TextDecoder().decode(locked(published.key, true)),
            );
            await open(page, sealed("unlocked"));
            await expect(page.getByLabel("Passphrase of Pasted")).toBeFocused();
            await expect(page.locator("#results")).toBeHidden();
            await unlock(page);
            await expect(page.locator("#rows pre")).toHaveText("unlocked");
        });

    test("opens with it, and only with it, whatever is in it", { tag: "@active" },
        async ({ page }) => {
            const der = Buffer.from(key("x25519").export("pem").replace(/-----.*-----|\n/g, ""),
                "base64");
            // The third and the fourth need the module with all algorithms.
            const contents = [key("mlkem768-x25519").export("line"), key("x25519").export("raw"),
                key("x25519").export("json"), new Uint8Array(der), key("p256").export("pem"),
                `# old\r\n${key("x25519").export("line").trim()}\r\n\r\n# new\r\n${
                    key("mlkem1024").export("line")
                }`];
            let count = 0;
            for (const [i, content] of contents.entries()) {
                await choose(page, [`locked ${i}`, locked(content, i % 2 === 1)]);
                await expect(page.getByLabel(`Passphrase of locked ${i}`)).toBeFocused();
                await unlock(page, "wrong");
                await expect(error(page)).toHaveText("The passphrase is wrong.");
                await expect(keys(page)).toHaveCount(count);
                await unlock(page);
                await expect(keys(page)).toHaveCount(count += i === 5 ? 2 : 1);
                await expect(keys(page).last()).toContainText(`locked ${i}`);
                await expect(page.locator("#unlock-form")).toBeHidden();
                await expect(page.locator("#key-passphrase")).toHaveValue("");
                await expect(error(page)).toBeEmpty();
            }
            // The same key once more is no second one.
            await choose(page, ["again", locked(contents[0]!)]);
            await unlock(page);
            await expect(page.locator("#unlock-form")).toBeHidden();
            await expect(keys(page)).toHaveCount(count);
            const publicKey = pqseal.derivePublicKey(contents[0] as string);
            await open(page, pqseal.seal(publicKey, bytes("for the key in it")));
            await expect(page.locator("#rows pre")).toHaveText("for the key in it");
        });

    test("may be pasted as text, and hold PEM blocks, of which those of private keys are taken", {
        tag: "@active",
    }, async ({ page }) => {
        const [first, second] = [key("x25519"), key("x25519")];
        const pem = `Bag Attributes\n${
            first.export("pem")
        }-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n${second.export("pem")}`;
        await page.getByLabel("Or paste a key").fill(new TextDecoder().decode(locked(pem, true)));
        await page.getByRole("button", { name: "Add key", exact: true }).click();
        await expect(page.getByLabel("Or paste a key")).toHaveValue("");
        await expect(page.getByLabel("Passphrase of Pasted")).toBeFocused();
        await page.keyboard.type("correct horse");
        await page.keyboard.press("Enter");
        await expect(keys(page)).toContainText([first.keyId, second.keyId]);
    });

    test("may be PEM of OpenSSL's, and opens with its passphrase only", async ({ page }) => {
        const [first, second] = [key("x25519"), key("p256")];
        let count = 0;
        for (
            const [name, pem] of [
                ["pbkdf2.pem", openssl(first.export("pem"))],
                // It needs the module with all algorithms.
                ["scrypt.pem", openssl(second.export("pem"), "-scrypt")],
            ] as const
        ) {
            await choose(page, [name, bytes(pem)]);
            await expect(page.getByLabel(`Passphrase of ${name}`)).toBeVisible();
            await unlock(page, "wrong");
            await expect(error(page)).toHaveText("The passphrase is wrong.");
            await expect(keys(page)).toHaveCount(count);
            await unlock(page);
            await expect(keys(page)).toHaveCount(++count);
            await expect(keys(page).last()).toContainText(name);
            await expect(error(page)).toBeEmpty();
        }
        await expect(keys(page)).toContainText([first.keyId, second.keyId]);
        await open(page, pqseal.seal(second.publicKey(), bytes("for P-256")));
        await expect(page.locator("#rows pre")).toHaveText("for P-256");
    });

    test("may be PEM with other blocks, lines and text beside, pasted", async ({ page }) => {
        const all = ["x25519", "p256", "x25519", "x25519", "mlkem768-x25519"].map(key);
        const [a, b, c] = [0, 1, 2].map((i) => all[i]!.export("pem")) as [string, string, string];
        const text =
            `# für Büro\n${
                openssl(a)
            }-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${
                openssl(b, "-scrypt")
            }`
            + `Bag Attributes\n    localKeyID: 01\n${c}# -----BEGIN PRIVATE KEY-----\n${
                all[3]!.export("line").trim()
            } # in use\n\n${all[4]!.export("line")}`;
        await page.getByLabel("Or paste a key").fill(text);
        await page.getByRole("button", { name: "Add key", exact: true }).click();
        await expect(page.getByLabel("Or paste a key")).toHaveValue("");
        await expect(page.getByLabel("Passphrase of Pasted")).toBeVisible();
        await unlock(page);
        await expect(keys(page)).toContainText(all.map(({ keyId }) => keyId));
    });

    test("in PEM says why it is not opened", async ({ page }) => {
        const pem = key("x25519").export("pem");
        const ed25519 = generateKeyPairSync("ed25519").privateKey
            .export({
                type: "pkcs8",
                format: "pem",
                cipher: "aes-256-cbc",
                passphrase: "correct horse",
            }) as string;
        for (
            const [file, words] of [
                [openssl(pem, "-v2", "des3"),
                    "Its encryption is not supported; run openssl pkcs8 -topk8"],
                [openssl(pem, "-iter", "10000001"),
                    "Its passphrase needs more work than the limit"],
                [openssl(pem).slice(0, -20), "Its ENCRYPTED PRIVATE KEY is malformed or was cut."],
                [ed25519,
                    "The private key was decrypted, but cannot be used: it is for a KEM or a curve that is not supported"],
            ] as const
        ) {
            await choose(page, ["x", bytes(file)]);
            await unlock(page);
            await expect(error(page)).toContainText(words);
            await page.getByRole("button", { name: "Skip this file" }).click();
            await expect(page.locator("#unlock-form")).toBeHidden();
        }
        await expect(keys(page)).toHaveCount(0);
    });

    test("in PEM is recognised when it is dropped, and a log that quotes one is not taken for it",
        async ({ page }, info) => {
            const [first, second] = [key("x25519"), key("x25519")];
            const pem = openssl(first.export("pem"));
            const log = `${
                JSON.stringify({ encrypted_matched_data: sealed("opened"), note: pem })
            }\n`;
            for (
                const [name, text] of [["a.pem", pem], ["b.pem",
                    `\ufeff${openssl(second.export("pem"), "-scrypt")}`], ["c.ndjson",
                    log]] as const
            )
                writeFileSync(info.outputPath(name), text);
            await panel(page, "Make keys");
            await drop(page, ["a.pem", "b.pem"].map((name) => info.outputPath(name)), "body");
            for (const name of ["a.pem", "b.pem"]) {
                await expect(page.getByLabel(`Passphrase of ${name}`)).toBeVisible();
                await unlock(page);
            }
            await expect(keys(page)).toContainText([first.keyId, second.keyId]);
            await addKey(page);
            await drop(page, info.outputPath("c.ndjson"), "body");
            await expect(page.locator("#unlock-form")).toBeHidden();
            await expect(page.locator("#rows pre")).toHaveText("opened");
        });

    test("may hold identities of age's, which decrypt files too", async ({ page }) => {
        const identities = [files.generateX25519Identity(), files.generateHybridIdentity()];
        await choose(page, ["identities", locked(
            `# created: today\n${identities.map((one) => `# public key: age1\n${one}\n`).join("")}`,
        )]);
        await unlock(page);
        await expect(keys(page)).toHaveCount(2);
        await expect(keys(page)).toContainText(["x25519, id", "mlkem768-x25519, id"]);
        await panel(page, "Files");
        for (const identity of identities) {
            const file = files.encrypt(files.identityToRecipient(identity),
                bytes("for the identity"));
            await page.locator("#file").setInputFiles({
                name: "x.age",
                mimeType: "",
                buffer: Buffer.from(file),
            });
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name: "Decrypt and save" }).click();
            expect(readFileSync(await (await download).path(), "utf8")).toBe("for the identity");
        }
    });

    test("says why it has no key", async ({ page }) => {
        const line = key("x25519").export("line");
        const identity = files.generateX25519Identity();
        const hard = Buffer.from(
            Buffer.from(locked(line)).toString("latin1").replace(/(-> scrypt \S+ )10/, "$122"),
            "latin1",
        );
        const altered = locked(line);
        altered[altered.length - 1]! ^= 1;
        for (
            const [file, words] of [
                [hard, "The passphrase asks for 2^22 steps of scrypt; at most 2^20 are allowed."],
                [altered, "The end of the file does not authenticate"],
                [locked("a recipe for soup"),
                    "The file was decrypted, but there is no private key in it: "],
                [locked("# nothing\n\n"),
                    "there is no private key in it: it is empty. Other files are decrypted under Files."],
                [locked(pqseal.generateKeyPair("mlkem768-x25519").publicKey),
                    "there is no private key in it"],
                [locked(`${line}\n${line.slice(0, -9)}`), "there is no private key in it"],
                [locked(identity.replace(/.$/, (last) => (last === "Q" ? "P" : "Q"))),
                    "Its checksum is wrong"],
                [locked("AGE-PLUGIN-YUBIKEY-1QQQ"), "It is for an age plugin"],
            ] as const
        ) {
            await choose(page, ["x", file]);
            await unlock(page);
            await expect(error(page)).toContainText(words);
            await page.getByRole("button", { name: "Skip this file" }).click();
            await expect(page.locator("#unlock-form")).toBeHidden();
            await expect(error(page)).toBeEmpty();
        }
        await choose(page, ["x", locked(line)]);
        await unlock(page, "");
        await expect(error(page)).toHaveText("Give the passphrase of the key file.");
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await expect(page.locator("#unlock-form")).toBeHidden();
        for (
            const [file, words] of [
                [files.encrypt(files.identityToRecipient(identity), bytes(line)),
                    "encrypted to a key, and not with a passphrase. Decrypt it under Files"],
                [bytes("age-encryption.org/v1\n-> scrypt"),
                    "The header is incomplete: the file was cut."],
            ] as const
        ) {
            await choose(page, ["x", file]);
            await expect(error(page)).toContainText(words);
            await expect(page.locator("#unlock-form")).toBeHidden();
        }
        await expect(keys(page)).toHaveCount(0);
    });

    test("is recognised when it is dropped, with others, and each is asked for",
        async ({ page }, info) => {
            const [first, second, plain] = [key("x25519"), key("x25519"), key("x25519")];
            const dropped = {
                a: locked(first.export("line")),
                b: locked(second.export("line"), true),
                c: bytes(plain.export("line")),
                "d.age": files.encrypt(files.identityToRecipient(files.generateX25519Identity()),
                    bytes("to a recipient")),
                "e.age": files.encrypt({ passphrase: "x", scryptWorkFactor: 10 },
                    new Uint8Array(300_000)),
            };
            for (const [name, file] of Object.entries(dropped))
                writeFileSync(info.outputPath(name), file);
            await panel(page, "Make keys");
            await drop(page, ["a", "b", "c"].map((name) => info.outputPath(name)), "body");
            await expect(page.locator("#open")).toBeVisible();
            await expect(page.getByLabel("Passphrase of a")).toBeVisible();
            await expect(keys(page)).toContainText([plain.keyId]);
            await unlock(page);
            await expect(page.getByLabel("Passphrase of b")).toBeVisible();
            await expect(page.locator("#key-passphrase")).toHaveValue("");
            await unlock(page);
            await expect(keys(page)).toContainText([plain.keyId, first.keyId, second.keyId]);
            // Other age files are not taken for key files: one for a recipient, and one that is too
            // long.
            for (const name of ["d.age", "e.age"]) {
                await panel(page, "Open");
                await drop(page, info.outputPath(name), "body");
                await expect(page.locator("#file-facts")).toContainText(name);
                await expect(page.locator("#unlock-form")).toBeHidden();
            }
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
    for (const form of ["pem", "json", "line", "jwk"] as const)
        await refused(privateKey.export(form), publicKey);
    const raw = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
    const bits = (first: number, last: number) =>
        raw(new Uint8Array(32).map((_, i) => (i === 0 ? first : i === 31 ? last : 7)));
    // Its highest bit is set; it is no point of the curve; its bits are those of the published
    // private key.
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
