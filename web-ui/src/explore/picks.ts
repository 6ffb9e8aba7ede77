// Buttons that filter by the cell under the mouse. There is one pair, which moves: one in each cell
// would be thousands of elements. By keyboard the record's own list has the same.
import { byId, h, press } from "../dom.ts";

export interface Cell {
    column: string;
    value: string;
}

/** The width in pixels of a cell that they would fill. */
const narrow = 90;
/** The time in milliseconds before they take clicks: the mouse may be on its way to the row. */
const patience = 300;

const cells = new WeakMap<Element, Cell>();

/** Gives a cell of the table the value that it filters by. */
export const pickable = (element: Element, cell: Cell): void => void cells.set(element, cell);

export function startPicks(filter: (column: string, value: string, not: boolean) => void): void {
    let at: Cell | undefined;
    let soon: ReturnType<typeof setTimeout>;
    const choose = (not: boolean) => (event: Event) => {
        event.stopPropagation();
        if (at) filter(at.column, at.value, not);
    };
    const only = press("pick-one", "+", () => undefined, "Only rows with this value");
    const not = press("pick-one", "−", () => undefined, "Leave out rows with this value");
    only.addEventListener("click", choose(false));
    not.addEventListener("click", choose(true));
    for (const button of [only, not]) [button.title, button.tabIndex] = [button.ariaLabel!, -1];
    const picks = h("span", "picks", only, not);
    // Not "pointerover": a table that moves below the mouse is not chosen from.
    byId("lines").addEventListener("pointermove", ({ target }) => {
        const cell = (target as Element).closest?.("td");
        if (!cell || cell.contains(picks)) return;
        at = cell.clientWidth < narrow ? undefined : cells.get(cell);
        picks.classList.remove("ready");
        clearTimeout(soon);
        if (!at) return picks.remove();
        cell.append(picks);
        soon = setTimeout(() => picks.classList.add("ready"), patience);
    });
    byId("lines").addEventListener("pointerleave", () => picks.remove());
}
