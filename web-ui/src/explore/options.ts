// Lists of columns to choose from.
import { byId, fill, h } from "../dom.ts";
import { plainName } from "../names.ts";

/**
 * Shows the columns. `first` is an entry that is not a column. Only other columns change a list,
 * since that closes it if it is open.
 */
export function showOptions(list: string, columns: string[], first?: string): void {
    const select = byId<HTMLSelectElement>(list);
    const key = [first, ...columns].join("\n");
    if (select.dataset.key === key) return;
    select.dataset.key = key;
    const entry = (label: string, value: string) => {
        const option = h("option", "", label);
        option.value = value;
        return option;
    };
    const entries = columns.map((id) => entry(plainName(id), id));
    fill(select, [first === undefined ? [] : entry(first, ""), entries]);
}
