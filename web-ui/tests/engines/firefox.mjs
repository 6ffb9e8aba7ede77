#!/usr/bin/env node
// Stands between Playwright and Debian's Firefox, which lacks some of what Playwright asks for.
import { spawn } from "node:child_process";
import { WebSocket } from "ws";
import { listen } from "./socket.mjs";

const browser = spawn(process.env.FIREFOX ?? "/usr/bin/firefox-esr", process.argv.slice(2), {
    stdio: ["ignore", "ignore", "pipe"],
});
browser.on("exit", () => process.exit());

browser.stderr.on("data", (text) => {
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(String(text));
    if (found) listen((peer) => forward(peer, `${found[1]}/session`));
});

/**
 * @param {WebSocket} peer
 * @param {string} address
 */
function forward(peer, address) {
    const firefox = new WebSocket(address, { maxPayload: 1 << 30, perMessageDeflate: false });
    /** @type {string[]} */
    const early = [];
    firefox.on("open", () => early.splice(0).forEach((message) => firefox.send(message)));
    /** @type {Map<string, string>} */
    const downloads = new Map();
    let count = 0;
    firefox.on("message", (data) => {
        const message = JSON.parse(String(data));
        // Playwright knows a download by an id, which this Firefox does not give.
        if (/^browsingContext.download/.test(message.method) && !message.params.download) {
            const url = message.params.url ?? "";
            if (message.method.endsWith("WillBegin")) downloads.set(url, `download-${++count}`);
            message.params.download = downloads.get(url) ?? [...downloads.values()].at(-1);
        }
        peer.send(JSON.stringify(message));
    });
    peer.on("message", (data) => {
        const text = String(data);
        const { id, method } = JSON.parse(text);
        // The page's own switch of themes is used by the tests.
        if (method === "emulation.setMediaFeaturesOverride")
            peer.send(JSON.stringify({ type: "success", id, result: {} }));
        else if (firefox.readyState === WebSocket.OPEN) firefox.send(text);
        else early.push(text);
    });
    peer.on("close", () => browser.kill());
}
