// Opened data in one line of a table.
import { mostParsed } from "../budget.ts";
import { matchesOf, parsed } from "./members.ts";
import type { Line } from "./types.ts";

const sides = 40;
const longest = 200;

/** Returns the first match with a few characters around it, or the beginning of other data. */
export function gistOf(text: string): Line["gist"] {
    const [match] = text.length > mostParsed ? [] : matchesOf(parsed(text));
    if (!match) return [text.length > longest ? `${text.slice(0, longest)}…` : text, "", ""];
    const { before, content, after } = match;
    return [
        before.length > sides ? `…${before.slice(-sides)}` : before,
        content.length > longest ? `${content.slice(0, longest)}…` : content,
        after.length > sides ? `${after.slice(0, sides)}…` : after,
    ];
}
