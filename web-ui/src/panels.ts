// The panels, one of which is shown. Each has an address and a title, and the browser's Back moves
// between them.
import { byId } from "./dom.ts";

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>("nav button")];

export function startPanels(): void {
    for (const button of buttons())
        button.addEventListener("click", () => showPanel(button.dataset.panel ?? ""));
    addEventListener("popstate", showAddressed);
    showAddressed();
}

export function showPanel(id: string): void {
    if (!byId(id).hidden) return;
    // Unlike a change of the hash, this does not scroll.
    history.pushState(null, "", `#${id}`);
    showAddressed();
}

function showAddressed(): void {
    const all = buttons();
    const [first] = all;
    const shown = all.find(({ dataset }) => `#${dataset.panel}` === location.hash) ?? first;
    for (const button of all) {
        byId(button.dataset.panel ?? "").hidden = button !== shown;
        button.ariaCurrent = button === shown ? "page" : null;
    }
    document.title = `${byId(`${shown?.dataset.panel}-title`).textContent} - pqseal`;
}
