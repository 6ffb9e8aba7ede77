// The table of opened data. What is in it comes from attackers: text nodes alone, and hidden characters by their numbers.
import { byId, copy, h } from "./dom.ts";
import type { Row } from "./protocol.ts";
import { pretty, visible } from "./visible.ts";

/** As many as the worker sends. */
const mostRows = 200;

export function addRows(rows: Row[], search: string): void {
    if (rows.length === 0) return;
    byId("table").hidden = false;
    byId("rows").append(...rows.map((row) => line(row, search)));
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
    const cell = result.ok ? opened(result, search) : [h("p", "error", result.message)];
    if (field) cell.push(h("p", "hint", visible(field)));
    return h("tr", "", h("td", "", String(record)), h("td", "", ...cell));
}

function opened({ text, lossy }: { text: string; lossy: boolean }, search: string): HTMLElement[] {
    const data = h("pre", "", ...marked(visible(pretty(text)), visible(search)));
    // Long ones scroll, and what scrolls must be reachable by keyboard.
    data.tabIndex = 0;
    data.role = "group";
    data.ariaLabel = "Opened data";
    const button = h("button", "quiet", "Copy");
    button.type = "button";
    button.addEventListener("click", () => void copy(button, text));
    return [data, ...(lossy ? [h("p", "hint", "Not UTF-8: bytes that are no text are shown as �.")] : []), button];
}

/** The text with every hit marked. */
function marked(text: string, search: string): (Node | string)[] {
    if (search === "") return [text];
    const [parts, lower, needle]: [(Node | string)[], string, string] = [[], text.toLowerCase(), search.toLowerCase()];
    let from = 0;
    for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
        parts.push(text.slice(from, at), h("mark", "", text.slice(at, at + needle.length)));
        from = at + needle.length;
    }
    return [...parts, text.slice(from)];
}
