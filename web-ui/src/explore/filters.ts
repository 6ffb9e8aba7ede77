// What is filtered, as chips: each says it, turns it round, and goes.
import { byId, h, press } from "../dom.ts";
import { reasonOf } from "../counts.ts";
import { plainName } from "../names.ts";
import { timeText } from "../store/time.ts";
import type { Query } from "../store/types.ts";
import { visible } from "../visible.ts";
import { keyed, redraw } from "./focus.ts";
import { chips, named } from "./text.ts";

/** `timeColumn` is the one that a span of time is of. */
export function showFilters(query: Query, timeColumn: string, change: (query: Query) => void): void {
    const without = (i: number) => query.filters.filter((_, other) => other !== i);
    const all = query.filters.map((filter, i) => {
        const value = filter.column === "r:result" ? reasonOf(filter.value) : filter.value || "(empty)";
        const [is, cut] = [filter.not ? " is not " : " is ", value.length > 60 ? `${value.slice(0, 60)}…` : value];
        const plain = plainName(filter.column) + is + visible(cut);
        return chip([...named(filter.column), is, ...chips(cut)], plain, [filter.column, filter.value], () => change({ ...query, filters: query.filters.map((one, at) => (at === i ? { ...one, not: !one.not } : one)) }),
            () => change({ ...query, filters: without(i) }));
    });
    if (query.time) {
        const { time, ...rest } = query;
        const span = ` from ${timeText(time[0])} to ${timeText(time[1])} UTC`;
        all.push(chip([...named(timeColumn), span], plainName(timeColumn) + span, ["time"], undefined, () => change(rest)));
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

/** `plain` is the same as plain text. */
function chip(text: (Node | string)[], plain: string, key: string[], turn: (() => void) | undefined, remove: () => void): HTMLLIElement {
    const said = turn ? keyed(press("link", text, turn), ...key) : h("span", "", ...text);
    if (turn) said.title = "Invert this filter: is, or is not";
    const away = keyed(press("link", "×", remove, `Remove the filter ${plain}`), ...key, "remove");
    return h("li", "filter", said, away);
}
