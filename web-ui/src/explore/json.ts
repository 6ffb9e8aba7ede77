// JSON in colors, whose objects and lists fold. The text itself stays unchanged, between colors and
// buttons.
import type { Budget } from "../budget.ts";
import { h, press } from "../dom.ts";
import { jsonTokens } from "../json.ts";
import { writeMarked } from "./marked.ts";
import { deepest } from "./most.ts";

/**
 * A generator that shows a text, each time as far as the given budget allows. It ends when all is
 * shown.
 */
export type Showing = Generator<void, void, Budget>;

/** Shows a text that is not JSON. */
export function* plainly(to: HTMLElement, text: string, search: RegExp | undefined): Showing {
    for (let at = 0; at < text.length;) at = writeMarked(to, text, at, yield, search);
}

/**
 * Shows JSON with line breaks and indents. Values keep their text: parsing would lose digits and
 * duplicate members.
 */
export function* colored(to: HTMLElement, json: string, search: RegExp | undefined): Showing {
    let budget = yield;
    /** The elements for the content of open brackets. */
    const open = [to];
    for (const { text, kind } of indented(json)) {
        if (kind === "closing" && open.length > 1) open.pop();
        if (budget.isSpent) budget = yield;
        const inner = open.at(-1)!;
        let place = inner;
        if (kind === "key" || kind === "string" || kind === "literal") {
            place = h("span", kind);
            budget.take(1);
            inner.append(place);
        }
        for (let at = 0; at < text.length;) {
            if (budget.isSpent) budget = yield;
            at = writeMarked(place, text, at, budget, search);
        }
        if (kind === "opening")
            open.push(open.length <= deepest && budget.take(2) ? folding(inner) : inner);
    }
}

/** Adds an element that folds, after the bracket. */
function folding(to: HTMLElement): HTMLElement {
    const inner = h("span", "inner");
    const button = press("fold", "", () => {
        inner.hidden = !inner.hidden;
        button.ariaExpanded = String(!inner.hidden);
    }, "Fold");
    button.ariaExpanded = "true";
    to.append(button, inner);
    return inner;
}

/** Returns the same as one text. */
export const pretty = (json: string): string =>
    Array.from(indented(json), ({ text }) => text).join("");

interface Piece {
    text: string;
    kind: "opening" | "closing" | "key" | "string" | "literal" | "between";
}

/** Yields its tokens, with line breaks and spaces between them. */
function* indented(json: string): Generator<Piece> {
    let depth = 0;
    const line = (): Piece => ({ text: `\n${"  ".repeat(Math.min(depth, 20))}`, kind: "between" });
    const tokens = jsonTokens(json);
    let next = tokens.next();
    while (!next.done) {
        const { text } = next.value;
        next = tokens.next();
        const after = next.value?.text;
        if (text === "{" || text === "[") {
            if (after === "}" || after === "]") {
                yield { text: text + after, kind: "between" };
                next = tokens.next();
                continue;
            }
            depth++;
            yield { text, kind: "opening" };
            yield line();
        } else if (text === "}" || text === "]") {
            depth--;
            yield line();
            yield { text, kind: "closing" };
        } else if (text === ",") yield { text: `,${line().text}`, kind: "between" };
        else if (text === ":") yield { text: ": ", kind: "between" };
        else yield {
                text,
                kind: !text.startsWith("\"") ? "literal" : after === ":" ? "key" : "string",
            };
    }
}
