// The page tries to send data, and shows how the browser responds.
import { byId, onClick } from "./dom.ts";

/** A name that no server can have. */
const nowhere = "https://check.invalid/";

/** The first version of Chromium that follows the header Connection-Allowlist. */
const allowlist = 152;

export function startCheck(): void {
    onClick("check", "checked", async () => {
        byId("checked").textContent = (await isRefused())
            ? `Blocked: the browser refused the request. ${otherWays()}`
            : "Not blocked! Use no private key here.";
    });
}

/**
 * Reports whether a request is refused. The event comes after the failure, which alone proves
 * nothing: the name does not exist.
 */
function isRefused(): Promise<boolean> {
    return new Promise((resolve) => {
        addEventListener("securitypolicyviolation",
            ({ blockedURI }) => blockedURI === nowhere && resolve(true));
        setTimeout(() => resolve(false), 1000);
        fetch(nowhere).then(() => resolve(false), () => undefined);
    });
}

/**
 * Describes what cannot be tried without leaving the page or sending a packet: links, pop-ups and
 * WebRTC.
 */
function otherWays(): string {
    const others = "Links, pop-ups and WebRTC were not tried:";
    if (location.protocol === "file:")
        return `${others} no browser blocks them for a page that is opened from a file. The page uses none of them.`;
    const engine = navigator.userAgentData?.brands.find(({ brand }) => brand === "Chromium");
    return Number(engine?.version) >= allowlist
        ? `${others} this browser blocks them too, if the server sent the page with the headers that belong to it.`
        : `${others} this browser does not block them. The page uses none of them.`;
}
