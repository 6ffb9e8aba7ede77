// The table of opened data. What is in it comes from attackers: only text nodes, and hidden characters as their numbers.
import { byId, copy, h } from "./dom.ts";
import type { Row } from "./protocol.ts";
import { searchFor } from "./search.ts";
import { hiddenIn, numberOf, pretty, visible } from "./visible.ts";

/** As many as the worker sends. */
const mostRows = 200;

export function addRows(rows: Row[], search: string): void {
    if (rows.length === 0) return;
    byId("table").hidden = false;
    byId("rows").append(...rows.map((row) => line(row, search)));
    for (const data of byId("rows").querySelectorAll("pre")) reachable(data);
    const full = byId("rows").childElementCount >= mostRows;
    byId("more").hidden = !full;
    byId("more").textContent = full ? `The first ${mostRows} are shown. Search, or save all of them.` : "";
}

export function clearRows(): void {
    byId("rows").replaceChildren();
    byId("table").hidden = true;
    byId("more").hidden = true;
}

function line({ record, field, result }: Row, search: string): HTMLTableRowElement {
    const cell = result.ok ? opened(record, result, search) : [h("p", "error", result.message)];
    if (field) cell.push(h("p", "hint", visible(field)));
    return h("tr", "", h("td", "", String(record)), h("td", "", ...cell));
}

function opened(record: number, { text, lossy }: { text: string; lossy: boolean }, search: string): HTMLElement[] {
    if (text === "") return [h("p", "hint", "Empty: the opened data has no bytes.")];
    const data = h("pre", "", ...marked(pretty(text), search));
    const button = h("button", "quiet", "Copy");
    button.type = "button";
    button.ariaLabel = `Copy record ${record}`;
    button.addEventListener("click", () => void copy(button, text));
    return [data, ...(lossy ? [h("p", "hint", "Not UTF-8: bytes that are not text are shown as �.")] : []), button];
}

/** What scrolls must be reachable by keyboard; what does not, need not be. */
function reachable(data: HTMLElement): void {
    if (data.tabIndex >= 0 || data.scrollHeight <= data.clientHeight) return;
    data.tabIndex = 0;
    data.role = "group";
    data.ariaLabel = "Opened data";
}

/** The text with every hit marked. */
function marked(text: string, search: string): (Node | string)[] {
    const expression = searchFor(search);
    if (!expression) return chips(text);
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const { 0: hit, index } of text.matchAll(expression)) {
        parts.push(...chips(text.slice(from, index)), h("mark", "", ...chips(hit)));
        from = index + hit.length;
    }
    return [...parts, ...chips(text.slice(from))];
}

/** Hidden characters by their numbers, in elements: text cannot look like one. */
function chips(text: string): (Node | string)[] {
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const { 0: character, index } of hiddenIn(text)) {
        parts.push(text.slice(from, index), h("span", "chip", `U+${numberOf(character)}`));
        from = index + character.length;
    }
    return [...parts, text.slice(from)];
}
