// A blob that a mail, a terminal or `base64` has split into lines.

/** Matches the versions of sealed data, 1 to 4, at the beginning of base64. */
const begins = /^(?:A[Q-Za-z0-9+/_-]|B[A-P])/;
/** The words that replace a blob on its own line: `jq -r` writes lists with such lines. */
const inPlace = ["truncated", "null"];

/**
 * Joins a wrapped blob to one line. Lines of one length that do not each begin like sealed data are
 * one blob.
 */
export function unwrapped(text: string): string {
    if (!begins.test(text.trimStart())) return text;
    const [first = "", ...rest] = text.trim().split("\n").map((line) => line.trim()).filter((
        line,
    ) => line !== "");
    const isWrapped = rest.length > 0
        && rest.every((line) => !inPlace.includes(line))
        && [first, ...rest].every((line) => /^[\w+/=-]+$/.test(line))
        && !rest.every((line) => begins.test(line))
        && rest.every((line, i) =>
            line.length === first.length || (i === rest.length - 1 && line.length < first.length)
        );
    return isWrapped ? [first, ...rest].join("") : text;
}
