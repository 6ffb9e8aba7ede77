// What is filtered, as chips: each says it, turns it round, and goes.
import { byId, h, press } from "../dom.ts";
import { reasonOf } from "../counts.ts";
import { timeText } from "../store/time.ts";
import type { Query } from "../store/types.ts";
import { keyed, redraw } from "./focus.ts";
import { nameOf } from "./labels.ts";
import { chips } from "./text.ts";

/** `timeColumn` is the one that a span of time is of. */
export function showFilters(query: Query, timeColumn: string, change: (query: Query) => void): void {
    const without = (i: number) => query.filters.filter((_, other) => other !== i);
    const all = query.filters.map((filter, i) => {
        const value = filter.column === "r:result" ? reasonOf(filter.value) : filter.value || "(empty)";
        const text = [...chips(nameOf(filter.column)), filter.not ? " is not " : " is ", ...chips(value.length > 60 ? `${value.slice(0, 60)}…` : value)];
        return chip(text, [filter.column, filter.value], () => change({ ...query, filters: query.filters.map((one, at) => (at === i ? { ...one, not: !one.not } : one)) }),
            () => change({ ...query, filters: without(i) }));
    });
    if (query.time) {
        const { time, ...rest } = query;
        all.push(chip([...chips(nameOf(timeColumn)), ` from ${timeText(time[0])} to ${timeText(time[1])} UTC`], ["time"], undefined, () => change(rest)));
    }
    if (all.length > 1) all.push(h("li", "", press("quiet", "Remove all", () => {
        const { time: _, ...rest } = query;
        change({ ...rest, filters: [] });
    })));
    redraw("filters", () => {
        byId("filters").hidden = all.length === 0;
        byId("filters").replaceChildren(...all);
    });
}

function chip(text: (Node | string)[], key: string[], turn: (() => void) | undefined, remove: () => void): HTMLLIElement {
    const said = turn ? keyed(press("link", text, turn), ...key) : h("span", "", ...text);
    if (turn) said.title = "Invert this filter: is, or is not";
    const away = keyed(press("link", "×", remove, `Remove the filter ${said.textContent}`), ...key, "remove");
    return h("li", "filter", said, away);
}
