// JSON as tokens, to be shown unchanged.

export interface Token {
    text: string;
    /** Its offset in the text. */
    from: number;
}

/**
 * Matches any token, but only the quote of a string. Engines may have no room to match a whole long
 * string.
 */
const marks = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/** Yields the tokens of a text that is JSON. */
export function* jsonTokens(json: string): Generator<Token> {
    for (let at = 0;;) {
        marks.lastIndex = at;
        const found = marks.exec(json);
        if (!found) return;
        const from = found.index;
        at = found[0] === "\"" ? stringEnd(json, from) : marks.lastIndex;
        yield { text: json.slice(from, at), from };
    }
}

/** Returns the offset after the quote that ends the string which begins at `from`. */
function stringEnd(json: string, from: number): number {
    for (let at = json.indexOf("\"", from + 1); at >= 0; at = json.indexOf("\"", at + 1)) {
        let first = at;
        while (json[first - 1] === "\\") first--;
        if ((at - first) % 2 === 0) return at + 1;
    }
    return json.length;
}
