// An example to try the page with: the published key and blob, then a log export that is made here.
import blob from "../../examples/matched-data/blob.txt?raw";
import key from "../../examples/matched-data/key.txt?raw";
import { call } from "./client.ts";
import { button, byId, input, onClick } from "./dom.ts";
import { addKeyText } from "./keys.ts";
import { openBytes, openText } from "./open.ts";

const events = 500;
let opened = false;

export function startExample(): void {
    onClick("example", "example-error", async () => {
        if (opened) {
            input("blobs").value = "";
            byId("try").hidden = true;
            return openBytes(await call("example", { key, count: events }), `${events} example events`);
        }
        await addKeyText(key, "Example");
        await openText(blob.trim());
        opened = true;
        button("example").textContent = `Open ${events} example events`;
        byId("example-help").textContent = "It opened. Next, a log export that this page makes for the same key.";
    });
}

export function clearExample(): void {
    opened = false;
    byId("try").hidden = false;
    byId("example-error").textContent = "";
    button("example").textContent = "Try it with an example";
    byId("example-help").textContent = "It uses a key and a blob that are published in documentation.";
}
