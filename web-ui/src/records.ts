// Records in what was read, and blobs in records. A document may hold many records in a list, as answers of an API do.
import { withTexts } from "./json.ts";
import { isJson } from "./pieces.ts";
import { type Member, isPair, longestCell, membersOf, parsed } from "./store/members.ts";

export interface Found {
    field: string;
    blob: string;
}

export interface RecordOf {
    found: Found[];
    /** Its own members, and those around the list that it is in. */
    members(): Member[];
    /** The latter only. */
    around(): Member[];
}

export interface Read {
    records: RecordOf[];
    /** True if several members of an object have the same field, so that nothing says which of the others belong to them. */
    isUnclear: boolean;
    /** True if the text itself is the only record. */
    isWhole: boolean;
}

/**
 * The records of a text, or undefined for one that is not whole JSON. A line that is not JSON at all is a blob on its own. Members' values
 * are cut to `longest` characters.
 */
export function recordsOf(text: string, fields: ReadonlySet<string>, longest = longestCell): Read | undefined {
    const record = text.trim();
    const quoted = /^(["'`])([\w+/=-]*)\1,?$/.exec(record);
    if (quoted || !/^[{["}\]]/.test(record)) return alone(quoted?.[2] ?? record);
    try {
        const value: unknown = parsed(record) ?? JSON.parse(record);
        // A text is a blob with escapes, or JSON within JSON.
        if (typeof value === "string" && !isWithin(value, fields)) return alone(value);
        const document = new Document(fields, longest, parsed);
        document.take(value);
        return { records: document.records, isUnclear: document.isUnclear, isWhole: document.parts.length === 1 };
    } catch {
        return undefined;
    }
}

/** The first blob in a text, which may be one itself. */
export const blobIn = (text: string, fields: ReadonlySet<string>): string =>
    recordsOf(text, fields)?.records.find(({ found }) => found.length > 0)?.found[0]?.blob ?? text;

const none = () => [];
const alone = (blob: string): Read =>
    ({ records: [{ found: [{ field: "", blob }], members: none, around: none }], isUnclear: false, isWhole: true });

/** The texts of the records in a text, as they came. */
export function textsOf(text: string, fields: ReadonlySet<string>): string[] {
    const texts = new Map<unknown, string>();
    const document = new Document(fields, 0, (json) => withTexts(json, texts));
    document.take(withTexts(text.trim(), texts));
    return document.parts.filter(({ isRecord }) => isRecord).map(({ value }) => texts.get(value) ?? JSON.stringify(value));
}

/** A value that may be a record: a document, an element of a list in it, or a member of an object that is one of several alike. */
interface Part {
    value: unknown;
    found: Found[];
    /** The part that it is in, and the name of the list there. */
    outer?: { part: Part; name: string } | undefined;
    isRecord: boolean;
}

/** Deeper than in any record: what is there is not looked at. Workers have little stack. */
const deepest = 200;
/** In characters: what is around a list with a longer name is left out, since each of its records would have that name again and again. */
const longestName = 500;

class Document {
    readonly parts: Part[] = [];
    isUnclear = false;
    /** Values with members of other records: lists of records, texts with such lists, and objects beside a record that is no element of a list. */
    readonly #apart = new Set<unknown>();
    /** To the value that is looked at. */
    readonly #path: string[] = [];
    /** The length of the path to the current part. */
    #base = 0;
    /** The names of members that records have of their own. */
    #names: Set<string> | undefined;
    /** Members of parts, for the records in these. */
    readonly #outer = new Map<Part, Member[]>();

    constructor(readonly fields: ReadonlySet<string>, readonly longest: number, readonly parse: (json: string) => unknown) {}

    get records(): RecordOf[] {
        return this.parts.filter(({ isRecord }) => isRecord).map((part) => {
            const around = () => this.#around(part.outer);
            return { found: part.found, around, members: () => [...this.#own(part, this.longest), ...around()] };
        });
    }

    /** Makes a part of the value. True if there are blobs in it. */
    take(given: unknown, outer?: Part["outer"]): boolean {
        const value = typeof given === "string" && isWithin(given, this.fields) ? this.parse(given) : given;
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

    /** Gives the part the blobs that are in the value and in no list. True if there are any blobs in it. */
    #walk(value: unknown, part: Part): boolean {
        if (typeof value === "string") return this.#text(value, part);
        if (typeof value !== "object" || value === null || this.#path.length > deepest) return false;
        if (!Array.isArray(value)) return this.#members(value as Record<string, unknown>, part);
        if (!this.#isNamed(value)) return this.#list(value, part);
        let holds = false;
        for (const element of value) holds = this.#members(element, part) || holds;
        return holds;
    }

    /** JSON in a text, as some programs log it. */
    #text(text: string, part: Part): boolean {
        if (!isWithin(text, this.fields)) return false;
        const before = this.parts.length;
        const holds = this.#walk(this.parse(text), part);
        if (this.parts.length > before) this.#apart.add(text);
        return holds;
    }

    /** Each element is a record, if there are blobs in any of them. */
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

    /** Members by name, and the pair {"key": name, "value": blob}. */
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
            if (part.found.length > before) inner.push({ value: member, found: part.found.slice(before) });
        }
        if (inner.length > 1 && isRepeated(inner.flatMap(({ found }) => found)) && inner.some((one) => this.#own(one, 0).length > 0)) this.#separate(members, inner, part);
        return holds;
    }

    /** Of members that have the same field, and others of their own, each is a record, without the objects beside it: they may be of others. */
    #separate(members: object, inner: Omit<Part, "isRecord">[], part: Part): void {
        this.isUnclear = true;
        const others = new Set(inner.flatMap(({ found }) => found));
        part.found = part.found.filter((one) => !others.has(one));
        for (const member of Object.values(members)) if (typeof member === "object" && member !== null) this.#apart.add(member);
        for (const one of inner) {
            this.#apart.add(one.value);
            this.parts.push({ ...one, outer: { part, name: this.#name() }, isRecord: true });
        }
    }

    #name = (): string => this.#path.slice(this.#base).filter(Boolean).join(".");

    /** True if the elements are names with values, as in dashboards' exports: then they are members, and no records. */
    #isNamed(list: unknown[]): list is Record<string, unknown>[] {
        return list.length > 0 && list.every(isPair) && !isRepeated(list.map(({ key }) => ({ field: key })).filter(({ field }) => this.fields.has(field)));
    }

    #own = ({ value }: Pick<Part, "value">, longest: number): Member[] => membersOf(value, this.fields, longest, { apart: this.#apart });

    /** Members around a list, but for other lists, and for names that records have themselves. */
    #around(outer: Part["outer"]): Member[] {
        if (!outer) return [];
        const known = this.#outer.get(outer.part);
        if (known) return known;
        this.#names ??= new Set(this.parts.filter(({ isRecord }) => isRecord).flatMap((part) => this.#own(part, 0).map(([name]) => name)));
        const [names, prefix] = [this.#names, prefixOf(outer.part)];
        const own = prefix.length > longestName ? [] : membersOf(outer.part.value, this.fields, this.longest, { apart: this.#apart, isAround: true });
        const members = own.map(([name, text]): Member => [prefix + name, text]).filter(([name]) => !names.has(name));
        const all = [...members, ...this.#around(outer.part.outer)];
        this.#outer.set(outer.part, all);
        return all;
    }
}

/** The beginning of the names of a part's members. */
function prefixOf({ outer }: Part): string {
    if (!outer) return "";
    const before = prefixOf(outer.part);
    return outer.name ? `${before}${outer.name}.` : before;
}

const isRepeated = (found: { field: string }[]) => new Set(found.map(({ field }) => field)).size < found.length;

/** True for JSON that names a field. */
function isWithin(text: string, fields: ReadonlySet<string>): boolean {
    return /^\s*[{[]/.test(text) && [...fields].some((name) => text.includes(name)) && isJson(text);
}
