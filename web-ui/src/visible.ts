// Opened data is what an attacker sent. It is shown as text and nothing else, and hidden characters are shown by their numbers.

/**
 * Control characters but line break and tab; direction marks; what has no width, or the width of a space; the fifth and further marks on one
 * letter, which would cover the lines around it.
 */
const hidden = new RegExp(
    [
        "[\\0-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
        "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
        "|(?<=\\p{M}{4})\\p{M}",
    ].join(""),
    "gu",
);

export const hiddenIn = (text: string) => text.matchAll(hidden);

export const numberOf = (character: string) => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");

/** As plain text. A bracket of the data's own has its number too, so that data cannot look like this. */
export const visible = (text: string) =>
    text.replace(/⟦/g, "⟦27E6⟧").replace(hidden, (character) => `⟦${numberOf(character)}⟧`);

/** JSON with line breaks and indents, and every value's text untouched: a parse would lose digits and double members. */
export function pretty(text: string): string {
    const trimmed = text.trim();
    if (!/^[{[]/.test(trimmed)) return text;
    try {
        JSON.parse(trimmed);
    } catch {
        return text;
    }
    return indented(trimmed.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs) ?? []);
}

function indented(tokens: string[]): string {
    let [depth, out] = [0, ""];
    const line = () => `\n${"  ".repeat(Math.min(depth, 20))}`;
    tokens.forEach((token, i) => {
        const empty = tokens[i - 1] === "{" || tokens[i - 1] === "[";
        if (token === "{" || token === "[") {
            depth++;
            out += token + (tokens[i + 1] === "}" || tokens[i + 1] === "]" ? "" : line());
        } else if (token === "}" || token === "]") {
            depth--;
            out += (empty ? "" : line()) + token;
        } else if (token === ",") out += token + line();
        else out += token === ":" ? ": " : token;
    });
    return out;
}
