// Accessible in light and dark; pictures at three widths, in screenshots/, to be looked at.
import { readdirSync, statSync } from "node:fs";
import { type Page, expect, test } from "@playwright/test";
import { addKey, axeFinds, firewallEvents, holdReads, open, panel, path, pqseal, published, sealed,
    useTheme } from "./page.ts";

const panels = ["Open", "Make keys", "Inspect", "Seal", "Files"];
/** States of Open, in an order in which one leads to the next. */
const states = { failed, table, working };

for (const colorScheme of ["light", "dark"] as const) {
    test(`axe finds nothing in ${colorScheme}`, { tag: "@axe" }, async ({ page }) => {
        await page.goto("/");
        await useTheme(page, colorScheme);
        for (const name of panels) {
            await panel(page, name);
            await fill(page, name);
            for (const summary of await page.locator("summary:visible").all())
                await summary.click();
            expect(await axeFinds(page), name).toEqual([]);
            for (const summary of await page.locator("summary:visible").all())
                await summary.click();
        }
        for (const [name, enter] of Object.entries(states)) {
            await enter(page);
            expect(await axeFinds(page), name).toEqual([]);
        }
    });

    test(`320 px, ${colorScheme}: nothing overflows`, { tag: "@narrow" }, ({ page }, info) =>
        fits(page, 320, colorScheme, info.project.name));
    for (const width of [375, 768, 1280, 1920])
        test(`${width} px, ${colorScheme}: nothing overflows`, ({ page }, info) =>
            fits(page, width, colorScheme, info.project.name));
}

async function fits(page: Page, width: number, colorScheme: "light" | "dark",
    engine: string): Promise<void>
{
    const picture = (name: string) =>
        page.screenshot({
            path: path(
                `screenshots/${
                    engine === "chromium" ? "" : `${engine}-`
                }${width}-${colorScheme}-${name}.png`,
            ),
            fullPage: true,
        });
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/");
    await useTheme(page, colorScheme);
    await picture("empty");
    for (const name of panels) {
        await panel(page, name);
        await fill(page, name);
        await picture(name.split(" ")[0]!);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name)
            .toBeLessThanOrEqual(width);
    }
    for (const [name, enter] of Object.entries(states)) {
        await enter(page);
        await picture(name);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name)
            .toBeLessThanOrEqual(width);
    }
}

/** A file of a kind that is not read, and something that is not a key; names of files are long. */
async function failed(page: Page): Promise<void> {
    const long = "long".repeat(20);
    await panel(page, "Open");
    await page.locator("#key-file").setInputFiles({
        name: `${long}.key`,
        mimeType: "",
        buffer: Buffer.from(pqseal.generateKeyPair("x25519").privateKey.export("line")),
    });
    await expect(page.locator("#key-list")).toContainText(long);
    await page.getByLabel("Or paste a key").fill("no key");
    await page.getByRole("button", { name: "Add key" }).click();
    await expect(page.locator("#key-error")).not.toBeEmpty();
    await page.getByLabel("Or paste a key").fill("");
    await page.locator("#log-file").setInputFiles({
        name: `${long}.parquet`,
        mimeType: "",
        buffer: Buffer.from("PAR1"),
    });
    await expect(page.locator("#run-error")).not.toBeEmpty();
}

/** With a record beside it, after a look at the list of columns. */
async function table(page: Page): Promise<void> {
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from(firewallEvents(100).join("\n")),
    });
    const columns = page.locator("#columns summary");
    await columns.click();
    const { x, width } = (await page.locator("#column-list").boundingBox())!;
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(page.viewportSize()!.width);
    await columns.click();
    await page.locator("#lines tr").first().click();
    await expect(page.locator("#side .match").first()).toBeVisible();
}

async function working(page: Page): Promise<void> {
    const reads = await holdReads(page, 1);
    await page.locator("#log-file").setInputFiles({
        name: "events.ndjson",
        mimeType: "",
        buffer: Buffer.from("{}"),
    });
    await reads.held();
    await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
}

