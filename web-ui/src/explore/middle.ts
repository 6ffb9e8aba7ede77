// Long identifiers, of which many begin in the same way.

/** The shortest that is cut in the middle, in characters, and what stays of it. */
const [long, start, end] = [18, 3, 7];

/** The common beginning of the names of fields in the language of rules. */
const field = /^http\.(?:request|response)\.(?=[\w.-]+$)/;

/** Cuts an identifier in its middle, and the name of a field at its beginning. */
export const inMiddle = (text: string): string =>
    text.length >= long && /^[\w-]+$/.test(text) && /\d/.test(text)
        ? `${text.slice(0, start)}…${text.slice(-end)}`
        : text.replace(field, "…");
