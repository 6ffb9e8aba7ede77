// Where blobs are in a record.

export interface Found {
    field: string;
    blob: string;
}

/** The blobs of a record, or undefined for a record that is no JSON. A line that is not JSON at all is a blob by itself. */
export function blobsOf(record: string, fields: ReadonlySet<string>): Found[] | undefined {
    const text = record.trim();
    const quoted = /^(["'`])([\w+/=-]*)\1,?$/.exec(text);
    if (quoted || !/^[{["]/.test(text)) return [{ field: "", blob: quoted?.[2] ?? text }];
    try {
        const found: Found[] = [];
        walk(JSON.parse(text), fields, found);
        return found;
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
