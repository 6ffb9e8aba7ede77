// Rows, some in each task: the page answers meanwhile, whatever is in them.
import { h } from "../dom.ts";
import { slice } from "./most.ts";

/**
 * Puts a row for each item in the place of what was there. Stops once `isCurrent` does not hold any more. `settled` gets the rows of each task
 * once they are on the page.
 */
export async function showRows<T>(place: Element, items: T[], make: (item: T, at: number) => HTMLElement, isCurrent = () => true, settled = (_: HTMLElement[]) => {}): Promise<void> {
    let rows: HTMLElement[] = [];
    let [elements, characters] = [0, 0];
    for (const [at, item] of items.entries()) {
        if (elements >= slice.elements || characters >= slice.characters) {
            settled(rows);
            await new Promise((later) => setTimeout(later));
            if (!isCurrent()) return;
            [rows, elements, characters] = [[], 0, 0];
        }
        const row = made(() => make(item, at));
        const before = place.children[at];
        if (before) before.replaceWith(row);
        else place.append(row);
        rows.push(row);
        elements += row.querySelectorAll("*").length;
        characters += row.textContent.length;
    }
    while (place.children.length > items.length) place.lastElementChild!.remove();
    settled(rows);
}

/** One that fails stops no other. */
function made(make: () => HTMLElement): HTMLElement {
    try {
        return make();
    } catch (error) {
        return h("tr", "", h("td"), h("td", "error", `This record cannot be shown here: ${(error as Error).message}. Files that you save have it.`));
    }
}
