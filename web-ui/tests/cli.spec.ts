// Keys made in the page open in the command line, and keys of the command line in the page: every
// KEM.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { addKey, open, panel, path, pqseal } from "./page.ts";

const cli = join(process.env.PQSEAL_BIN ?? path("../target/debug"), "pqseal");

let folder = "";
test.beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pqseal-"));
    if (!existsSync(cli))
        throw new Error(`no ${cli}: cargo build -p pqseal, or name its folder by PQSEAL_BIN`);
});
test.afterAll(() => rmSync(folder, { recursive: true }));

const run = (input: string, ...args: string[]) =>
    execFileSync(cli, args, { cwd: folder, input, encoding: "utf8", stdio: "pipe" });
const experimental = (
    status: string,
) => (status === "experimental" ? ["--allow-experimental"] : []);

for (const { name, status } of pqseal.suites().kems) {
    test(`${name}: from the page to the command line`, async ({ page }) => {
        await page.goto("/");
        await panel(page, "Make keys");
        if (status === "experimental") {
            await expect(page.locator(`#make-kem option[value="${name}"]`)).toHaveCount(0);
            await page.getByLabel("Show experimental key types").check();
        }
        await page.locator("#make-kem").selectOption(name);
        await (status === "experimental"
            ? expect(page.locator("#make-caution")).not
            : expect(page.locator("#make-caution"))).toBeEmpty();
        await page.getByRole("button", { name: "Make key pair" }).click();
        await expect(page.locator("#made-facts")).toContainText(name);
        const publicKey = await page.locator("#made-public").inputValue();
        for (
            const form of await page.locator("#made-form option").evaluateAll((all) =>
                all.map((o) => (o as HTMLOptionElement).value)
            )
        ) {
            await page.locator("#made-form").selectOption(form);
            const download = page.waitForEvent("download");
            await page.getByRole("button", { name: "Save private key" }).click();
            writeFileSync(join(folder, "key"), readFileSync(await (await download).path()), {
                mode: 0o600,
            });
            const blob = run(`to ${form}`, "seal", ...experimental(status), "--to", publicKey);
            expect(run(blob, "open", ...experimental(status), "-k", "key")).toBe(`to ${form}`);
        }
    });

    test(`${name}: from the command line to the page`, async ({ page }) => {
        const key = run("", "keygen", ...experimental(status), "--kem", name, "--form", "line");
        writeFileSync(join(folder, "other"), key, { mode: 0o600 });
        const publicKey = run("", "pubkey", "--form", "line", "other").trim();
        const blob = run("from the command line", "seal", ...experimental(status), "--to",
            publicKey);
        await page.goto("/");
        await addKey(page, key);
        await open(page, blob);
        await expect(page.locator("#rows pre")).toHaveText("from the command line");
    });
}
