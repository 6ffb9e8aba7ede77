// The first of the selected rows with their opened data in full, one below the other.
import { byId, h } from "../dom.ts";
import { chips } from "../shown.ts";
import type { Detail } from "../store/types.ts";
import { payload } from "./payload.ts";
import { showRows } from "./rows.ts";

/**
 * The maximum numbers of rows and of characters: as many as a person reads, and a page holds
 * without slowing down.
 */
export const mostRows = 200;
export const mostText = 4_000_000;

/**
 * Shows the payloads. `searchIn` returns what to mark in a row, and `reopen` opens what the worker
 * had no room to keep.
 */
export async function showPayloads(
    details: Detail[],
    total: number,
    searchIn: (detail: Detail) => RegExp | undefined,
    reopen: (row: number) => void,
    isCurrent: () => boolean,
): Promise<void> {
    byId("more").hidden = details.length >= total;
    byId("more").textContent =
        `The first ${details.length} are shown. Search, filter, or save all of them.`;
    await showRows(byId("rows"), details, (detail) => line(detail, searchIn(detail), reopen),
        isCurrent, (rows) => {
        for (const row of rows) allReachable(row);
    });
}

function line(detail: Detail, search: RegExp | undefined,
    reopen: (row: number) => void): HTMLTableRowElement
{
    const { record, file, field } = detail;
    const cell = payload(detail, search, reopen);
    const from = [file, field].filter(Boolean).join(", ");
    if (from) cell.push(h("p", "hint", chips(from)));
    const all = h("div", "row-data", cell);
    // A row made while another panel was shown had no height.
    all.addEventListener("contentvisibilityautostatechange", () => allReachable(all));
    return h("tr", "", h("td", "", String(record)), h("td", "", all));
}

function allReachable(row: HTMLElement): void {
    for (const data of row.querySelectorAll("pre")) reachable(data);
}

/**
 * Makes data reachable by keyboard if it scrolls. Its height is right out of view too: reading it
 * lays out this one row.
 */
export function reachable(data: HTMLElement): void {
    if (data.tabIndex >= 0 || data.scrollHeight <= data.clientHeight) return;
    data.tabIndex = 0;
    data.role = "group";
    data.ariaLabel = "Opened data";
}
