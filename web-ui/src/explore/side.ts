// One row beside the table: its opened data, and every member of its record.
import { byId, h, press } from "../dom.ts";
import { cut, longestCell } from "../store/members.ts";
import type { Detail } from "../store/types.ts";
import { visible } from "../visible.ts";
import { payload } from "./payload.ts";
import { reachable } from "./payloads.ts";
import { chips } from "./text.ts";

interface Asked {
    filter(column: string, value: string, not: boolean): void;
    reopen(row: number): void;
}

export function showSide(detail: Detail, search: RegExp | undefined, asked: Asked): void {
    const { record, file, field, result, event, held, isWhole } = detail;
    byId("side-title").textContent = `Record ${record.toLocaleString("en")}`;
    const data = result.ok ? payload(detail, search, asked.reopen) : [h("p", "error", result.message)];
    const facts = [["File", file], ["Field", field], ["Opened with key", result.ok ? result.keyId : ""]].filter(([, value]) => value) as [string, string][];
    byId("side-data").replaceChildren(...data, h("dl", "facts", ...facts.flatMap(([name, value]) => [h("dt", "", name), h("dd", "", visible(value))])));
    byId("side-event").replaceChildren(...members(detail, asked));
    const isCut = !held && event.some(([, value]) => value.length > longestCell);
    const lacking = !isWhole ? "Some members of this record are not kept in memory. " : isCut ? "Long values are cut. " : "";
    byId("side-partial").replaceChildren(...(lacking ? [lacking, press("quiet", "Read them again", () => asked.reopen(detail.row))] : []));
    byId("side-members").hidden = event.length === 0 && isWhole;
    byId("side").hidden = false;
    for (const pre of byId("side").querySelectorAll("pre")) reachable(pre);
}

/** A value filters if the store has it, cut or not: rows are found by what the store has. */
function members({ event, held = event }: Detail, asked: Asked): HTMLElement[] {
    const kept = new Map(held);
    return event.flatMap(([name, value]) => {
        const [text, stored] = [chips(value === "" ? "(empty)" : value), cut(value, longestCell)];
        if (kept.get(name) !== stored) return [h("dt", "", ...chips(name)), h("dd", "", ...text)];
        const button = press("link value", text, () => asked.filter(`e:${name}`, stored, false));
        button.title = "Filter by this value";
        return [h("dt", "", ...chips(name)), h("dd", "", button)];
    });
}
