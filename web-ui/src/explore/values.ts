// All values of a column, alone or by those of another, with their counts.
import { call } from "../client.ts";
import { attempt, copy, fill, h, press } from "../dom.ts";
import { plainName } from "../names.ts";
import type { ColumnFacts, Value, ValuesOf } from "../store/types.ts";
import { inOneLine, visible } from "../visible.ts";
import { named } from "./named.ts";
import { share } from "./share.ts";
import { shownValue } from "./value.ts";

/** The number of values that are shown, and added each time. */
const step = 200;
/** The maximum number of values that are copied. */
const mostCopied = 100_000;

type Filter = (column: string, value: string, not: boolean) => void;

let dialog: HTMLDialogElement | undefined;

/** Ends it, since its values are data. */
export function closeValues(): void {
    dialog?.remove();
    dialog = undefined;
}

export function showValues(column: string, columns: ColumnFacts[], filter: Filter): void {
    closeValues();
    const box = h("dialog", "values");
    dialog = box;
    const title = h("h2", "", "All values of ", named(column));
    title.id = "values-title";
    box.setAttribute("aria-labelledby", title.id);
    const { search, sort, by } = controls(columns.filter(({ id }) => id !== column));
    const facts = h("p", "hint");
    facts.role = "status";
    const error = h("p", "error");
    [error.id, error.role] = ["values-error", "alert"];
    const rows = h("tbody");
    const more = press("quiet", "Show more", () => void attempt(error.id, () => add(false)));
    const copies = press("quiet", "Copy as table", () => void attempt(error.id, copyAll));
    const ask = (from: number, to: number): ValuesOf => ({
        column,
        ...(by.field.value && { by: by.field.value }),
        text: search.value,
        sort: sort.field.value as "count",
        from,
        to,
    });
    let version = 0;

    async function add(isNew: boolean): Promise<void> {
        const [mine, from] = [++version, isNew ? 0 : rows.children.length];
        const { values, matching, distinct, total } = await call("values", ask(from, from + step));
        if (mine !== version) return;
        if (isNew) rows.replaceChildren();
        for (const { value, with: other, count } of values)
            rows.append(
                h("tr", "", choose(column, value),
                    other === undefined ? [] : choose(by.field.value, other),
                    h("td", "count", number(count)), h("td", "count", share(count, total))),
            );
        facts.textContent = `${number(matching)} of ${number(distinct)} ${
            by.field.value ? "pairs" : "values"
        }, in ${number(total)} selected rows.`;
        more.hidden = rows.children.length >= matching;
    }

    function choose(id: string, text: string): HTMLElement {
        const only = press("link value", shownValue(id, text), () => {
            box.close();
            filter(id, text, false);
        });
        only.title = visible(text.slice(0, 500));
        return h("td", "", only);
    }

    async function copyAll(): Promise<void> {
        const { values, total } = await call("values", ask(0, mostCopied));
        await copy(copies, values.map((value) => tabbed(value, total)).join("\n"));
    }

    for (const field of [search, sort.field, by.field])
        field.addEventListener("input", () => void attempt(error.id, () => add(true)));
    fill(box, [title, h("div", "row", search, sort.label, by.label), facts, error,
        h("div", "all", h("table", "", rows)),
        h("div", "row", more, copies, press("", "Close", () => box.close()))]);
    box.addEventListener("close", closeValues);
    document.body.append(box);
    box.showModal();
    void attempt(error.id, () => add(true));
}

function choice(label: string, options: (readonly [string, string])[]) {
    const field = h("select");
    for (const [value, text] of options) {
        const option = h("option", "", text);
        option.value = value;
        field.append(option);
    }
    field.ariaLabel = label;
    return { field, label: h("span", "", `${label} `, field) };
}

const number = (n: number) => n.toLocaleString("en");

/** Returns a value as a line of a table: tabs are between its cells. */
const tabbed = ({ value, with: other, count }: Value, total: number): string =>
    [value, ...(other === undefined ? [] : [other])].map(inOneLine).concat(
        String(count),
        share(count, total),
    ).join("\t");

/** Creates the fields that choose values and their order, with columns for pairs. */
function controls(columns: ColumnFacts[]) {
    const search = h("input");
    [search.type, search.placeholder] = ["search", "Search in these values"];
    search.ariaLabel = search.placeholder;
    const sort = choice("Sort by", [["count", "count"], ["value", "value"]]);
    const by = choice("By", [["", "nothing else"],
        ...columns.map(({ id }) => [id, plainName(id)] as const)]);
    return { search, sort, by };
}
