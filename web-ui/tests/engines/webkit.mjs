#!/usr/bin/env node
// WebDriver BiDi, as much of it as Playwright needs for our tests, over WebKitGTK's driver, which
// has only classic WebDriver.
import { mkdtempSync, mkdirSync, readdirSync, renameSync, rmSync, statSync,
    writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Page } from "./page.mjs";
import { listen } from "./socket.mjs";
import { session } from "./webdriver.mjs";

// The browser saves files where the user's folders are configured to be; so ours are in a home of
// their own.
const home = mkdtempSync(join(tmpdir(), "webkit-"));
const saved = join(home, "saved");
mkdirSync(saved);
mkdirSync(join(home, "config"));
writeFileSync(join(home, "config/user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${saved}"\n`);
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const driver = await session({
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DOWNLOAD_DIR: saved,
});
/** The window that the browser starts with stays: without one it ends. */
const first = new Page(driver.send, await driver.send("GET", "/window"), "", () => undefined);
/** @type {Map<string, Page>} */
const pages = new Map();
let folder = home;
let contexts = 0;

listen((peer) => {
    const tell = (/** @type {object} */ message) => peer.send(JSON.stringify(message));
    const event = (/** @type {string} */ method, /** @type {object} */ params) =>
        tell({ type: "event", method, params });
    /** Commands wait for each other: a session of WebDriver has one window at a time. */
    let before = Promise.resolve();
    peer.on("message", (data) => {
        const { id, method, params } = JSON.parse(String(data));
        before = before.then(() => answer(method, params, event)).then(
            ({ after, ...result }) => {
                tell({ type: "success", id, result });
                after?.();
            },
            (error) =>
                tell({
                    type: "error",
                    id,
                    error: error.code ?? "unknown error",
                    message: `${method}: ${error.message}`,
                }),
        );
    });
    const looking = setInterval(() => lookForFiles(event), 100);
    peer.on("close", async () => {
        clearInterval(looking);
        await driver.end();
    });
});

/**
 * The answer to one command; `after` is done once it is sent.
 * @param {string} method @param {any} params @param {(method: string, params: object) => void}
 * event
 * @returns {Promise<any>}
 */
async function answer(method, params, event) {
    const page = () => {
        const found = pages.get(params.context ?? params.target.context);
        if (!found) throw Object.assign(new Error("no such page"), { code: "no such frame" });
        return found;
    };
    switch (method) {
        case "browser.close":
            await driver.end();
            return {};
        case "session.new":
            return {
                sessionId: "webkit",
                capabilities: { browserVersion: driver.version, userAgent: "" },
            };
        case "browser.createUserContext":
            return { userContext: `context-${++contexts}` };
        case "browser.setDownloadBehavior":
            folder = params.downloadBehavior.destinationFolder ?? folder;
            return {};
        case "browser.removeUserContext":
            for (
                const one of [...pages.values()].filter(({ userContext }) =>
                    userContext === params.userContext
                )
            ) await close(one, event);
            return {};
        case "browsingContext.create":
            return await create(params.userContext, event);
        case "browsingContext.close":
            await close(page(), event);
            return {};
        case "browsingContext.navigate":
            return await page().navigate(params.url);
        case "browsingContext.reload":
            return await page().travel("/refresh");
        case "browsingContext.traverseHistory":
            return await page().travel(params.delta < 0 ? "/back" : "/forward");
        case "browsingContext.captureScreenshot":
            return { data: await page().send("GET", "/screenshot") };
        case "browsingContext.setViewport":
            return params.context ? await page().resize(params.viewport) : {};
        case "browsingContext.activate":
            return {};
        case "script.evaluate":
            return await page().call(`() => (\n${params.expression.replace(/[;\s]+$/, "")}\n)`, [],
                params);
        case "script.callFunction":
            return await page().call(params.functionDeclaration, params.arguments ?? [], params);
        case "script.disown":
            return await page().disown(params.handles);
        case "input.performActions":
            await page().send("POST", "/actions", { actions: params.actions });
            return {};
        case "input.setFiles":
            return await page().setFiles(params.element.sharedId, params.files);
        case "storage.getCookies":
            return { cookies: await [...pages.values()][0]?.send("GET", "/cookie") ?? [] };
        // Playwright gives these to every context, and may give them in vain; tests that need one
        // are among the exceptions.
        case "session.subscribe":
        case "network.addIntercept":
        case "network.addDataCollector":
        case "network.setCacheBehavior":
        case "emulation.setScreenOrientationOverride":
        case "emulation.setScreenSettingsOverride":
        case "emulation.setMediaFeaturesOverride":
        case "emulation.setLocaleOverride":
            return {};
        default:
            throw new Error("WebKitGTK's driver has nothing like it");
    }
}

async function create(/** @type {string} */ userContext,
    /** @type {(method: string, params: object) => void} */ event)
{
    const { handle } = await first.send("POST", "/window/new", { type: "window" });
    const page = new Page(driver.send, handle, userContext, event);
    pages.set(handle, page);
    event("browsingContext.contextCreated", {
        context: handle,
        url: "about:blank",
        userContext,
        originalOpener: null,
        parent: null,
    });
    await page.begin();
    return { context: handle };
}

async function close(/** @type {Page} */ page,
    /** @type {(method: string, params: object) => void} */ event)
{
    pages.delete(page.handle);
    await page.send("DELETE", "/window");
    event("browsingContext.contextDestroyed", { context: page.handle, parent: null });
}

/** What the browser has saved: the driver does not tell. A file has its name once it is whole. */
function lookForFiles(/** @type {(method: string, params: object) => void} */ event) {
    for (const name of readdirSync(saved)) {
        const file = join(saved, name);
        if (name.endsWith(".wkdownload") || Date.now() - statSync(file).mtimeMs < 200) continue;
        const context = [...pages.keys()].at(-1);
        const download = `download-${name}-${Date.now()}`;
        event("browsingContext.downloadWillBegin", {
            context,
            download,
            navigation: null,
            url: "blob:",
            suggestedFilename: name,
        });
        renameSync(file, join(folder, name));
        event("browsingContext.downloadEnd", {
            context,
            download,
            navigation: null,
            status: "complete",
            filepath: join(folder, name),
        });
    }
}
