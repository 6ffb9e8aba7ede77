// One line in place of the first two steps, while a table of records is shown.
import { button, byId, fill, onClick } from "./dom.ts";
import { chips } from "./shown.ts";

/** Where the button that clears belongs otherwise. */
let home: Element | null;

export function startSummary(): void {
    home = byId("clear").parentElement;
    onClick("summary-change", "key-error",
        () => setFolded(button("summary-change").ariaExpanded === "true"));
}

/** Shows the line, with the name of the input. */
export function showSummary(name: string): void {
    const keys = byId("key-list").children.length;
    fill(byId("summary-text"), [`${keys} ${keys === 1 ? "key" : "keys"}, `, chips(name)]);
    if (!byId("summary").hidden) return;
    byId("summary").hidden = false;
    byId("summary").append(byId("clear"));
    setFolded(true);
}

export function hideSummary(): void {
    if (byId("summary").hidden) return;
    const hasFocus = document.activeElement === byId("clear");
    byId("summary").hidden = true;
    byId("summary-text").textContent = "";
    setFolded(false);
    home?.append(byId("clear"));
    if (hasFocus) byId("clear").focus();
}

function setFolded(on: boolean): void {
    button("summary-change").ariaExpanded = String(!on);
    byId("open").classList.toggle("folded", on);
}
