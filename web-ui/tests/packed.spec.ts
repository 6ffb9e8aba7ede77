// Packed inputs: Zstandard with all that its frames may be, and how little of what is unpacked is
// in memory.
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGzip, gzipSync } from "node:zlib";
import { type Page, expect, test } from "@playwright/test";
import { growth } from "./memory.ts";
import { addKey, firewallEvents, payloads, sealed, zstd } from "./page.ts";

test.beforeEach(async ({ page }) => {
    await page.goto("/");
    await addKey(page);
});

const choose = (page: Page, content: Buffer) =>
    page.locator("#log-file").setInputFiles({ name: "export", mimeType: "", buffer: content });
const error = (page: Page) => page.locator("#run-error");
const counts = (page: Page) => page.locator("#counts");
const lines = firewallEvents(300);
const text = `${lines.join("\n")}\n`;
const opened = async (page: Page) => {
    await expect(counts(page)).toContainText("Opened 297 of 300 records. 3 could not be opened.");
    await expect(error(page)).toBeEmpty();
};

const magic = Buffer.from("28b52ffd", "hex");
const skippable = (content: string) =>
    Buffer.concat([Buffer.from("5a2a4d18", "hex"), uint32(content.length), Buffer.from(content)]);
const uint32 = (number: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(number);
    return bytes;
};
/** `type` 0 is a block as it is, 1 one byte over and over. */
const block = (type: number, size: number, isLast: boolean, ...bytes: number[]) =>
    Buffer.concat([uint32((size << 3) | (type << 1) | Number(isLast)).subarray(0, 3),
        Buffer.from(bytes)]);
/** The least window is 1 KiB; each step of 8 doubles it. */
const windowed = (descriptor: number, ...blocks: Buffer[]) =>
    Buffer.concat([magic, Buffer.from([0, descriptor]), ...blocks]);

