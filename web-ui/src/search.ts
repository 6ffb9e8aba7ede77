// The searched text in opened data. The worker finds with it and the page marks with it.

/** Upper and lower case are alike. A hit has the searched text's length, whatever letters are before it. */
export const searchFor = (text: string): RegExp | undefined =>
    text === "" ? undefined : new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
