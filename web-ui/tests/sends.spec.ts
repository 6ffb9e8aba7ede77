// What gets out, by sinks that listen on this machine: nothing by using the page, and by an
// attacker's script only what is listed here.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, type Server, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { pathToFileURL } from "node:url";
import { type Page, expect, test } from "@playwright/test";
import { addKey, open, path, published } from "./page.ts";

const inPage = ["fetch", "beacon", "socket", "image", "style", "script", "frame", "form",
    "prefetch", "preconnect", "module", "worker"];
const leaving = ["webrtc", "popup", "navigation"];

/**
 * What a script in the page could send by, in spite of the policy. Measured; a browser that learns
 * more must be taken from here.
 */
const getsOut: Record<string, { served: string[]; single: string[] }> = {
    chromium: {
        served: [],
        single: ["form, only a connection", "frame, only a connection", "navigation", "popup",
            "webrtc"],
    },
    firefox: {
        served: ["navigation", "popup", "webrtc"],
        single: ["navigation", "popup", "webrtc"],
    },
    webkit: {
        served: ["navigation", "preconnect, only a connection"],
        single: ["navigation", "preconnect, only a connection"],
    },
};

/**
 * Firefox sends no STUN to a loopback address, so the sink is asked for by one of the machine's
 * other addresses, if it has one.
 */
const machine =
    Object.values(networkInterfaces()).flat().find((one) => one?.family === "IPv4" && !one.internal)
        ?.address ?? "127.0.0.1";

/** A server for each way, which notes requests, and connections without one; it answers nothing. */
async function sinks(): Promise<
    { hits: Set<string>; ports: Record<string, number>; close: () => void }
> {
    const hits = new Set<string>();
    const ports: Record<string, number> = {};
    const servers: Server[] = [];
    for (const way of [...inPage, ...leaving].filter((way) => way !== "webrtc")) {
        const server = createServer((socket) => {
            const connected = setTimeout(
                () => (hits.add(`${way}, only a connection`), socket.destroy()),
                1000,
            );
            socket.on("error", () => undefined).once("data",
                () => (clearTimeout(connected), hits.add(way), socket.destroy()));
        }).listen(0, "127.0.0.1");
        await once(server, "listening");
        ports[way] = (server.address() as AddressInfo).port;
        servers.push(server);
    }
    const packets = createSocket("udp4", () => hits.add("webrtc")).bind(0, machine);
    await once(packets, "listening");
    ports.webrtc = packets.address().port;
    return { hits, ports, close: () => [...servers, packets].forEach((one) => one.close()) };
}

/** Tries every way but navigation, each by itself: one that throws stops no other. */
const attempts = ({ ports, machine }: { ports: Record<string, number>; machine: string }) => {
    const element = (tag: string, attributes: Record<string, string>) => {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        document.body.append(made);
        return made;
    };
    const ways: Record<string, (url: string) => unknown> = {
        fetch: (url) => fetch(url, { mode: "no-cors" }),
        beacon: (url) => navigator.sendBeacon(url, "x"),
        socket: (url) => new WebSocket(url.replace("http", "ws")),
        image: (src) => element("img", { src }),
        style: (href) => element("link", { rel: "stylesheet", href }),
        script: (src) => element("script", { src }),
        frame: (src) => element("iframe", { src }),
        form: (action) =>
            (element("form", { action, target: "_blank" }) as HTMLFormElement).submit(),
        prefetch: (href) => element("link", { rel: "prefetch", href }),
        preconnect: (href) => element("link", { rel: "preconnect", href }),
        module: (url) => import(url),
        worker: (url) => new Worker(url),
        popup: (url) => window.open(url),
        webrtc: async () => {
            const peer = new RTCPeerConnection({
                iceServers: [{ urls: `stun:${machine}:${ports.webrtc}` }],
            });
            peer.createDataChannel("x");
            await peer.setLocalDescription(await peer.createOffer());
        },
    };
    for (const [way, go] of Object.entries(ways))
        try {
            void Promise.resolve(go(`http://127.0.0.1:${ports[way]}/`)).catch(() => undefined);
        } catch {
            // Refused.
        }
};