test.describe("Zstandard", () => {
    for (
        const [name, options] of Object.entries({
            "as it is by default": [],
            "of the highest level, with the largest window": ["-19", "--long=27"],
            "without a checksum": ["--no-check"],
            "with its length, in one segment": [`--stream-size=${text.length}`],
        })
    )
        test(`opens what was packed ${name}`, async ({ page }) => {
            await choose(page, zstd(text, ...options));
            await opened(page);
        });

    test("opens a JSON array and a table in it", async ({ page }) => {
        await choose(page, zstd(`[\n${lines.join(",\n")}\n]`));
        await opened(page);
        await choose(page,
            zstd(`RayID,encrypted_matched_data\na,${sealed("one")}\nb,${sealed("two")}\n`));
        await payloads(page);
        await expect(page.locator("#rows pre")).toHaveText(["one", "two"]);
    });

    test("opens many frames and skips what is no data, wherever the input is cut", async ({ page }) => {
        const frames = Array.from({ length: 30 },
            (_, i) =>
                zstd(lines.slice(10 * i, 10 * i + 10).map((line) => `${line}\n`).join(""),
                    ...(i % 2 ? ["--no-check"] : [])));
        await choose(page,
            Buffer.concat([skippable("made by a test"), ...frames, skippable(""), zstd("")]));
        await opened(page);
        // Stored, so that slices of 1 MiB end in headers, blocks and checksums.
        const stored = Buffer.concat([magic, Buffer.from([0, 0x50]), block(0, text.length, true),
            Buffer.from(text)]);
        expect(text.length).toBeLessThan(1 << 17);
        const padding = (length: number) => skippable(" ".repeat(length));
        for (const before of [1, 5, 6, 8, 10, 300]) {
            await choose(page, Buffer.concat([padding((1 << 20) - 8 - before), stored]));
            await opened(page);
        }
        // Frames that are next to nothing.
        await choose(page,
            Buffer.concat([...Array<Buffer>(20_000).fill(windowed(0, block(0, 0, true))),
                zstd(text)]));
        await opened(page);
    });

    test("says that data is cut off, damaged, or followed by something else, and shows what came before", async ({ page }) => {
        const packed = zstd(text);
        const wrongLength = zstd(`${text}x`, `--stream-size=${text.length + 1}`);
        // With its length in two bytes or four, after the magic number and the byte of flags, and
        // the window where there is one.
        const at = wrongLength[4]! & 0x20 ? 5 : 6;
        wrongLength[at]! ^= 1;
        for (
            const [content, words, isShown] of [
                [packed.subarray(0, 4), "is cut off", false],
                [packed.subarray(0, 7), "is cut off", false],
                [packed.subarray(0, packed.length - 1), "is cut off", true],
                [Buffer.concat([packed, packed.subarray(0, 100)]),
                    "is cut off: copy the file again, or wait until it is written. The data before that was read.",
                    true],
                [Buffer.concat([packed, skippable("cut").subarray(0, 9)]), "is cut off", true],
                [wrongLength, "is damaged", true],
                [Buffer.concat([packed, windowed(0, block(3, 0, true))]),
                    "is damaged: copy the file again", true],
                [Buffer.concat([packed, windowed(0, block(1, 2000, true, 32))]), "is damaged",
                    true],
                [Buffer.concat([packed, windowed(0, block(2, 4, true, 0xff, 0xff, 0xff, 0xff))]),
                    "is damaged", true],
                [Buffer.concat([packed, Buffer.from("junk")]),
                    "there is something else, which was not read", true],
            ] as const
        ) {
            await choose(page, content);
            await expect(error(page)).toContainText(words);
            if (isShown) await expect(counts(page)).toContainText("Opened 297 of 300");
            else await expect(counts(page)).not.toContainText("Opened");
        }
    });

    test("refuses windows above 128 MiB and dictionaries, with what to do, before it takes the memory", async ({ page }) => {
        const single = (size: bigint) => {
            const bytes = Buffer.alloc(8);
            bytes.writeBigUInt64LE(size);
            return Buffer.concat([magic, Buffer.from([0xe0]), bytes, block(0, 1, true, 32)]);
        };
        const grown = await growth(async () => {
            for (
                const [content, words] of [
                    [windowed(0x90, block(0, 1, true, 32)),
                        "needs 256 MiB of memory; this page allows 128 MiB. Run zstd -d --long=31 on it"],
                    [windowed(0x89, block(0, 1, true, 32)), "needs 144 MiB of memory"],
                    [windowed(0xff, block(0, 1, true, 32)), "needs 3,932,160 MiB of memory"],
                    [single((1n << 27n) + 1n), "needs 129 MiB of memory"],
                    [single(1n << 40n), "needs 1,048,576 MiB of memory"],
                    [Buffer.concat([magic, Buffer.from([1, 0, 7]), block(0, 1, true, 32)]),
                        "packed with a dictionary"],
                ] as const
            ) {
                await choose(page, content);
                await expect(error(page)).toContainText(words);
            }
        });
        expect(grown).toBeLessThan(100e6);
        await choose(page,
            windowed(0x88, block(0, lines[0]!.length, true), Buffer.from(lines[0]!)));
        await expect(counts(page)).toContainText("Opened 1 of 1 record.");
    });

    test("is named if its code is missing on the server", { tag: "@route" }, async ({ page }) => {
        await page.route("**/zstd-*.js", (route) => route.abort());
        await page.goto("about:blank");
        await page.goto("/");
        await addKey(page);
        await choose(page, zstd(text));
        await expect(error(page)).toContainText("Zstandard cannot be unpacked. Run zstd -d on it");
        await choose(page, gzipSync(text));
        await opened(page);
    });
});

const mebi = 1 << 20;
/** In lines that are no records. */
const blank = Buffer.alloc(64 * mebi, `${" ".repeat(65_535)}\n`);
/** Mebibytes of such lines. Each block of spaces takes 4 bytes. */
const blankFrame = (size: number) =>
    windowed(0x38, ...Array<Buffer>(8 * size).fill(
        Buffer.concat([block(1, 131_071, false, 32), block(1, 1, false, 10)]),
    ), block(0, 0, true));

for (
    const [name, bomb] of Object.entries({
        gzip: async () =>
            Buffer.concat([
                await buffer(Readable.from(Array<Buffer>(16).fill(blank)).pipe(createGzip())),
                gzipSync(text),
            ]),
        Zstandard: async () => Buffer.concat([blankFrame(1024), zstd(text)]),
    })
)
    test(`1 GiB in 1 MiB of ${name} is unpacked as it is looked at, and not into memory`, {
        tag: "@heavy",
    }, async ({ page }) => {
        test.setTimeout(300_000);
        const content = await bomb();
        expect(content.length).toBeLessThan(1.1 * mebi);
        const grown = await growth(async () => {
            await choose(page, content);
            await expect(counts(page)).toContainText("Opened 297 of 300 records.", {
                timeout: 240_000,
            });
        });
        console.log(`Memory grew by ${Math.round(grown / 1e6)} MB.`);
        expect(grown).toBeLessThan(300e6);
    });

test("what unpacks into hours of nothing can be cancelled", { tag: "@heavy" }, async ({ page }) => {
    await choose(page, Buffer.concat(Array<Buffer>(100).fill(blankFrame(1024))));
    await page.waitForTimeout(500);
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(counts(page)).toContainText("Cancelled.");
});
