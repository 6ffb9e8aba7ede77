// Attackers' data as text nodes: hidden characters become chips, within a budget.
import { Budget } from "./budget.ts";
import { h } from "./dom.ts";
import { nextHidden, numberOf } from "./visible.ts";

/** The number of characters of a run of one hidden character that are counted. */
const longest = 100_000;

/** Names of characters that attacks use. */
const names: Record<string, string> = {
    "0000": "null",
    "0007": "bell",
    "0008": "backspace",
    "000D": "carriage return",
    "001B": "escape",
    "007F": "delete",
    "00A0": "no-break space",
    "00AD": "soft hyphen",
    "200B": "zero-width space",
    "200C": "zero-width non-joiner",
    "200D": "zero-width joiner",
    "200E": "left-to-right mark",
    "200F": "right-to-left mark",
    "202A": "left-to-right embedding",
    "202B": "right-to-left embedding",
    "202C": "pop directional formatting",
    "202D": "left-to-right override",
    "202E": "right-to-left override",
    "2066": "left-to-right isolate",
    "2067": "right-to-left isolate",
    "2068": "first strong isolate",
    "2069": "pop directional isolate",
    "3000": "ideographic space",
    FEFF: "byte order mark",
};

/**
 * Shows a name or a message up to a limit, with hidden characters by number, in elements: text
 * cannot look like one.
 */
export function chips(text: string, budget = new Budget(40, 500)): Node {
    const part = document.createDocumentFragment();
    const short = text.slice(0, longest);
    if (write(part, short, 0, short.length, budget) < text.length) part.append("…");
    return part;
}

/** Shows the text from `from` to `end`, as far as the budget allows, and returns the end. */
export function write(to: ParentNode, text: string, from: number, end: number,
    budget: Budget): number
{
    let at = from;
    while (at < end && !budget.isSpent) {
        const room = Math.min(end, whole(text, at + budget.characters));
        const hidden = nextHidden(text, at, room, end);
        const until = lines(text, at, hidden?.index ?? room, budget);
        if (until > at) to.append(text.slice(at, until));
        budget.characters -= until - at;
        at = until;
        if (at !== hidden?.index || budget.isSpent) continue;
        const number = numberOf(hidden.character);
        const chip = h("span", "chip",
            `U+${number}${hidden.count > 1 ? ` × ${hidden.count.toLocaleString("en")}` : ""}`);
        chip.title = names[number] ?? "hidden character";
        to.append(chip);
        budget.take(1);
        budget.characters -= chip.textContent.length;
        at += hidden.count * hidden.character.length;
    }
    return at;
}

/** Returns `to`, or the end of the last line that fits the budget. */
function lines(text: string, from: number, to: number, budget: Budget): number {
    for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
        budget.take(1);
        if (budget.isSpent) return at + 1;
    }
    return to;
}

/** Moves an index so that it does not split a surrogate pair. */
const whole = (text: string,
    at: number) => (/^[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at + 1 : at);
