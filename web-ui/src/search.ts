// The searched text in opened data. The worker finds with it and the page marks with it.

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Upper and lower case are alike. A hit has the searched text's length, whatever letters are before it. */
export const searchFor = (text: string): RegExp | undefined => (text === "" ? undefined : new RegExp(literal(text), "giu"));

/** Finds any of the texts, the longest that fits. */
export const searchForAny = (texts: string[]): RegExp | undefined =>
    texts.length === 0 ? undefined : new RegExp(texts.toSorted((a, b) => b.length - a.length).map(literal).join("|"), "gu");
