// Safe display of opened data, which is an attacker's. It is shown only as text, and hidden
// characters are shown by number.

/**
 * Control characters except line break and tab; direction marks; characters without width, or with
 * the width of a space; the fifth and further marks on one letter, which would cover the lines
 * around it.
 */
const hiddenPattern = [
    "[\\0-\\x08\\x0b-\\x1f\\x7f-\\xa0\\xad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f",
    "\\u2800\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
    "|(?<=\\p{M}{4})\\p{M}",
].join("");
const hidden = new RegExp(hiddenPattern, "gu");

/**
 * Matches hidden characters, line breaks and tabs, and characters that are special within quotes of
 * a shell.
 */
export const inQuotes = new RegExp(`${hiddenPattern}|[\\t\\n'\\\\!]`, "gu");

/**
 * Returns the first hidden character at or after `at` and before `to`, and how often it is repeated
 * there, up to `end`.
 */
export function nextHidden(text: string, at: number, to: number, end: number): {
    character: string;
    index: number;
    count: number;
} | undefined {
    hidden.lastIndex = at;
    const found = hidden.exec(text.slice(0, to));
    if (!found) return undefined;
    const [[character], index] = [found, found.index];
    let count = 1;
    while (
        index + (count + 1) * character.length <= end
        && text.startsWith(character, index + count * character.length)
    ) count++;
    return { character, index, count };
}

export const numberOf = (character: string) =>
    character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");

/**
 * Converts to plain text. Brackets in the data are numbers too, so that data cannot look like this.
 */
export const visible = (text: string) =>
    text.replace(/⟦/g, "⟦27E6⟧").replace(hidden, (character) => `⟦${numberOf(character)}⟧`);

/** Escapes hidden characters in JSON, which there are only within strings. */
export const escapedInJson = (json: string) =>
    json.replace(hidden, (character) =>
        Array.from({ length: character.length }, (_, i) =>
            `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""));

/** Converts to plain text in one line. */
export const inOneLine = (text: string) =>
    visible(text).replace(/[\t\n]/g, (character) => `⟦${numberOf(character)}⟧`);
