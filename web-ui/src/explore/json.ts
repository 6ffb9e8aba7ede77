// JSON in colours, whose objects and lists fold. The text stays what it was: colours and buttons are around it.
import { h, press } from "../dom.ts";
import { marked } from "./text.ts";

/** More lines than these are not coloured: it would be slow, and nobody reads them. */
const longest = 100_000;

/** `text` is indented JSON, as `pretty` makes it. */
export function json(text: string, search: RegExp | undefined): (Node | string)[] {
    if (text.length > longest) return marked(text, search);
    const open: HTMLElement[] = [h("span")];
    const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]]|[^"{}[\]]+/gs) ?? [];
    tokens.forEach((token, i) => {
        const to = open.at(-1)!;
        if (token === "{" || token === "[") {
            const inner = h("span", "inner");
            const isEmpty = /^[}\]]/.test(tokens[i + 1] ?? "");
            to.append(token, ...(isEmpty ? [] : [fold(inner)]), inner);
            open.push(inner);
        } else if (token === "}" || token === "]") {
            if (open.length > 1) open.pop();
            open.at(-1)!.append(token);
        } else if (token.startsWith('"')) {
            const isKey = /^\s*:/.test(tokens[i + 1] ?? "");
            to.append(h("span", isKey ? "key" : "string", ...marked(token, search)));
        } else to.append(...literals(token, search));
    });
    return [...open[0]!.childNodes];
}

/** Numbers and names between commas and colons. */
const literals = (text: string, search: RegExp | undefined): (Node | string)[] =>
    text.split(/([^\s,:]+)/).map((part, i) => (i % 2 ? h("span", "literal", ...marked(part, search)) : part));

function fold(inner: HTMLElement): HTMLButtonElement {
    const button = press("fold", "", () => {
        inner.hidden = !inner.hidden;
        button.ariaExpanded = String(!inner.hidden);
    }, "Fold");
    button.ariaExpanded = "true";
    return button;
}
