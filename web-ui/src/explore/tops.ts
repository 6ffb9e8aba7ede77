// The most frequent values of some columns, as tables whose values filter.
import { byId, fill, h, press } from "../dom.ts";
import { reasonOf } from "../counts.ts";
import { plainName } from "../names.ts";
import { chips } from "../shown.ts";
import type { Overview, Top } from "../store/types.ts";
import { visible } from "../visible.ts";
import { keyed, redraw } from "./focus.ts";
import { showOptions } from "./options.ts";
import { most } from "./most.ts";
import { named } from "./named.ts";

interface Asked {
    filter(column: string, value: string, not: boolean): void;
    remove(column: string): void;
}

export function showTops({ tops, columns, matched }: Overview, asked: Asked): void {
    redraw("tops", () => fill(byId("tops"), tops.map((top) => card(top, matched, asked))));
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

function card({ column, values, distinct }: Top, matched: number, asked: Asked): HTMLElement {
    const name = plainName(column);
    const caption = h("caption", "", named(column),
        h("span", "hint",
            ` ${distinct.toLocaleString("en")} ${distinct === 1 ? "value" : "values"}`));
    caption.append(
        keyed(press("link", "×", () => asked.remove(column), `Hide the values of ${name}`), column),
    );
    const rows = values.map(([value, count]) => {
        const text = chips(
            column === "r:result" ? reasonOf(value) : value === "" ? "(empty)" : value,
            most.value(),
        );
        const only = press("link value", text, () => asked.filter(column, value, false));
        const not = press("link not", "≠", () => asked.filter(column, value, true),
            `Leave out ${name} ${visible(value.slice(0, 500))}`);
        only.title = visible(value.slice(0, 500));
        keyed(only, column, value);
        keyed(not, column, value, "not");
        const row = h("tr", "", h("td", "", only), h("td", "count", count.toLocaleString("en")),
            h("td", "", not));
        row.style.setProperty("--part", `${(count / Math.max(1, matched)) * 100}%`);
        return row;
    });
    return h("table", "top", caption, h("tbody", "", rows));
}
