// One row next to the table: its opened data, and every member of its record.
import type { Budget } from "../budget.ts";
import { byId, fill, h, press } from "../dom.ts";
import { chips } from "../shown.ts";
import { cut, longestCell } from "../store/members.ts";
import type { Detail } from "../store/types.ts";
import { timeOf } from "../store/time.ts";
import { visible } from "../visible.ts";
import { kindOf } from "./labels.ts";
import { localTime } from "./local.ts";
import { marked } from "./marked.ts";
import { most } from "./most.ts";
import { payload } from "./payload.ts";
import { reachable } from "./payloads.ts";

/** The longest name, in characters. */
const longestName = 200;

interface SideActions {
    filter(column: string, value: string, not: boolean): void;
    reopen(row: number): void;
}

export function showSide(detail: Detail, search: RegExp | undefined, actions: SideActions): void {
    const { record, file, field, result, event, held, isWhole } = detail;
    byId("side-title").textContent = `Record ${record.toLocaleString("en")}`;
    const facts = [["File", file], ["Field", field], ["Opened with key",
        result.ok ? result.keyId : ""]].filter(([, value]) => value) as [string, string][];
    fill(byId("side-data"), [payload(detail, search, actions.reopen),
        h("dl", "facts",
            facts.map(([name, value]) => [h("dt", "", name), h("dd", "", chips(value))]))]);
    fill(byId("side-event"), members(detail, actions));
    const isCut = !held && event.some(([, value]) => value.length > longestCell);
    const lacking = !isWhole
        ? "Some members of this record are not kept in memory. "
        : isCut
        ? "Long values are cut. "
        : "";
    fill(byId("side-partial"), lacking
        ? [lacking, press("quiet", "Read them again", () => actions.reopen(detail.row))]
        : []);
    byId("side-members").hidden = event.length === 0 && isWhole;
    byId("side").hidden = false;
    for (const pre of byId("side").querySelectorAll("pre")) reachable(pre);
}

/** Shows a name that may break between its words. */
const wordByWord = (name: string, budget: Budget) =>
    name.split(/(?<=[a-z])(?=[A-Z])|(?<=[._])/).flatMap((word, i) => [
        i ? h("wbr") : [],
        chips(word, budget),
    ]);

/**
 * Shows the members. A value can be filtered by if the store has it, cut or not, since the store
 * finds rows by its own texts.
 */
function members({ event, held = event }: Detail, actions: SideActions): HTMLElement[] {
    const kept = new Map(held);
    const [budget, shown]: [Budget, HTMLElement[]] = [most.members(), []];
    for (const [i, [name, value]] of event.entries()) {
        if (budget.isSpent || !budget.take(3))
            return [...shown, h("dt", "", "…"),
                h("dd", "",
                    `${
                        (event.length - i).toLocaleString("en")
                    } more members. Save NDJSON has all.`)];
        const [text, stored] = [marked(value === "" ? "(empty)" : value, undefined, budget),
            cut(value, longestCell)];
        const button = kept.get(name) === stored
            ? press("link value", text, () => actions.filter(`e:${name}`, stored, false))
            : undefined;
        const not = button
            && press("link not", "≠", () => actions.filter(`e:${name}`, stored, true),
                `Leave out ${visible(cut(name, longestName))} ${visible(stored.slice(0, 500))}`);
        if (button) button.title = "Filter by this value";
        if (not) not.title = "Leave out this value";
        const local = kindOf(`e:${name}`) === "time" ? localTime(timeOf(value)) : "";
        shown.push(h("dt", "", wordByWord(cut(name, longestName), budget)),
            h("dd", "", button ?? text, not ? [" ", not] : [],
                local ? h("span", "hint", ` ${local}`) : []));
    }
    return shown;
}
