// Text with every hit of a search marked.
import { type Budget, mostParsed } from "../budget.ts";
import { h } from "../dom.ts";
import { write } from "../shown.ts";

/** Returns as much of a text as the budget allows, with … at the end if there is more. */
export function marked(text: string, search: RegExp | undefined, budget: Budget): Node {
    const part = document.createDocumentFragment();
    if (writeMarked(part, text, 0, budget, search) < text.length) part.append("…");
    return part;
}

/** Shows the text from `from` on, as far as the budget allows, and returns the end. */
export function writeMarked(to: ParentNode, text: string, from: number, budget: Budget,
    search: RegExp | undefined): number
{
    // A long text, or a long run of one hidden character, is only looked at up to here.
    const part = text.slice(from, from + mostParsed);
    const at = from + withMarks(to, part, budget, search);
    if (part.length === mostParsed) budget.characters = 0;
    return at;
}

function withMarks(to: ParentNode, text: string, budget: Budget,
    search: RegExp | undefined): number
{
    let at = 0;
    for (
        let hit = hitFrom(text, at, search);
        hit && !budget.isSpent;
        hit = hitFrom(text, at, search)
    ) {
        at = write(to, text, at, hit.index, budget);
        if (at < hit.index || budget.isSpent) return at;
        const mark = h("mark");
        budget.take(1);
        at = write(mark, text, at, at + hit[0].length, budget);
        to.append(mark);
        if (budget.isSpent) return at;
    }
    return budget.isSpent ? at : write(to, text, at, text.length, budget);
}

function hitFrom(text: string, at: number, search: RegExp | undefined): RegExpExecArray | null {
    if (!search) return null;
    search.lastIndex = at;
    return search.exec(text);
}
