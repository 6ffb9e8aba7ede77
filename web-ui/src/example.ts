// An example: the published key and blob, then a log export that is generated here.
import blob from "../../examples/matched-data/blob.txt?raw";
import key from "../../examples/matched-data/key.txt?raw";
import { call } from "./client.ts";
import { button, byId, input, onClick } from "./dom.ts";
import { addKeyText, exampleLabel } from "./keys.ts";
import { withdrawExample } from "./offer.ts";
import { openBytes, openForm } from "./open.ts";
import { follow, reveal } from "./reveal.ts";

const events = 500;
let opened = false;

export function startExample(): void {
    onClick("example", "example-error", async () => {
        const mine = follow();
        await (opened ? openEvents() : openBlob());
        reveal(mine);
    });
    for (const id of ["blobs", "key-text"]) {
        input(id).addEventListener("input", withdrawExample);
        // Text may have been entered before this script ran.
        if (input(id).value) withdrawExample();
    }
}

async function openBlob(): Promise<void> {
    input("blobs").value = blob.trim();
    await addKeyText(key, exampleLabel);
    await openForm();
    opened = true;
    button("example").textContent = `Open ${events} example events`;
    byId("example-help").textContent =
        "It opened. Next, a log export that this page makes for the same key.";
    // Shown where the user looks now.
    byId("source").before(byId("try"));
}

async function openEvents(): Promise<void> {
    const bytes = await call("example", { key, count: events });
    input("blobs").value = "";
    await openBytes(bytes, `${events} example events`);
    // Hidden last, since an error would be shown in it, and not if it was cleared meanwhile.
    byId("try").hidden = opened;
}

export function clearExample(): void {
    opened = false;
    byId("open-title").after(byId("try"));
    byId("try").hidden = false;
    byId("example-error").textContent = "";
    button("example").textContent = "Try it with an example";
    byId("example-help").textContent =
        "It uses a key and a blob that are published in documentation.";
}
