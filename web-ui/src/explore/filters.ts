// Filters as chips. Each describes its filter, and has a button that inverts it and one that
// removes it.
import { type Child, byId, fill, h, press } from "../dom.ts";
import { reasonOf } from "../counts.ts";
import { plainName } from "../names.ts";
import { chips } from "../shown.ts";
import { timeText } from "../store/time.ts";
import type { Query } from "../store/types.ts";
import { visible } from "../visible.ts";
import { keyed, redraw } from "./focus.ts";
import { named } from "./named.ts";
import { oneStop } from "./roving.ts";

/** Shows the filters. `timeColumn` is the column of a span of time. */
export function showFilters(query: Query, timeColumn: string,
    change: (query: Query) => void): void
{
    const without = (i: number) => query.filters.filter((_, other) => other !== i);
    const all = query.filters.map((filter, i) => {
        const value = filter.column === "r:result"
            ? reasonOf(filter.value)
            : filter.value || "(empty)";
        const [is, cut] = [filter.not ? " is not " : " is ",
            value.length > 60 ? `${value.slice(0, 60)}…` : value];
        const plain = plainName(filter.column) + is + visible(cut);
        const inverted = query.filters.map((one,
            at) => (at === i ? { ...one, not: !one.not } : one)
        );
        const turn = press("link turn", is.trim(), () => change({ ...query, filters: inverted }),
            `Invert the filter ${plain}`);
        const key = [filter.column, filter.value];
        return chip([named(filter.column), " ", keyed(turn, ...key), " ", chips(cut)], plain, key,
            () => change({ ...query, filters: without(i) }));
    });
    if (query.time) {
        const { time, ...rest } = query;
        const span = ` from ${timeText(time[0])} to ${timeText(time[1])} UTC`;
        all.push(
            chip([named(timeColumn), span], plainName(timeColumn) + span, ["time"], () =>
                change(rest)),
        );
    }
    if (all.length > 1)
        all.push(h("li", "", press("quiet", "Remove all", () => {
            const { time: _, ...rest } = query;
            change({ ...rest, filters: [] });
        })));
    redraw("filters", () => {
        byId("filters").hidden = all.length === 0;
        fill(byId("filters"), all);
        oneStop(byId("filters"));
    });
}

/** Creates a chip. `plain` is its text without elements. */
function chip(text: Child, plain: string, key: string[], remove: () => void): HTMLLIElement {
    return h("li", "filter", text, " ",
        keyed(press("link", "×", remove, `Remove the filter ${plain}`), ...key, "remove"));
}
