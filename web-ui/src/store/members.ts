// A record's members by name, as texts, from which columns are made.

export type Member = [name: string, value: string];

/** The maximum length of values. Longer ones are cut, since nobody reads them in a table. */
export const longestCell = 4096;
const deepest = 8;
/** The maximum number of members of a record, more than there are columns. */
const mostMembers = 2000;
/**
 * The longest name, in characters, whose members are listed: attackers choose names, and each
 * member would repeat it.
 */
const longestName = 500;

/**
 * Returns the members of opened data. Nested names are joined with dots, and values are cut to
 * `longest` characters.
 */
function membersOf(value: unknown, longest: number): Member[] {
    const members: Member[] = [];
    walk(value, "", 0, longest, members);
    return members;
}

function walk(value: unknown, name: string, depth: number, longest: number,
    members: Member[]): void
{
    if (members.length >= mostMembers) return;
    if (isScalar(value)) members.push([name || "value", cut(String(value), longest)]);
    else if (
        depth === deepest || name.length > longestName
        || (Array.isArray(value) && value.every(isScalar))
    ) members.push([name, cut(jsonOf(value), longest)]);
    else for (const [key, member] of entries(value as object))
            walk(member, name ? `${name}.${key}` : key, depth + 1, longest, members);
}

/**
 * Returns the entries of a value. Pairs {"key": name, "value": value} of dashboards' exports count
 * as members.
 */
function entries(value: object): [string, unknown][] {
    if (!Array.isArray(value)) return Object.entries(value);
    return value.map((element: unknown,
        i) => (isPair(element) ? [element.key, element.value] : [String(i), element])
    );
}

const isPair = (value: unknown): value is { key: string; value: unknown } =>
    typeof value === "object" && value !== null
    && typeof (value as { key?: unknown }).key === "string" && "value" in value;

const isScalar = (value: unknown) => typeof value !== "object" || value === null;

/**
 * The maximum depth that is converted to JSON. Beyond, an engine has no room, or takes quadratic
 * time.
 */
const deepestJson = 200;

/** Converts a value to JSON. */
const jsonOf = (value: unknown): string =>
    isDeeper(value, deepestJson) ? "(nested too deeply)" : JSON.stringify(value);

const isDeeper = (value: unknown, levels: number): boolean =>
    !isScalar(value)
    && (levels === 0
        || Object.values(value as object).some((member) => isDeeper(member, levels - 1)));

export const cut = (text: string,
    longest: number) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** A matched part of a request. */
interface Match {
    part: string;
    before: string;
    content: string;
    after: string;
}

/**
 * Returns the matches of opened data: `{"http.request.uri": {"before": …, "content": …, "after":
 * …}}`.
 */
export function matchesOf(data: unknown): Match[] {
    if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
    return Object.entries(data).flatMap(([part, match]) => {
        if (typeof match === "string")
            return /^\w+\.\w/.test(part)
                ? [{ part, before: "", content: match, after: "" }]
                : [];
        if (typeof match !== "object" || match === null || !("content" in match)) return [];
        const { before, content, after } = match as Record<string, unknown>;
        return [{ part, before: textOf(before), content: textOf(content), after: textOf(after) }];
    });
}

/**
 * Returns a text, or converts bytes in a list of numbers: from UTF-8 if they are, else to
 * hexadecimal.
 */
export function textOf(value: unknown): string {
    if (value === undefined || value === null) return "";
    if (typeof value === "string") return value;
    if (!isBytes(value)) return jsonOf(value);
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
            Uint8Array.from(value),
        );
    } catch {
        return value.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    }
}

export const isBytes = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0
    && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255);

/**
 * Returns the members that the page finds in opened data: the matched parts of the request, and the
 * matched texts.
 */
export function matchedMembers(matches: Match[], longest = longestCell): Member[] {
    if (!matches.length) return [];
    return [
        ["matched part", cut(matches.map(({ part }) => part).join(", "), longest)],
        ["matched text", cut(matches.map(({ content }) => content).join(" "), longest)],
    ];
}

/**
 * Returns the members of opened data. A match has its content, under the name of the request's
 * part.
 */
export function payloadMembers(data: unknown, matches: Match[], longest = longestCell): Member[] {
    const others = Object.entries(isScalar(data) || Array.isArray(data) ? {} : (data as object))
        .filter(([name]) => !matches.some(({ part }) => part === name));
    const members: Member[] = matches.map(({ part, content }) => [part, cut(content, longest)]);
    return others.length
        ? [...members, ...membersOf(Object.fromEntries(others), longest)]
        : members;
}

/**
 * Parses JSON. Returns undefined if it is not JSON. Digits that a number in JavaScript would lose
 * are kept, as text.
 */
export function parsed(text: string): unknown {
    if (!/^\s*[{[]/.test(text)) return undefined;
    // Within a string of the JSON the added quotes end that string, and the parse fails. Then the
    // digits are not kept.
    const exact = () => text.replace(/([:,[]\s*)(-?\d{16,}(?:\.\d+)?)(?=\s*[,}\]])/g, "$1\"$2\"");
    for (const json of /\d{16}/.test(text) ? [exact, () => text] : [() => text]) {
        try {
            return JSON.parse(json());
        } catch {
            // The next one is tried. Engines have no room for a number of millions of digits.
        }
    }
    return undefined;
}
