// What browsers could keep a private key in without giving it out. This records, and does not fail:
// Chromium 156 stores a key of MLKEM768-X25519 as null, so the page keeps none.
import { expect, test } from "@playwright/test";

test("whether a hybrid key that cannot be extracted survives a copy",
    async ({ page, browserName }, { project }) => {
        await page.goto("/");
        const found = await page.evaluate(async () => {
            try {
                const pair = (await crypto.subtle.generateKey("MLKEM768-X25519", false, [
                    "encapsulateBits" as KeyUsage,
                    "decapsulateBits" as KeyUsage,
                ])) as CryptoKeyPair;
                return structuredClone(pair.privateKey) === null ? "becomes null" : "survives";
            } catch (error) {
                return `is not there (${(error as Error).name})`;
            }
        });
        console.log(`${project.name || browserName}: a key of MLKEM768-X25519 ${found}`);
        expect(found).not.toBe("");
    });