/**
 * What got out. `expected` is waited for: engines take their time. What else comes within two
 * seconds is seen too.
 */
async function attempted(page: Page, url: string, expected: string[]): Promise<string[]> {
    const { hits, ports, close } = await sinks();
    try {
        await page.goto(url);
        await addKey(page);
        await open(page, published.blob);
        await expect(page.locator("#rows pre")).toContainText(published.uri);
        await page.waitForTimeout(500);
        expect([...hits], "using the page sends nothing").toEqual([]);
        await page.evaluate(attempts, { ports, machine });
        const heard = async (ways: string[]) => {
            await expect.poll(() => ways.filter((way) => !hits.has(way)), { timeout: 15_000 })
                .toEqual([]).catch(() => undefined);
            await page.waitForTimeout(2000);
        };
        await heard(expected.filter((way) => way !== "navigation"));
        await page.evaluate((url) => void setTimeout(() => (location.href = url)),
            `http://127.0.0.1:${ports.navigation}/`).catch(() => undefined);
        await heard(expected);
        return [...hits].sort();
    } finally {
        close();
    }
}

for (const form of ["served", "single"] as const)
    test(`${form}: what a script in the page could send by`, async ({ page }, { project }) => {
        const url = form === "served" ? "/" : pathToFileURL(path("dist-single/pqseal.html")).href;
        const expected = getsOut[project.name]![form];
        expect(await attempted(page, url, expected)).toEqual(expected);
    });

test("the sinks hear what a page without a policy sends", async ({ page }, { project }) => {
    const { hits, ports, close } = await sinks();
    await page.goto(pathToFileURL(path("tests/sends.html")).href);
    await page.evaluate(attempts, { ports, machine });
    // WebKit opens no window for a form that nobody has clicked.
    const form = project.name === "webkit" ? [] : ["form"];
    await expect.poll(() => [...hits]).toEqual(
        expect.arrayContaining(["fetch", "image", "script", "style", "socket", ...form]),
    );
    close();
});

/** Tries what has a name looked up, each way a name of its own. */
const lookups = (domain: string) => {
    for (const rel of ["dns-prefetch", "preconnect", "prefetch", "stylesheet"])
        document.head.append(
            Object.assign(document.createElement("link"), {
                rel,
                href: `http://${rel}.${domain}/`,
            }),
        );
    document.body.append(Object.assign(new Image(), { src: `http://image.${domain}/` }));
    fetch(`http://fetch.${domain}/`).catch(() => undefined);
};

interface NetLog {
    constants: { logEventTypes: Record<string, number> };
    events: { type: number; params?: unknown }[];
}

test("no name is looked up for a script in the page, by Chromium's own log of the network", {
    tag: "@net-log",
}, async ({ playwright, baseURL }, info) => {
    const { launchOptions } = info.project.use;
    const domain = "sink.example";
    const lookedUp = async (url: string) => {
        const file = info.outputPath("net-log.json");
        const browser = await playwright.chromium.launch({
            ...launchOptions,
            args: [...(launchOptions?.args ?? []), `--log-net-log=${file}`],
        });
        const page = await browser.newPage();
        await page.goto(url);
        await page.evaluate(lookups, domain);
        await page.waitForTimeout(2000);
        await browser.close();
        const { constants, events }: NetLog = JSON.parse(readFileSync(file, "utf8"));
        const resolver = new Set(
            Object.entries(constants.logEventTypes).flatMap((
                [name, type],
            ) => (name.startsWith("HOST_RESOLVER") ? [type] : [])),
        );
        const asked = JSON.stringify(events.filter(({ type }) => resolver.has(type)));
        return [...new Set(asked.match(new RegExp(`[a-z-]+\\.${domain}`, "g")))].sort();
    };
    expect(await lookedUp(baseURL!)).toEqual([]);
    expect(await lookedUp(pathToFileURL(path("dist-single/pqseal.html")).href)).toEqual([]);
    const heard = await lookedUp(pathToFileURL(path("tests/sends.html")).href);
    expect(heard, "a page without a policy").toEqual(
        expect.arrayContaining([`fetch.${domain}`, `image.${domain}`]),
    );
});
