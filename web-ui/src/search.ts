// Search of a text in opened data. The worker finds rows with it, and the page marks hits.

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Returns a pattern that ignores case. A hit always has the length of the searched text. */
export const searchFor = (
    text: string,
): RegExp | undefined => (text === "" ? undefined : new RegExp(literal(text), "giu"));

/** Finds any of the texts, the longest that fits. */
export const searchForAny = (texts: string[], flags = "gu"): RegExp | undefined =>
    texts.length === 0
        ? undefined
        : new RegExp(texts.toSorted((a, b) => b.length - a.length).map(literal).join("|"), flags);
