// JSON as tokens, for facts about its text that its values do not have.

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

/**
 * Parses JSON, and notes the text of each object and each list in it. Digits that a number would
 * lose are kept as text.
 */
export function withTexts(json: string, texts: Map<unknown, string>): unknown {
    const root: unknown[] = [];
    const open: { value: unknown[] | Record<string, unknown>; from: number }[] = [];
    let key: string | undefined;
    const put = (value: unknown) => {
        const into = open.at(-1)?.value ?? root;
        if (Array.isArray(into)) into.push(value);
        else into[key!] = value;
        key = undefined;
    };
    for (const { text, from } of jsonTokens(json)) {
        if (text === "{" || text === "[") {
            // It has no prototype, which a member might replace.
            const value = text === "[" ? [] : (Object.create(null) as Record<string, unknown>);
            put(value);
            open.push({ value, from });
        } else if (text === "}" || text === "]") {
            const done = open.pop()!;
            texts.set(done.value, json.slice(done.from, from + 1));
        } else if (text !== "," && text !== ":") {
            const value: unknown = /^-?\d{16,}(\.\d+)?$/.test(text) ? text : JSON.parse(text);
            if (key === undefined && open.length > 0 && !Array.isArray(open.at(-1)!.value))
                key = String(value);
            else put(value);
        }
    }
    return root[0];
}

export function isJson(text: string): boolean {
    try {
        JSON.parse(text);
        return true;
    } catch {
        return false;
    }
}
