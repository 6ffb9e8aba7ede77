// The panels, of which one is shown.
import { byId } from "./dom.ts";

const buttons = () => [...document.querySelectorAll<HTMLButtonElement>("nav button")];

export function startPanels(): void {
    for (const button of buttons()) button.addEventListener("click", () => showPanel(button.dataset.panel ?? ""));
}

export function showPanel(id: string): void {
    for (const button of buttons()) {
        const shown = button.dataset.panel === id;
        byId(button.dataset.panel ?? "").hidden = !shown;
        button.ariaCurrent = shown ? "page" : null;
    }
}