test("only rows that scroll are stops of the Tab key, and no empty list is read", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("main").getByRole("list")).toHaveCount(0);
    await addKey(page);
    await open(page, `${sealed("short")}\n${sealed("long\n".repeat(100))}`);
    await expect(page.locator("#rows pre")).toHaveCount(2);
    await expect(page.locator("#rows pre[tabindex]")).toHaveCount(1);
    await expect(page.getByRole("button", { name: "Copy, record 2" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Opened data" })).toHaveCount(1);
});

test("in forced colors only the tab that is shown looks so", { tag: "@forced-colors" },
    async ({ page }) => {
        await page.emulateMedia({ forcedColors: "active" });
        await page.goto("/");
        const styles = await page.locator("nav button").evaluateAll((all) =>
            all.map((one) => getComputedStyle(one).borderBottomStyle)
        );
        expect(styles).toEqual(["solid", "none", "none", "none", "none"]);
    });

test("in forced colors the match and the opened record are marked", { tag: "@forced-colors" },
    async ({ page }) => {
        await page.emulateMedia({ forcedColors: "active" });
        await page.goto("/");
        await addKey(page);
        await table(page);
        const colors = await page.evaluate(() => {
            const of = (color: string) => {
                const made = document.createElement("i");
                document.body.append(made);
                made.style.setProperty("color", color);
                const { color: is } = getComputedStyle(made);
                made.remove();
                return is;
            };
            return { mark: of("Mark"), text: of("MarkText"), highlight: of("Highlight") };
        });
        for (const place of ["#lines mark", "#side mark"]) {
            const mark = page.locator(place).first();
            await expect(mark, place).toHaveCSS("background-color", colors.mark);
            await expect(mark, place).toHaveCSS("color", colors.text);
        }
        const borders = (row: string) =>
            page.locator(`#lines ${row} td`).first().evaluate((cell) => {
                const { borderTopWidth, borderTopColor } = getComputedStyle(cell);
                return `${borderTopWidth} ${borderTopColor}`;
            });
        expect(await borders("tr.opened")).toBe(`2px ${colors.highlight}`);
        expect(await borders("tr:not(.opened)")).not.toContain("2px");
    });

test("with only the keyboard", async ({ page }) => {
    await page.goto("/");
    await page.getByLabel("Or paste a key").focus();
    await page.keyboard.insertText(published.key);
    await page.keyboard.press("Enter");
    await expect(page.locator("#keys")).toContainText("Ready");
    await page.getByLabel("Paste sealed data or log records").focus();
    await page.keyboard.insertText(published.blob);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(page.locator("#rows pre")).toContainText(published.uri);
});

test("the first load: at most 226 kB as gzip and as Brotli, nothing moves", async ({ page }) => {
    const files = readdirSync(path("dist"), { recursive: true, encoding: "utf8" });
    const weigh = (ending: string) =>
        files.filter((name) =>
            name.endsWith(ending)
            && !/explore-|later-|samples-|searcher-|full-|slim-|crypt-|reader-|zstd-|licences/.test(
                name,
            )
        ).reduce((sum, name) => sum + statSync(path(`dist/${name}`)).size, 0);
    const sizes = { gzip: weigh(".gz"), Brotli: weigh(".br") };
    await page.goto("/");
    await expect(page.locator("#make-go")).toBeEnabled();
    const times: number[] = [];
    for (let i = 0; i < 3; i++) {
        await page.reload();
        await page.waitForFunction(
            () => !(document.getElementById("make-go") as HTMLButtonElement).disabled,
            undefined,
            { polling: 5 },
        );
        times.push(await page.evaluate(() => performance.now()));
    }
    const shift = await page.evaluate(() =>
        new Promise((resolve) => {
            let sum = 0;
            new PerformanceObserver((list) =>
                list.getEntries().forEach((
                    entry,
                ) => (sum += (entry as unknown as { value: number }).value))
            )
                .observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(sum), 100);
        })
    );
    console.log(
        `first load ${JSON.stringify(sizes)} bytes; ready after ${
            Math.round(Math.min(...times))
        } ms; layout shift ${shift}`,
    );
    for (const size of Object.values(sizes)) expect(size).toBeLessThanOrEqual(226_000);
    // A rounded part of a pixel is about 0.00001.
    expect(shift).toBeLessThan(0.001);
});

async function fill(page: Page, name: string): Promise<void> {
    if (name === "Open") {
        await addKey(page);
        await open(page,
            [published.blob, sealed("user\u202etxt.exe <script>"), "truncated",
                sealed(`{"http.request.body":{"content":"${"A".repeat(400)}"}}`)].join("\n"));
        await expect(page.locator("#rows tr")).toHaveCount(4);
    } else if (name === "Make keys") {
        await page.getByRole("button", { name: "Make key pair" }).click();
        await expect(page.locator("#made-public")).not.toHaveValue("");
        await page.getByRole("button", { name: "Show" }).click();
        await expect(page.locator("#made-private")).not.toHaveValue("");
    } else if (name === "Inspect") {
        await page.locator("#inspect-blob").fill(published.blob);
        await page.locator("#inspect-form button").click();
        await expect(page.locator("#facts")).not.toBeEmpty();
    } else if (name === "Files") {
        await page.locator("#file").setInputFiles({
            name: "report.pdf",
            mimeType: "",
            buffer: Buffer.from("text"),
        });
        await expect(page.locator("#encrypt-form")).toBeVisible();
    }
}
