// The choice of the table's columns, kept until the page is cleared or left.
import { byId, fill, h } from "../dom.ts";
import type { ColumnFacts } from "../store/types.ts";
import { keyed, redraw } from "./focus.ts";
import { named } from "./named.ts";

export function showColumns(columns: ColumnFacts[], chosen: string[],
    change: (chosen: string[]) => void): void
{
    const key = `${columns.map(({ id }) => id).join("\n")}\n\n${chosen.join("\n")}`;
    const list = byId("column-list");
    if (list.dataset.key === key) return;
    list.dataset.key = key;
    const groups = { event: "Record", payload: "Opened data", result: "Opening" } as const;
    redraw("column-list", () =>
        fill(list, Object.entries(groups).map(([group, title]) => {
            const mine = columns.filter((column) => column.group === group);
            return mine.length
                ? h("fieldset", "", h("legend", "", title),
                    mine.map(({ id }) => box(id, chosen, change)))
                : [];
        })));
}

function box(id: string, chosen: string[], change: (chosen: string[]) => void): HTMLElement {
    const field = h("input");
    field.type = "checkbox";
    field.checked = chosen.includes(id);
    field.addEventListener("change",
        () => change(field.checked ? [...chosen, id] : chosen.filter((other) => other !== id)));
    return h("label", "switch", keyed(field, id), h("span", "", named(id)));
}
