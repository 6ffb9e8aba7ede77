// Results in a record's own text, as `pqseal logs open` writes them: each after its field, all other
// bytes unchanged.
import { jsonTokens } from "./json.ts";
import type { Row } from "./protocol.ts";

type Result = Row["result"];

/** A value with its range, and what an object or array contains. */
interface Node {
    from: number;
    to: number;
    kind: "object" | "array" | "scalar";
    children: Child[];
}

interface Child {
    /** The name in an object. */
    name: string | undefined;
    value: Node;
}

interface Edit {
    from: number;
    to: number;
    text: string;
}

/** The name of a field's result. */
const resultName = (field: string) => `decrypted_${field.replace(/^encrypted_/, "")}`;
const status = "decrypt_status";
const lossy = "decrypt_lossy";

/**
 * Returns the text of a record with its results, or undefined if none of the fields is in it.
 * `resultOf` returns what a blob became.
 */
export function spliced(json: string, fields: ReadonlySet<string>,
    resultOf: (field: string, blob: string) => Result): string | undefined
{
    const edits: Edit[] = [];
    let isFound = false;
    for (const node of containers(json)) {
        for (const field of fields) {
            const near = node.kind === "object"
                ? membersNear(node, field)
                : pairsNear(json, node, field);
            if (!near) continue;
            isFound = true;
            if (near.isDone) continue;
            const members = resultOfValue(json.slice(near.value.from, near.value.to), field,
                resultOf);
            if (!members.length) continue;
            const text = members.map(([name, value]) =>
                node.kind === "object"
                    ? `,${JSON.stringify(name)}:${value}`
                    : `,{"key":${JSON.stringify(name)},"value":${value}}`
            ).join("");
            edits.push({ from: near.end, to: near.end, text });
            if (near.stale) edits.push({ ...near.stale, text: "" });
        }
    }
    return isFound ? applied(json, edits) : undefined;
}

/** Returns an object with results at its end, which has none of the fields itself. */
export function appended(json: string, results: [field: string, result: Result][]): string {
    const end = json.lastIndexOf("}");
    const text = results.flatMap(([field, result]) => membersOf(field, result)).map((
        [name, value],
    ) => `${JSON.stringify(name)}:${value}`).join();
    const comma = text && /^\s*\{\s*\}\s*$/.test(json) ? "" : ",";
    return text ? json.slice(0, end) + comma + text + json.slice(end) : json;
}

/** Returns a record for a blob that was in none. */
export const around = (field: string, blob: string, result: Result): string =>
    appended(`{${JSON.stringify(field)}:${JSON.stringify(blob)}}`, [[field, result]]);

function resultOfValue(json: string, field: string,
    resultOf: (field: string, blob: string) => Result): [string, string][]
{
    if (json === "null" || json === "\"\"") return [];
    if (!json.startsWith("\"")) return [[status, "\"not_a_string\""]];
    return membersOf(field, resultOf(field, JSON.parse(json) as string));
}

/** Returns the names of a result's members, with their values as JSON. */
function membersOf(field: string, result: Result): [string, string][] {
    if (!result.ok)
        return result.code === "absent" ? [] : [[status, JSON.stringify(result.code)]];
    const opened: [string, string] = [resultName(field), JSON.stringify(result.text)];
    return result.bytes ? [opened, [lossy, "true"]] : [opened];
}

function applied(json: string, edits: Edit[]): string {
    let [text, at] = ["", 0];
    // An insertion comes before a removal at the same place.
    for (const edit of edits.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
        if (edit.from < at) continue;
        text += json.slice(at, edit.from) + edit.text;
        at = edit.to;
    }
    return text + json.slice(at);
}

/** The field in an object or a list of pairs. Of several the last one counts, as in parsers. */
interface Near {
    value: Node;
    /** The end of the field, where the result goes. */
    end: number;
    /** Set if the result is there already. */
    isDone: boolean;
    /** The status of an earlier run, with the comma before it. */
    stale: { from: number; to: number } | undefined;
}

function membersNear({ children }: Node, field: string): Near | undefined {
    const found = children.findLast(({ name }) => name === field);
    return found && {
        value: found.value,
        end: found.value.to,
        isDone: children.some(({ name }) => name === resultName(field)),
        stale: staleOf(children, ({ name }) => name === status),
    };
}

/** Finds the pair {"key": field, "value": blob} in an array. */
function pairsNear(json: string, { children }: Node, field: string): Near | undefined {
    const member = ({ value }: Child, of: string) =>
        value.children.findLast(({ name }) => name === of)?.value;
    const isCalled = (child: Child, name: string) => {
        const key = member(child, "key");
        return key?.kind === "scalar" && json.slice(key.from, key.to) === JSON.stringify(name);
    };
    const found = children.findLast((child) => isCalled(child, field));
    const value = found && member(found, "value");
    return value && {
        value,
        end: found.value.to,
        isDone: children.some((child) => isCalled(child, resultName(field))),
        stale: staleOf(children, (child) => isCalled(child, status)),
    };
}

function staleOf(children: Child[], is: (child: Child) => boolean): Near["stale"] {
    const at = children.findIndex(is);
    return at > 0
        ? { from: children[at - 1]!.value.to, to: children[at]!.value.to }
        : undefined;
}

/** Returns all objects and arrays of a text that is JSON, the outer ones first. */
function containers(json: string): Node[] {
    const all: Node[] = [];
    const open: Node[] = [];
    let name: string | undefined;
    for (const { text, from } of jsonTokens(json)) {
        if (text === "," || text === ":") continue;
        const outer = open.at(-1);
        if (text === "}" || text === "]") {
            open.pop()!.to = from + 1;
            continue;
        }
        if (outer?.kind === "object" && name === undefined) {
            name = String(JSON.parse(text));
            continue;
        }
        const kind = text === "{" ? "object" : text === "[" ? "array" : "scalar";
        const value: Node = { from, to: from + text.length, kind, children: [] };
        outer?.children.push({ name, value });
        name = undefined;
        if (kind === "scalar") continue;
        open.push(value);
        all.push(value);
    }
    return all;
}
