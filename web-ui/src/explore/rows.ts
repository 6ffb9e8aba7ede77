// Rows shown over several tasks, so that the page stays responsive for any content.
import { h } from "../dom.ts";
import { slice } from "./most.ts";

/**
 * Replaces the content with a row for each item. Stops once `isCurrent` returns false. `settled`
 * gets the rows of each task when they are on the page.
 */
export async function showRows<T>(place: Element, items: T[],
    make: (item: T, at: number) => HTMLElement, isCurrent = () => true,
    settled = (_: HTMLElement[]) => {}): Promise<void>
{
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

/** Makes a row. If that fails, the others are shown all the same. */
function made(make: () => HTMLElement): HTMLElement {
    try {
        return make();
    } catch (error) {
        return h("tr", "", h("td"),
            h("td", "error",
                `This record cannot be shown here: ${
                    (error as Error).message
                }. Files that you save have it.`));
    }
}
