// Where blobs are in a record.

import { parsed } from "./store/members.ts";

export interface Found {
    field: string;
    blob: string;
}

interface Taken {
    found: Found[];
    /** The whole record, if it is JSON. */
    value?: unknown;
}

/** The blobs of a record, or undefined for a record that is not whole JSON. A line that is not JSON at all is a blob on its own. */
export function blobsOf(record: string, fields: ReadonlySet<string>): Taken | undefined {
    const text = record.trim();
    const quoted = /^(["'`])([\w+/=-]*)\1,?$/.exec(text);
    if (quoted || !/^[{["}\]]/.test(text)) return { found: [{ field: "", blob: quoted?.[2] ?? text }] };
    try {
        const value: unknown = parsed(text) ?? JSON.parse(text);
        const found: Found[] = [];
        // A text is a blob with escapes, or JSON within JSON.
        const record = typeof value === "string" ? within(value, fields) : value;
        if (record === undefined) return { found: [{ field: "", blob: String(value) }] };
        walk(record, fields, found);
        return { found, value: record };
    } catch {
        return undefined;
    }
}

/** Members by name, at any depth; and the pairs {"key": name, "value": blob} of dashboards' exports. */
function walk(value: unknown, fields: ReadonlySet<string>, found: Found[]): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
        for (const element of value) walk(element, fields, found);
        return;
    }
    const members = value as Record<string, unknown>;
    const { key, value: blob } = members;
    if (typeof key === "string" && typeof blob === "string" && fields.has(key)) found.push({ field: key, blob });
    for (const [name, member] of Object.entries(members)) {
        if (typeof member === "string" && fields.has(name)) found.push({ field: name, blob: member });
        else if (typeof member === "string") walk(within(member, fields), fields, found);
        else walk(member, fields, found);
    }
}

/** JSON in a text, as some programs log it. Only a text that names a field is looked into. */
function within(text: string, fields: ReadonlySet<string>): unknown {
    if (!/^\s*[{[]/.test(text) || ![...fields].some((name) => text.includes(name))) return undefined;
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}
