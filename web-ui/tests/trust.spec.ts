// What the page claims of itself.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { type Page, expect, test } from "@playwright/test";
import { cached, headers, policy } from "../build/headers.ts";
import { addKey, firewallEvents, holdReads, open, openLog, panel, path, pqseal, published, sealed,
    zstd } from "./page.ts";

/** Everything one can do, once. */
async function useAll(page: Page): Promise<void> {
    await addKey(page);
    await page.locator("#log-file").setInputFiles({
        name: "x.zst",
        mimeType: "",
        buffer: zstd(sealed("packed")),
    });
    await expect(page.locator("#rows pre")).toHaveText("packed");
    await open(page, `${published.blob}\n${sealed("<img src=//evil.invalid/x>")}`);
    await expect(page.locator("#rows pre")).toHaveCount(2);
    await panel(page, "Make keys");
    // Of the module with every algorithm.
    await page.locator("#make-kem").selectOption("p256");
    await page.getByRole("button", { name: "Make key pair" }).click();
    await expect(page.locator("#made-public")).not.toHaveValue("");
    // Once it is saved, it may go without a question.
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save private key" }).click();
    await download;
    await panel(page, "Files");
    await page.locator("#file").setInputFiles({
        name: "x",
        mimeType: "",
        buffer: Buffer.from("x"),
    });
    await page.getByLabel("Or a passphrase").fill("x");
    const encrypted = page.waitForEvent("download");
    await page.getByRole("button", { name: "Encrypt and save" }).click();
    await encrypted;
    await panel(page, "Open");
}

/**
 * Opens the page by a server that notes what it was asked for, and waits until it has sent all:
 * Playwright does not report what a worker's chunk imports.
 */
