// The most frequent values of some columns, as tables whose values filter. If rows are pinned as A,
// the values that differ most between A and the selected rows, which are B.
import { byId, fill, h, press } from "../dom.ts";
import { plainName } from "../names.ts";
import type { Overview, Top } from "../store/types.ts";
import { visible } from "../visible.ts";
import { keyed, redraw } from "./focus.ts";
import { showOptions } from "./options.ts";
import { named } from "./named.ts";
import { oneStop } from "./roving.ts";
import { change, share } from "./share.ts";
import { shortValue } from "./value.ts";

interface TopsActions {
    filter(column: string, value: string, not: boolean): void;
    remove(column: string): void;
    all(column: string): void;
}

export function showTops({ tops, columns, matched, pinned }: Overview, actions: TopsActions): void {
    byId("tops-of").textContent = pinned === undefined
        ? `of ${matched.toLocaleString("en")} selected rows`
        : `A: ${pinned.toLocaleString("en")} pinned rows, B: ${
            matched.toLocaleString("en")
        } selected rows`;
    redraw("tops", () => {
        fill(byId("tops"), tops.map((top) => card(top, matched, pinned, actions)));
        for (const table of byId("tops").children) oneStop(table as HTMLElement);
    });
    const others = columns.filter(({ id }) => !tops.some(({ column }) => column === id)).map((
        { id },
    ) => id);
    showOptions("add-top", others, "Values of another member…");
}

/**
 * Keeps the values in their earlier places, since growing counts would move them while they are
 * read.
 */
export function inPlace(now: Overview, before: Overview): Overview {
    const tops = now.tops.map((top) => {
        const places =
            before.tops.find(({ column }) => column === top.column)?.values.map(([value]) => value)
                ?? [];
        const place = (
            value: string,
        ) => (places.includes(value) ? places.indexOf(value) : places.length);
        return { ...top, values: top.values.toSorted(([a], [b]) => place(a) - place(b)) };
    });
    return { ...now, tops };
}

function card({ column, values, distinct }: Top, matched: number, pinned: number | undefined,
    actions: TopsActions): HTMLElement
{
    const name = plainName(column);
    const all = `${distinct.toLocaleString("en")} ${distinct === 1 ? "value" : "values"}`;
    const shown = press("link all", all, () => actions.all(column), `${all} of ${name}: show all`);
    const hide = press("link", "×", () => actions.remove(column), `Hide the values of ${name}`);
    const caption = h("caption", "",
        h("span", "name", h("span", "", named(column)), keyed(shown, column, "all"),
            keyed(hide, column)));
    const rows = values.map(([value, count, before]) => {
        const only = press("link value", shortValue(column, value),
            () => actions.filter(column, value, false));
        const not = press("link not", "≠", () => actions.filter(column, value, true),
            `Leave out ${name} ${visible(value.slice(0, 500))}`);
        only.title = visible(value.slice(0, 500));
        not.title = "Leave out this value";
        keyed(only, column, value);
        keyed(not, column, value, "not");
        const figures = pinned === undefined || before === undefined
            ? [h("td", "count", count.toLocaleString("en")),
                h("td", "count", share(count, matched))]
            : [share(before, pinned), share(count, matched), change(count, matched, before, pinned)]
                .map((text) => h("td", "count part", text));
        const row = h("tr", "", h("td", "", only), figures, h("td", "", not));
        row.style.setProperty("--part", `${(count / Math.max(1, matched)) * 100}%`);
        return row;
    });
    const head = pinned === undefined
        ? []
        : h("thead", "",
            h("tr", "", h("th", "", "Value"),
                ["A", "B", "Points"].map((label) => h("th", "count part", label)), h("td")));
    return h("table", "top", caption, head, h("tbody", "", rows));
}
