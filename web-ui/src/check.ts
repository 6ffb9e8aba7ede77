// The page tries to send, and shows what the browser says to it.
import { byId, onClick } from "./dom.ts";

/** A name that no server can have. */
const nowhere = "https://check.invalid/";

export function startCheck(): void {
    onClick("check", "checked", async () => {
        const refused = await isRefused();
        byId("checked").textContent = refused
            ? "Refused, as it should be: this page cannot send."
            : "Not refused! Use no private key here.";
    });
}

/** The event comes after the failure, and a failure alone proves nothing: the name does not exist. */
function isRefused(): Promise<boolean> {
    return new Promise((resolve) => {
        addEventListener("securitypolicyviolation", ({ blockedURI }) => blockedURI === nowhere && resolve(true));
        setTimeout(() => resolve(false), 1000);
        fetch(nowhere).then(() => resolve(false), () => undefined);
    });
}
