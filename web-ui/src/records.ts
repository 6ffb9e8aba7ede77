// Records in an input, and blobs in records. A document may hold many records in a list, like the
// answers of an API.
import { isJson, withTexts } from "./json.ts";
import { type Member, isPair, longestCell, membersOf, parsed } from "./store/members.ts";

export interface Found {
    field: string;
    blob: string;
}

export interface RecordOf {
    found: Found[];
    /** Returns its own members, and those around its list. */
    members(): Member[];
    /** Returns only the members around its list. */
    around(): Member[];
}

export interface Read {
    records: RecordOf[];
    /**
     * Set if several members of an object have the same field, so that it is unclear to which of
     * them the others belong.
     */
    isUnclear: boolean;
    /** Set if the text itself is the only record. */
    isWhole: boolean;
}

/**
 * Returns the records of a text, or undefined if it is incomplete JSON. A line that is not JSON at
 * all is a blob on its own. Values of members are cut to `longest` characters.
 */
export function recordsOf(text: string, fields: ReadonlySet<string>, longest = longestCell):
    | Read
    | undefined
{
    const record = text.trim();
    const quoted = /^(["'`])([\w+/=-]*)\1,?$/.exec(record);
    if (quoted || !/^[{["}\]]/.test(record)) return alone(quoted?.[2] ?? record);
    try {
        const value: unknown = parsed(record) ?? JSON.parse(record);
        // A text is a blob with escapes, or JSON within JSON.
        if (typeof value === "string" && !isWithin(value, fields)) return alone(value);
        const document = new Document(fields, longest, parsed);
        document.take(value);
        return {
            records: document.records,
            isUnclear: document.isUnclear,
            isWhole: document.parts.length === 1,
        };
    } catch {
        return undefined;
    }
}

/** Returns the first blob in a text, which may itself be one. */
export const blobIn = (text: string, fields: ReadonlySet<string>): string =>
    recordsOf(text, fields)?.records.find(({ found }) => found.length > 0)?.found[0]?.blob ?? text;

const none = () => [];
const alone = (blob: string): Read => ({
    records: [{ found: [{ field: "", blob }], members: none, around: none }],
    isUnclear: false,
    isWhole: true,
});

/** Returns the texts of the records in a text, unchanged. */
export function textsOf(text: string, fields: ReadonlySet<string>): string[] {
    const texts = new Map<unknown, string>();
    const document = new Document(fields, 0, (json) => withTexts(json, texts));
    document.take(withTexts(text.trim(), texts));
    return document.parts.filter(({ isRecord }) => isRecord).map(({ value }) =>
        texts.get(value) ?? JSON.stringify(value)
    );
}

/**
 * A value that may be a record: a document, an element of a list in it, or one of several similar
 * members of an object.
 */
interface Part {
    value: unknown;
    found: Found[];
    /** The part that contains it, and the name of the list there. */
    outer?: { part: Part; name: string } | undefined;
    isRecord: boolean;
}

/** The maximum depth that is searched, more than in any record, since workers have little stack. */
const deepest = 200;
/**
 * The longest name of a list, in characters, with members around it: each of its records would
 * repeat the name.
 */
const longestName = 500;

class Document {
    readonly parts: Part[] = [];
    isUnclear = false;
    /**
     * Values with members of other records: lists of records, texts with such lists, and objects
     * next to a record that is not an element of a list.
     */
    readonly #apart = new Set<unknown>();
    /** The path to the current value. */
    readonly #path: string[] = [];
    /** The length of the path to the current part. */
    #base = 0;
    /** The names of the records' own members. */
    #names: Set<string> | undefined;
    /** The members of parts, for the records in these. */
    readonly #outer = new Map<Part, Member[]>();

    constructor(readonly fields: ReadonlySet<string>, readonly longest: number,
        readonly parse: (json: string) => unknown)
    {}

    get records(): RecordOf[] {
        return this.parts.filter(({ isRecord }) => isRecord).map((part) => {
            const around = () => this.#around(part.outer);
            return {
                found: part.found,
                around,
                members: () => [...this.#own(part, this.longest), ...around()],
            };
        });
    }

    /** Makes a part of the value. Returns true if it contains blobs. */
    take(given: unknown, outer?: Part["outer"]): boolean {
        const value = typeof given === "string" && isWithin(given, this.fields)
            ? this.parse(given)
            : given;
        const part: Part = { value, found: [], outer, isRecord: false };
        this.parts.push(part);
        const before = this.#base;
        this.#base = this.#path.length;
        const holds = this.#walk(value, part);
        this.#base = before;
        // If blobs are only in lists within it, those have the records.
        part.isRecord = part.found.length > 0 || !holds;
        return holds;
    }

    /**
     * Adds the blobs in the value to the part, except those in lists. Returns true if it contains
     * any blobs.
     */
    #walk(value: unknown, part: Part): boolean {
        if (typeof value === "string") return this.#text(value, part);
        if (typeof value !== "object" || value === null || this.#path.length > deepest)
            return false;
        if (!Array.isArray(value)) return this.#members(value as Record<string, unknown>, part);
        if (!this.#isNamed(value)) return this.#list(value, part);
        let holds = false;
        for (const element of value) holds = this.#members(element, part) || holds;
        return holds;
    }

    /** Searches JSON in a text, as some programs log it. */
    #text(text: string, part: Part): boolean {
        if (!isWithin(text, this.fields)) return false;
        const before = this.parts.length;
        const holds = this.#walk(this.parse(text), part);
        if (this.parts.length > before) this.#apart.add(text);
        return holds;
    }

    /** Searches a list. If any element contains blobs, each element is a record. */
    #list(list: unknown[], part: Part): boolean {
        const [before, outer] = [this.parts.length, { part, name: this.#name() }];
        let holds = false;
        this.#path.push("");
        for (const element of list) holds = this.take(element, outer) || holds;
        this.#path.pop();
        if (holds) this.#apart.add(list);
        else this.parts.length = before;
        return holds;
    }

    /** Searches members by name, and the pair {"key": name, "value": blob}. */
    #members(members: Record<string, unknown>, part: Part): boolean {
        const { key, value: blob } = members;
        let holds = typeof key === "string" && typeof blob === "string" && this.fields.has(key);
        if (holds) part.found.push({ field: key as string, blob: blob as string });
        const inner: Omit<Part, "isRecord">[] = [];
        for (const [name, member] of Object.entries(members)) {
            const before = part.found.length;
            if (typeof member === "string" && this.fields.has(name)) {
                part.found.push({ field: name, blob: member });
                holds = true;
                continue;
            }
            this.#path.push(name);
            holds = this.#walk(member, part) || holds;
            this.#path.pop();
            if (part.found.length > before)
                inner.push({ value: member, found: part.found.slice(before) });
        }
        if (
            inner.length > 1 && isRepeated(inner.flatMap(({ found }) => found))
            && inner.some((one) => this.#own(one, 0).length > 0)
        ) this.#separate(members, inner, part);
        return holds;
    }

    /**
     * Makes a record of each member that has the same field and members of its own, without the
     * objects next to them, which may belong to others.
     */
    #separate(members: object, inner: Omit<Part, "isRecord">[], part: Part): void {
        this.isUnclear = true;
        const others = new Set(inner.flatMap(({ found }) => found));
        part.found = part.found.filter((one) => !others.has(one));
        for (const member of Object.values(members))
            if (typeof member === "object" && member !== null) this.#apart.add(member);
        for (const one of inner) {
            this.#apart.add(one.value);
            this.parts.push({ ...one, outer: { part, name: this.#name() }, isRecord: true });
        }
    }

    #name = (): string => this.#path.slice(this.#base).filter(Boolean).join(".");

    /**
     * Reports whether the elements are names with values, as in dashboards' exports. They are then
     * members, not records.
     */
    #isNamed(list: unknown[]): list is Record<string, unknown>[] {
        return list.length > 0 && list.every(isPair)
            && !isRepeated(
                list.map(({ key }) => ({ field: key })).filter(({ field }) =>
                    this.fields.has(field)
                ),
            );
    }

    #own = ({ value }: Pick<Part, "value">, longest: number): Member[] =>
        membersOf(value, this.fields, longest, { apart: this.#apart });

    /**
     * Returns the members around a list, except other lists, and names that records have
     * themselves.
     */
    #around(outer: Part["outer"]): Member[] {
        if (!outer) return [];
        const known = this.#outer.get(outer.part);
        if (known) return known;
        this.#names ??= new Set(
            this.parts.filter(({ isRecord }) => isRecord).flatMap((part) =>
                this.#own(part, 0).map(([name]) => name)
            ),
        );
        const [names, prefix] = [this.#names, prefixOf(outer.part)];
        const own = prefix.length > longestName
            ? []
            : membersOf(outer.part.value, this.fields, this.longest, {
                apart: this.#apart,
                isAround: true,
            });
        const members = own.map(([name, text]): Member => [prefix + name, text]).filter(([name]) =>
            !names.has(name)
        );
        const all = [...members, ...this.#around(outer.part.outer)];
        this.#outer.set(outer.part, all);
        return all;
    }
}

/** Returns the prefix of the names of a part's members. */
function prefixOf({ outer }: Part): string {
    if (!outer) return "";
    const before = prefixOf(outer.part);
    return outer.name ? `${before}${outer.name}.` : before;
}

const isRepeated = (found: { field: string }[]) =>
    new Set(found.map(({ field }) => field)).size < found.length;

/** Reports whether a text is JSON that names a field. */
function isWithin(text: string, fields: ReadonlySet<string>): boolean {
    return /^\s*[{[]/.test(text) && [...fields].some((name) => text.includes(name)) && isJson(text);
}
