// One row beside the table: its opened data, and every member of its record.
import { byId, h } from "../dom.ts";
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
    const { record, field, result, event } = detail;
    byId("side-title").textContent = `Record ${record.toLocaleString("en")}`;
    const data = result.ok ? payload(detail, search, asked.reopen) : [h("p", "error", result.message)];
    const facts: [string, string][] = [...(field ? [["Field", field] as [string, string]] : []), ...(result.ok ? [["Opened with key", result.keyId] as [string, string]] : [])];
    byId("side-data").replaceChildren(...data, h("dl", "facts", ...facts.flatMap(([name, value]) => [h("dt", "", name), h("dd", "", visible(value))])));
    byId("side-event").replaceChildren(...event.flatMap(([name, value]) => {
        const button = h("button", "link value", ...chips(value === "" ? "(empty)" : value));
        button.type = "button";
        button.title = "Filter by this value";
        button.addEventListener("click", () => asked.filter(`e:${name}`, value, false));
        return [h("dt", "", ...chips(name)), h("dd", "", button)];
    }));
    byId("side-members").hidden = event.length === 0;
    byId("side").hidden = false;
    for (const pre of byId("side").querySelectorAll("pre")) reachable(pre);
}
