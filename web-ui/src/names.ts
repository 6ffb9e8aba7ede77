// The names of columns. Members of opened data may have the names of the event's members.
import { cut } from "./store/members.ts";
import { visible } from "./visible.ts";

const results: Record<string, string> = {
    "r:result": "outcome",
    "r:key": "key id",
    "r:field": "field",
    "r:file": "file",
};

export const nameOf = (id: string): string => results[id] ?? id.slice(2);

/**
 * Returns a name as plain text. Brackets in data are shown as numbers, so that no name looks like
 * one of opened data. Data may have long names.
 */
export const plainName = (id: string, longest = 200): string =>
    `${id.startsWith("p:") ? "⟦opened⟧ " : ""}${visible(cut(nameOf(id), longest))}`;
