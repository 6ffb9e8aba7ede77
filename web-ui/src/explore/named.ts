// Names of columns.
import { type Child, h } from "../dom.ts";
import { nameOf } from "../names.ts";
import { chips } from "../shown.ts";

/**
 * Returns a column's name. That of opened data has a mark, and the page's own look different: names
 * in data are text, which cannot look so.
 */
export function named(id: string): Child[] {
    const name = chips(nameOf(id));
    if (id.startsWith("p:")) return [h("span", "opened-name", "opened"), " ", name];
    return id.startsWith("r:") ? [h("i", "", name)] : [name];
}
