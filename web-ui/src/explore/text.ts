// Opened data as text nodes: hidden characters as chips, found text marked.
import { h } from "../dom.ts";
import { nameOf } from "../names.ts";
import { searchFor } from "../search.ts";
import { hiddenIn, numberOf } from "../visible.ts";

/** Those that attacks are made of, by name. */
const names: Record<string, string> = {
    "0000": "null", "0007": "bell", "0008": "backspace", "000D": "carriage return", "001B": "escape", "007F": "delete", "00A0": "no-break space",
    "00AD": "soft hyphen", "200B": "zero-width space", "200C": "zero-width non-joiner", "200D": "zero-width joiner",
    "200E": "left-to-right mark", "200F": "right-to-left mark", "202A": "left-to-right embedding", "202B": "right-to-left embedding",
    "202C": "pop directional formatting", "202D": "left-to-right override", "202E": "right-to-left override",
    "2066": "left-to-right isolate", "2067": "right-to-left isolate", "2068": "first strong isolate", "2069": "pop directional isolate",
    "3000": "ideographic space", FEFF: "byte order mark",
};

/** Hidden characters by their numbers, in elements: text cannot look like one. */
export function chips(text: string): (Node | string)[] {
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const { 0: character, index } of hiddenIn(text)) {
        const number = numberOf(character);
        const chip = h("span", "chip", `U+${number}`);
        chip.title = names[number] ?? "hidden character";
        parts.push(text.slice(from, index), chip);
        from = index + character.length;
    }
    return [...parts, text.slice(from)];
}

/** A column's name. That of opened data has a mark, and the page's own look different: names in data are text, which cannot look so. */
export function named(id: string): (Node | string)[] {
    const name = chips(nameOf(id));
    if (id.startsWith("p:")) return [h("span", "opened-name", "opened"), " ", ...name];
    return id.startsWith("r:") ? [h("i", "", ...name)] : name;
}

/** What the search box asks for, or nothing. A broken expression is the worker's to name. */
export function searched(text: string, regex: boolean): RegExp | undefined {
    if (!regex) return searchFor(text);
    try {
        return text === "" ? undefined : new RegExp(text, "giu");
    } catch {
        return undefined;
    }
}

/** The text with every hit marked. */
export function marked(text: string, search: RegExp | undefined): (Node | string)[] {
    if (!search) return chips(text);
    const parts: (Node | string)[] = [];
    let from = 0;
    for (const { 0: hit, index } of text.matchAll(search)) {
        if (hit === "") continue;
        parts.push(...chips(text.slice(from, index)), h("mark", "", ...chips(hit)));
        from = index + hit.length;
    }
    return [...parts, ...chips(text.slice(from))];
}
