// The language of the search: words and "phrases", each of which must be found; -word leaves out;
// field:text, field=text, field>10 and field:192.0.2.0/24 look into one column.

export type Operator = ":" | "=" | ">" | "<" | ">=" | "<=";

export interface Term {
    /** The term as it was typed, without the minus. */
    source: string;
    not: boolean;
    /** The text after the operator, without quotes; without a field that of the whole term. */
    text: string;
    field?: string;
    operator?: Operator;
}

/** Matches a term. A minus is one only before a letter, a digit or a quote: `--` is SQL. */
const term =
    /(-(?=[\p{L}\p{N}"]))?((?:([\p{L}_@][\p{L}\p{N}_.@/-]*)(>=|<=|[:=<>])(?=\S))?("(?:[^"\\]|\\.)*"|\S+))/gu;

export function termsOf(text: string): Term[] {
    return Array.from(text.matchAll(term),
        ([, minus, source = "", field, operator, value = ""]) => ({
            source,
            not: minus !== undefined,
            text: unquoted(value),
            ...(field && { field, operator: operator as Operator }),
        }));
}

const unquoted = (value: string) =>
    /^".*"$/s.test(value) && value.length > 1
        ? value.slice(1, -1).replace(/\\(.)/gs, "$1")
        : value;

/** Returns a term that is not about a column as text. */
export const plainText = ({ field, source, text }: Term): string =>
    field === undefined ? text : source.replaceAll("\"", "");

/** Returns the term of a value in a column, for people to type. */
export const quotedIfNeeded = (value: string): string =>
    /^[^\s"\\]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
