// The first of the selected rows with their opened data in full, one below the other.
import { byId, h } from "../dom.ts";
import type { Detail } from "../store/types.ts";
import { visible } from "../visible.ts";
import { payload } from "./payload.ts";

/** As many as a person looks through, and as much text as a page holds without slowing down. */
export const mostRows = 200;
const mostText = 4_000_000;

/** `reopen` opens what the worker had no room to keep. */
export function showPayloads(details: Detail[], total: number, search: RegExp | undefined, reopen: (row: number) => void): void {
    let text = 0;
    // The first one is shown however long it is.
    const shown = details.filter(({ result }) => {
        const before = text;
        text += result.ok ? result.text.length : 0;
        return before === 0 || text <= mostText;
    });
    byId("rows").replaceChildren(...shown.map((detail) => line(detail, search, reopen)));
    for (const data of byId("rows").querySelectorAll("pre")) reachable(data);
    byId("more").hidden = shown.length >= total;
    byId("more").textContent = `The first ${shown.length} are shown. Search, filter, or save all of them.`;
}

function line(detail: Detail, search: RegExp | undefined, reopen: (row: number) => void): HTMLTableRowElement {
    const { record, file, field, result } = detail;
    const cell = result.ok ? payload(detail, search, reopen) : [h("p", "error", result.message)];
    const from = [file, field].filter(Boolean).join(", ");
    if (from) cell.push(h("p", "hint", visible(from)));
    return h("tr", "", h("td", "", String(record)), h("td", "", ...cell));
}

/** What scrolls must be reachable by keyboard; what does not, need not be. */
export function reachable(data: HTMLElement): void {
    if (data.tabIndex >= 0 || data.scrollHeight <= data.clientHeight) return;
    data.tabIndex = 0;
    data.role = "group";
    data.ariaLabel = "Opened data";
}
