// Where Playwright connects to what it takes for Firefox: WebDriver BiDi over a WebSocket.
import { WebSocketServer } from "ws";

/**
 * Waits for Playwright, which reads the address from the standard error, and calls `connected` with
 * it.
 * @param {(peer: import("ws").WebSocket) => void} connected
 */
export function listen(connected) {
    const server = new WebSocketServer({
        host: "127.0.0.1",
        port: 0,
        maxPayload: 1 << 30,
        perMessageDeflate: false,
    });
    server.on("connection", connected);
    server.on("listening", () => {
        const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
        console.error(`WebDriver BiDi listening on ws://127.0.0.1:${port}`);
    });
}
