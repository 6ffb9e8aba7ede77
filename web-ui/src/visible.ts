// Opened data is what an attacker sent. It is shown as text and nothing else, and hidden characters are shown by their numbers.

/**
 * Control characters but line break and tab; direction marks; what has no width, or the width of a space; the fifth and further marks on one
 * letter, which would cover the lines around it.
 */
const hiddenPattern = [
    "[\\0-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
    "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
    "|(?<=\\p{M}{4})\\p{M}",
].join("");
const hidden = new RegExp(hiddenPattern, "gu");

/** Finds hidden characters, line breaks and tabs, and those that a shell takes for more than themselves within quotes. */
export const inQuotes = new RegExp(`${hiddenPattern}|[\\t\\n'\\\\!]`, "gu");

/** The first hidden character that is there or after it, and before `to`; with how often it comes then, up to `end`. */
export function nextHidden(text: string, at: number, to: number, end: number): { character: string; index: number; count: number } | undefined {
    hidden.lastIndex = at;
    const found = hidden.exec(text.slice(0, to));
    if (!found) return undefined;
    const [[character], index] = [found, found.index];
    let count = 1;
    while (index + (count + 1) * character.length <= end && text.startsWith(character, index + count * character.length)) count++;
    return { character, index, count };
}

export const numberOf = (character: string) => character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");

/** As plain text. A bracket of the data's own has its number too, so that data cannot look like this. */
export const visible = (text: string) =>
    text.replace(/⟦/g, "⟦27E6⟧").replace(hidden, (character) => `⟦${numberOf(character)}⟧`);

/** The same in one line. */
export const inOneLine = (text: string) => visible(text).replace(/[\t\n]/g, (character) => `⟦${numberOf(character)}⟧`);