async function load(page: Page) {
    const asked: string[] = [];
    const sent: string[] = [];
    const server = createServer(({ url, headers }, response) => {
        asked.push(String(url));
        get(`http://127.0.0.1:4173${url}`, { headers }, (from) => {
            response.writeHead(from.statusCode!, from.headers);
            from.pipe(response).on("finish", () => sent.push(String(url)));
        });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const loaded = () => {
        const names = new Set(sent.map((name) => name.replace(/-[^.]+\./, ".")));
        // As many helpers as there are processors, and with one processor none.
        names.delete("/assets/opener.js");
        return [...names].sort();
    };
    await expect.poll(loaded).toEqual(["/",
        ...["crypt.js", "explore.js", "full.js", "index.css", "index.js", "later.js", "reader.js",
            "samples.js", "searcher.js", "shared.js", "slim.js", "worker.js", "zstd.js"].map(
                (name) => `/assets/${name}`,
            )]);
    await expect(page.locator("#make-go")).toBeEnabled();
    return { asked, server };
}

test("files from one place are loaded, and then nothing", { tag: "@main" }, async ({ page }) => {
    const { asked, server } = await load(page);
    const count = asked.length;
    await useAll(page);
    expect(asked).toHaveLength(count);
    server.close();
});

test("once loaded it works without a network", { tag: "@network" }, async ({ page, context }) => {
    const { server } = await load(page);
    await context.setOffline(true);
    await useAll(page);
    server.close();
});

test("nothing is stored", async ({ page, context }) => {
    await page.goto("/");
    await useAll(page);
    expect(await context.cookies()).toEqual([]);
    const stores = () =>
        page.evaluate(async () => ({
            local: localStorage.length,
            session: sessionStorage.length,
            databases: (await indexedDB.databases()).length,
            caches: (await caches.keys()).length,
            workers: (await navigator.serviceWorker.getRegistrations()).length,
            name: window.name,
            hash: location.hash,
            query: location.search,
            state: history.state as unknown,
        }));
    expect(await stores()).toEqual(
        // The panel is in the address, and nothing else.
        {
            local: 0,
            session: 0,
            databases: 0,
            caches: 0,
            workers: 0,
            name: "",
            hash: "#open",
            query: "",
            state: null,
        },
    );
});

test("the browser refuses the worker what it could send by", { tag: "@workers" },
    async ({ page }) => {
        await page.goto("/");
        await expect(page.locator("#make-go")).toBeEnabled();
        expect(
            await page.workers()[0]!.evaluate(() => fetch("/").then(() => "sent", () => "refused")),
        ).toBe("refused");
    });

test("the browser refuses the page what it could send by", { tag: "@main" },
    async ({ page }, { project }) => {
        await page.goto("/");
        await page.getByRole("button", { name: "Check" }).click();
        await expect(page.locator("#checked")).toHaveText(
            "Blocked: the browser refused the request. Links, pop-ups and WebRTC were not tried: "
                + (project.name === "chromium"
                    ? "this browser blocks them too, if the server sent the page with the headers that belong to it."
                    : "this browser does not block them. The page uses none of them."),
        );
        await expect(page.locator("#make-go")).toBeEnabled();
        const fails = () =>
            Promise.all([
                fetch("/").then(() => "sent", () => "refused"),
                import(`${location.origin}/x.js`).then(() => "sent", () => "refused"),
            ]);
        expect(await page.evaluate(fails)).toEqual(["refused", "refused"]);
        expect(await page.evaluate(() => {
            try {
                document.body.innerHTML = "<b></b>";
                return "taken";
            } catch {
                return "refused";
            }
        })).toBe("refused");
    });

test("navigation and pop-ups, which no policy covers, are refused by Connection-Allowlist", {
    tag: "@connection-allowlist",
}, async ({ page, context }) => {
    let hits = 0;
    const thief = createServer((_, response) => (hits++, response.end())).listen(0, "127.0.0.1");
    await once(thief, "listening");
    const url = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/?stolen`;
    const attempts = async () => {
        await page.evaluate((url) => void window.open(url), url);
        await page.evaluate((url) => void (location.href = url), url);
        await page.waitForTimeout(500);
    };
    await page.goto("/");
    await attempts();
    expect(hits).toBe(0);
    // Without the header the same gets out: the test can fail.
    await context.route("http://127.0.0.1:4173/", async (route) => {
        const response = await route.fetch();
        const { "connection-allowlist": _, ...rest } = response.headers();
        await route.fulfill({ response, headers: rest });
    });
    await page.goto("/");
    await attempts();
    expect(hits).toBeGreaterThan(0);
    thief.close();
});

test("page and worker come with the headers", async ({ page, request }) => {
    await page.goto("/");
    await expect(page.locator("#make-go")).toBeEnabled();
    const worker = await page.evaluate(() =>
        performance.getEntriesByType("resource").map(({ name }) => name).find((name) =>
            name.includes("worker")
        )
    );
    for (const url of ["/", worker!]) {
        const got = (await request.get(url)).headers();
        const expected = url === "/" ? headers : { ...headers, "Cache-Control": cached };
        for (const [name, value] of Object.entries(expected))
            expect(got[name.toLowerCase()], name).toBe(value);
    }
});

test("the files for servers and the page's meta tag say the same", () => {
    const written = (name: string) => readFileSync(path(name), "utf8");
    for (const name of ["headers/nginx.conf", "headers/Caddyfile", "headers/_headers"])
        for (const [header, value] of [...Object.entries(headers), ["Cache-Control", cached]]) {
            const lines = written(name).split("\n").filter((line) =>
                line.includes(header!) || header === "Cache-Control"
            );
            expect(lines.some((line) => line.includes(value!)), `${name}: ${header}`).toBe(true);
        }
    // frame-ancestors has no meaning in a meta tag.
    expect(written("index.html")).toContain(
        `content="${policy.replace(" frame-ancestors 'none';", "")}"`,
    );
});

test("a browser without Connection-Allowlist is not credited with what it does not block", {
    tag: "@init-script",
}, async ({ page }) => {
    await page.addInitScript(() =>
        Object.defineProperty(navigator, "userAgentData", { value: undefined })
    );
    await page.goto("/");
    await page.getByRole("button", { name: "Check" }).click();
    await expect(page.locator("#checked")).toContainText("the browser refused the request");
    await expect(page.locator("#checked")).toContainText("this browser does not block them");
});

test("a worker that does not start is reported at once, and to each later call", { tag: "@route" },
    async ({ page }) => {
        await page.route("**/worker-*.js", (route) => route.abort());
        await page.goto("/");
        await expect(page.locator("#broken")).toBeVisible();
        await expect(page.locator("#broken")).toContainText("its worker did not start");
        await page.getByLabel("Or paste a key").fill(published.key);
        await page.getByRole("button", { name: "Add key" }).click();
        await expect(page.locator("#key-error")).toContainText("its worker did not start");
        // Open would add it first, and say the same beside it.
        await page.getByLabel("Or paste a key").fill("");
        await open(page, published.blob);
        await expect(page.locator("#run-error")).toContainText("its worker did not start");
    });

test("a helper that never starts, has not got its keys, or falls silent, is not waited for", {
    tag: "@route",
}, async ({ page }) => {
    const lines = firewallEvents(500);
    const opened = async () => {
        // In Firefox the page's event `load` may wait for the script of a helper.
        await page.goto("/", { waitUntil: "domcontentloaded" });
        await addKey(page);
        await page.locator("#log-file").setInputFiles({
            name: "export",
            mimeType: "",
            buffer: Buffer.from(lines.join("\n")),
        });
        await expect(page.locator("#counts")).toContainText("Opened 495 of 500 records.");
    };
    await page.route("**/opener-*.js", () => undefined);
    await opened();
    await page.unroute("**/opener-*.js");
    const unready =
        "self.onmessage = ({ data: { port } }) => { port.onmessage = ({ data }) => data.kind === 'open' && port.postMessage({ kind: 'unready' }); port.postMessage({ kind: 'ready' }); };";
    await page.route("**/opener-*.js",
        (route) => route.fulfill({ contentType: "text/javascript", headers, body: unready }));
    await opened();
    await page.unroute("**/opener-*.js");
    // The last one answers when it was given up already.
    const late =
        "self.onmessage = ({ data: { port } }) => { port.onmessage = ({ data }) => data.kind === 'open' && setTimeout(() => port.postMessage({ kind: 'failed', id: data.id, used: data.records.bytes.buffer }), 600); port.postMessage({ kind: 'ready' }); };";
    const silent =
        "self.onmessage = ({ data: { port } }) => { port.onmessage = () => undefined; port.postMessage({ kind: 'ready' }); };";
    await page.route("**/opener-*.js",
        (route) => route.fulfill({ contentType: "text/javascript", headers, body: silent }));
    await page.route("**/later-*.js", async (route) => {
        const response = await route.fetch();
        const code = await response.text();
        expect(code.split(",3e4)").length).toBe(2);
        await route.fulfill({ response, body: code.replace(",3e4)", ",300)") });
    });
    await opened();
    await page.unroute("**/opener-*.js");
    await page.route("**/opener-*.js",
        (route) => route.fulfill({ contentType: "text/javascript", headers, body: late }));
    await opened();
    await page.waitForTimeout(1000);
    await opened();
});

test("records open although a module traps, in a helper and in the worker", { tag: "@route" },
    async ({ page }) => {
        let changed = 0;
        await page.route(/\/(opener|reader)-.*\.js/, async (route) => {
            const response = await route.fetch();
            const code = (await response.body()).toString("latin1");
            const trapping = code.replace(/\bfind\((\w,){3}\w\)\{/,
                "$&if(!self.hasTrapped){self.hasTrapped=true;throw new WebAssembly.RuntimeError('unreachable')}");
            changed += Number(trapping !== code);
            await route.fulfill({ response, body: Buffer.from(trapping, "latin1") });
        });
        await openLog(page, firewallEvents(500).join("\n"));
        await expect(page.locator("#counts")).toContainText("Opened 495 of 500 records.");
        await expect(page.locator("#run-error")).toBeEmpty();
        expect(changed).toBe(2);
    });

test("helpers open with the module `full` if a key is a hybrid's, and else with `core`", {
    tag: ["@route", "@init-script"],
}, async ({ page }) => {
    await page.addInitScript(() =>
        Object.defineProperty(navigator, "hardwareConcurrency", { value: 2 })
    );
    // Opens nothing, and prints which module it got.
    const body =
        "let by; self.onmessage = ({ data: { port } }) => { port.onmessage = ({ data }) => { if (data.kind === 'begin') by = data.isFull ? 'full' : 'core'; else if (data.kind === 'open') { console.log(`by ${by}`); port.postMessage({ kind: 'failed', id: data.id, code: 'not_loaded', used: data.records.bytes.buffer }); } }; port.postMessage({ kind: 'ready' }); };";
    const printed: string[] = [];
    page.on("console", (message) => printed.push(message.text()));
    await page.route("**/opener-*.js",
        (route) => route.fulfill({ contentType: "text/javascript", headers, body }));
    await page.goto("/");
    // Until the helper has started the worker opens records itself.
    const by = (module: string) =>
        expect(async () => {
            await open(page, published.blob);
            await expect(page.locator("#rows")).toContainText(published.uri);
            expect(printed.at(-1)).toBe(`by ${module}`);
        }).toPass();
    await addKey(page);
    await by("core");
    await addKey(page, pqseal.generateKeyPair("mlkem768-x25519").privateKey.export("line"));
    await by("full");
});

const noKey = async (page: Page) => {
    await expect(page.locator("#rows")).toBeEmpty();
    await expect(page.locator("#made-public")).toHaveValue("");
    await open(page, published.blob);
    await expect(page.locator("#failures")).toContainText("no private key was given");
};

test("after Clear the key is gone, and the worker that held it", { tag: "@main" },
    async ({ page }) => {
        await page.goto("/");
        await useAll(page);
        // WebDriver says nothing of WebKit's workers.
        const ended = page.workers()[0]?.waitForEvent("close");
        await page.getByRole("button", { name: "Clear keys and data" }).click();
        await ended;
        await noKey(page);
    });

test("after a reload, and after leaving and coming back, the key is gone", async ({ page }) => {
    await page.goto("/");
    await useAll(page);
    await page.reload();
    await noKey(page);
    await useAll(page);
    await page.goto("about:blank");
    await page.goBack();
    await noKey(page);
});

test("after idle time the key is gone, and not while in use", { tag: "@clock" },
    async ({ page }) => {
        await page.clock.install();
        await page.goto("/");
        await useAll(page);
        await page.clock.fastForward("14:00");
        await page.keyboard.press("Shift");
        await page.clock.fastForward("14:00");
        await expect(page.locator("#rows pre")).toHaveCount(2);
        await page.clock.fastForward("01:01");
        await expect(page.locator("#keys")).toHaveText("Cleared after idle time.");
        await noKey(page);
    });

test("who reads by wheel or scrolls is there, and work that runs is waited for", { tag: "@clock" },
    async ({ page }) => {
        await page.clock.install();
        await page.goto("/");
        await useAll(page);
        for (const sign of ["wheel", "touchmove", "scroll"]) {
            await page.clock.fastForward("14:00");
            // Of an element that scrolls: then `scroll` does not bubble.
            await page.locator("#grid").evaluate(
                (grid, sign) =>
                    void grid.dispatchEvent(new Event(sign, { bubbles: sign !== "scroll" })),
                sign,
            );
        }
        await page.clock.fastForward("14:00");
        await expect(page.locator("#rows pre")).toHaveCount(2);
        const reads = await holdReads(page, 2);
        await page.locator("#log-file").setInputFiles({
            name: "x",
            mimeType: "",
            buffer: Buffer.from(firewallEvents(100).join("\n").padEnd(5 << 20)),
        });
        for (let i = 0; i < 2; i++) {
            await reads.held();
            await page.clock.fastForward("14:00");
            await reads.give();
        }
        await reads.held();
        await expect(page.locator("#cancel")).toBeEnabled();
        await reads.give(100);
        await expect(page.locator("#counts")).toContainText("Opened 99 of 100 records.");
        // All that the page asked the worker for is answered.
        await expect(page.locator("#lines tr").first()).toBeVisible();
        await page.clock.fastForward("14:00");
        await expect(page.locator("#counts")).toContainText("Opened 99 of 100 records.");
        await page.clock.fastForward("15:01");
        await expect(page.locator("#keys")).toHaveText("Cleared after idle time.");
    });
