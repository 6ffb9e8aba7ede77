// JSON as tokens, for what must be known of its text and not only of its values.

export interface Token {
    text: string;
    /** Its place in the text. */
    from: number;
}

/** Anything but a string, of which it finds the quote. No expression for a whole string: an engine may have no room for a long one. */
const marks = /[{}[\],:"]|[^\s{}[\],:"]+/g;

/** The tokens of a text that is JSON. */
export function* jsonTokens(json: string): Generator<Token> {
    for (let at = 0; ; ) {
        marks.lastIndex = at;
        const found = marks.exec(json);
        if (!found) return;
        const from = found.index;
        at = found[0] === '"' ? stringEnd(json, from) : marks.lastIndex;
        yield { text: json.slice(from, at), from };
    }
}

/** After the quote that ends the string which begins there. */
function stringEnd(json: string, from: number): number {
    for (let at = json.indexOf('"', from + 1); at >= 0; at = json.indexOf('"', at + 1)) {
        let first = at;
        while (json[first - 1] === "\\") first--;
        if ((at - first) % 2 === 0) return at + 1;
    }
    return json.length;
}

/** Parses JSON, and notes the text of each object and each list in it. Digits that a number would lose stay, as text. */
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
            // Without a prototype, which a member might replace.
            const value = text === "[" ? [] : (Object.create(null) as Record<string, unknown>);
            put(value);
            open.push({ value, from });
        } else if (text === "}" || text === "]") {
            const done = open.pop()!;
            texts.set(done.value, json.slice(done.from, from + 1));
        } else if (text !== "," && text !== ":") {
            const value: unknown = /^-?\d{16,}(\.\d+)?$/.test(text) ? text : JSON.parse(text);
            if (key === undefined && open.length > 0 && !Array.isArray(open.at(-1)!.value)) key = String(value);
            else put(value);
        }
    }
    return root[0];
}
