// Opened data is what an attacker sent. It is shown as text and nothing else, and what hides in text is shown by its number.

/** Control characters but line break and tab; direction marks; what has no width; characters that only look like others' absence. */
const hidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

export function visible(text: string): string {
    return text.replace(hidden, (character) => `⟦${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟧`);
}

/** JSON with line breaks and indents, and every value's text untouched: a parse would lose digits and double members. */
export function pretty(text: string): string {
    const trimmed = text.trim();
    if (!/^[{[]/.test(trimmed)) return text;
    try {
        JSON.parse(trimmed);
    } catch {
        return text;
    }
    return indented(trimmed.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs) ?? []);
}

function indented(tokens: string[]): string {
    let [depth, out] = [0, ""];
    const line = () => `\n${"  ".repeat(Math.min(depth, 20))}`;
    tokens.forEach((token, i) => {
        const empty = tokens[i - 1] === "{" || tokens[i - 1] === "[";
        if (token === "{" || token === "[") {
            depth++;
            out += token + (tokens[i + 1] === "}" || tokens[i + 1] === "]" ? "" : line());
        } else if (token === "}" || token === "]") {
            depth--;
            out += (empty ? "" : line()) + token;
        } else if (token === ",") out += token + line();
        else out += token === ":" ? ": " : token;
    });
    return out;
}
