// What the tests share: the published key and blob, the library in Node as the other side, and
// hands for the page.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Locator, type Page, expect } from "@playwright/test";
import axe from "axe-core";
import * as pqseal from "../../wasm/pkg/dist/full/index.js";

export { pqseal };
export const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const example = (name: string) =>
    readFileSync(path(`../examples/matched-data/${name}`), "utf8").trim();

/** Published in the vendor's documentation. */
export const published = {
    key: example("key.txt"),
    blob: example("blob.txt"),
    uri: "/cms/%0Aadmin",
};

const publicKey = pqseal.PrivateKey.parse(published.key).publicKey();

/** Sealed to the published key. */
export const sealed = (plaintext: string | Uint8Array) =>
    pqseal.seal(publicKey,
        typeof plaintext === "string" ? new TextEncoder().encode(plaintext) : plaintext);

/** Shows the first two steps, which are folded while a table is shown. */
export async function unfold(page: Page): Promise<void> {
    const change = page.getByRole("button", { name: "Keys and input" });
    if ((await change.isVisible()) && (await change.getAttribute("aria-expanded")) === "false")
        await change.click();
}

/** Fills a field of these steps, and presses a button. They may be folded meanwhile. */
const enter = (page: Page, label: string, text: string, button: Locator) =>
    expect(async () => {
        await unfold(page);
        await page.getByLabel(label).fill(text, { timeout: 10_000 });
        await button.click({ timeout: 10_000 });
    }).toPass();

export async function addKey(page: Page, key = published.key): Promise<void> {
    await enter(page, "Or paste a key", key, page.getByRole("button", { name: "Add key" }));
    await expect(page.locator("#keys")).toContainText("eady");
}

export const open = (page: Page, text: string) =>
    enter(page, "Paste sealed data or log records", text,
        page.getByRole("button", { name: "Open", exact: true }).last());

/** Opens the page, adds the key, and chooses a log export. */
export async function openLog(page: Page, content: string, name = "events.ndjson"): Promise<void> {
    await page.goto("/");
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name,
        mimeType: "",
        buffer: Buffer.from(content),
    });
}

/** The text on the clipboard, which the page itself may not read: another page of the context does. */
export async function clipboardText(page: Page): Promise<string> {
    const context = page.context();
    let reader = context.pages().find((other) => other.url().endsWith("/reader"));
    if (!reader) {
        reader = await context.newPage();
        await reader.route("**/reader", (route) =>
            route.fulfill({ contentType: "text/html", body: "" }));
        await reader.goto(new URL("/reader", page.url()).href);
    }
    return reader.evaluate(() => navigator.clipboard.readText());
}

/** Packed by the program `zstd`. */
export const zstd = (content: string | Buffer, ...options: string[]): Buffer =>
    execFileSync("zstd", ["--quiet", "--stdout", ...options], {
        input: content,
        maxBuffer: 1 << 30,
    });

/** By the page's own switch: not every driver can change what the system says. */
export async function useTheme(page: Page, theme: "light" | "dark"): Promise<void> {
    await page.getByLabel("Theme").selectOption(theme);
}

/** What axe finds wrong. */
export async function axeFinds(page: Page): Promise<string[]> {
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: typeof axe }).axe.run({
            resultTypes: ["violations"],
        });
        return violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
    });
}

/** How the run ended. A slow engine says its rate too. */
export async function expectCounts(page: Page, text: string): Promise<void> {
    await expect(page.locator("#counts")).toHaveText(
        new RegExp(`^${text.replaceAll(".", "\\.")}( \\d+ records? per second\\.)?$`),
    );
}

/** Shows what was opened in full, one below the other, in place of the table. */
export async function payloads(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Payloads", exact: true }).click();
}

export const panel = (page: Page, name: string) =>
    page.getByRole("navigation").getByRole("button", { name }).click();

/** A log export as Logpush writes it, `n` records, a few of them not to be opened. */
export function firewallEvents(n: number): string[] {
    const blobs = Array.from({ length: 20 },
        (_, i) => sealed(`{"http.request.uri":{"content":"/a${i}?q=<script>"}}`));
    return Array.from({ length: n }, (_, i) => {
        const blob = i % 100 === 99 ? "truncated" : blobs[i % blobs.length];
        return `{"RayID":"r${i}","EdgeStartTimestamp":1763700000000000001,"Metadata":{"encrypted_matched_data":"${blob}","version":"9"}}`;
    });
}

/** Numbers below a number, the same ones each time. */
export function random(seed: number): (below: number) => number {
    let state = seed;
    return (below) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
    };
}

/** Lets the page read so many slices of an input. Each further one waits to be given. */
export async function holdReads(page: Page,
    slices: number): Promise<{ held(): Promise<void>; give(slices?: number): Promise<void> }>
{
    await page.evaluate((slices) => {
        const post = Worker.prototype.postMessage;
        const held: (() => void)[] = [];
        let free = slices;
        const give = (more: number) => {
            for (free += more; free > 0 && held.length; free--) held.shift()!();
        };
        Object.assign(window, { held, give });
        Worker.prototype.postMessage = function(message: { kind: string }, ...rest: never[]) {
            if (message.kind !== "slice") return post.call(this, message, ...rest);
            held.push(() => post.call(this, message, ...rest));
            give(0);
        };
    }, slices);
    type Held = { held: unknown[]; give(more: number): void };
    return {
        held: () =>
            expect.poll(() => page.evaluate(() => (window as unknown as Held).held.length))
                .toBeGreaterThan(0),
        give: (slices = 1) =>
            page.evaluate((slices) => (window as unknown as Held).give(slices), slices),
    };
}

/** Drops files as a person does; their handles come from a file field of the test's own. */
export async function drop(page: Page, names: string | string[], on: string): Promise<void> {
    await page.evaluate(() => {
        const field = document.createElement("input");
        field.type = "file";
        field.multiple = true;
        field.id = "test-field";
        document.body.append(field);
    });
    await page.locator("#test-field").setInputFiles(names);
    await page.evaluate((on) => {
        const field = document.getElementById("test-field") as HTMLInputElement;
        const dataTransfer = new DataTransfer();
        for (const file of field.files!) dataTransfer.items.add(file);
        for (const type of ["dragover", "drop"])
            document.querySelector(on)!.dispatchEvent(
                new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
            );
        field.remove();
    }, on);
}
