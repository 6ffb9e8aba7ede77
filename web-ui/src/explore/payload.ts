// Opened data as people read it: matches on a line, JSON that folds, decodings beside it, copies.
import { base64 } from "../binary.ts";
import { copy, h, press } from "../dom.ts";
import { cut, isBytes, matchesOf, parsed, textOf } from "../store/members.ts";
import type { Detail } from "../store/types.ts";
import { pretty, visible } from "../visible.ts";
import { bytesShown, hexOf } from "./bytes.ts";
import { decodings } from "./decode.ts";
import { defanged } from "./defang.ts";
import { json } from "./json.ts";
import { chips, marked } from "./text.ts";

/** Of strings that have decoders: more would be a wall of buttons. */
const mostDecoded = 20;
/** In characters. */
const longestName = 100;
/** How deep members are looked into. */
const deepest = 8;

/** The parts of a page for one row that opened. */
export function payload({ row, record, result }: Detail, search: RegExp | undefined, reopen: (row: number) => void): HTMLElement[] {
    if (!result.ok) return [];
    if (!result.held) return [press("quiet", "Open it again", () => reopen(row), `Open record ${record} again`)];
    const { text, bytes } = result;
    if (text === "") return [h("p", "hint", "Empty: the opened data has no bytes.")];
    const data = parsed(text);
    return [
        ...matches(data, search),
        h("pre", "", ...(data === undefined ? marked(text, search) : json(pretty(text), search))),
        ...(bytes ? bytesShown(bytes) : []),
        ...(data === undefined ? decoders(text) : [...byteLists(data), ...otherStrings(data)]),
        bytes ? copies(record, [["Copy hexadecimal", () => hexOf(bytes)], ["Copy base64", () => base64(bytes)]]) : copies(record, texts(text, data)),
    ];
}

/** Each match on one line, with the matched part marked, and what it decodes to below. */
function matches(data: unknown, search: RegExp | undefined): HTMLElement[] {
    return matchesOf(data).flatMap(({ part, before, content, after }) => [
        h("div", "match",
            h("span", "part", ...marked(part, undefined)), " ",
            h("code", "", ...marked(before, search), h("span", "hit", ...marked(content, search)), ...marked(after, search))),
        ...decoders(content),
        ...decoders(before, "before"),
        ...decoders(after, "after"),
    ]);
}

/** Decoders for strings that are in no match, each under its name. */
function otherStrings(data: unknown): HTMLElement[] {
    const parts = new Set(matchesOf(data).map(({ part }) => part));
    const found: HTMLElement[] = [];
    const walk = (value: unknown, name: string, depth: number): void => {
        if (found.length > mostDecoded) return;
        if (typeof value === "string") found.push(...decoders(value, cut(name, longestName)));
        else if (typeof value === "object" && value !== null && depth < deepest)
            for (const [key, member] of Object.entries(value)) if (depth > 0 || !parts.has(key)) walk(member, name ? `${name}.${key}` : key, depth + 1);
    };
    walk(data, "", 0);
    const rest = found.length > mostDecoded ? [h("p", "hint", `Decoders are shown for the first ${mostDecoded} strings only. Copies have all.`)] : [];
    return [...found.slice(0, mostDecoded), ...rest];
}

/** Lists of numbers that are bytes, as text or hexadecimal. */
function byteLists(data: unknown): HTMLElement[] {
    const found: [string, number[]][] = [];
    const walk = (value: unknown, name: string, depth: number): void => {
        if (isBytes(value) && value.length > 1) found.push([name, value]);
        else if (typeof value === "object" && value !== null && depth < deepest)
            for (const [key, member] of Object.entries(value)) walk(member, key, depth + 1);
    };
    walk(data, "", 0);
    return found.map(([name, bytes]) =>
        h("div", "decoded", h("span", "part", ...marked(`${name ? `${name}, ` : ""}${bytes.length} bytes`, undefined)), " ", h("code", "", ...marked(textOf(bytes), undefined))));
}

/**
 * Buttons for what the text may be encoded with. What they show goes beside the text, and may be decoded further. `of` names a text that is
 * not the match itself.
 */
function decoders(text: string, of = "", depth = 0): HTMLElement[] {
    const found = depth < 5 ? decodings(text) : [];
    if (!found.length) return [];
    const place = h("div", "decoders", ...(of && !depth ? [h("span", "part", ...chips(of))] : []));
    for (const { name, decode } of found) {
        const label = `Decode ${name}`;
        const button = press("quiet", label, async () => {
            button.disabled = true;
            const line = h("div", "decoded", h("span", "part", name), " ");
            place.append(line);
            try {
                const decoded = await decode();
                line.append(h("code", "", ...marked(decoded, undefined)), ...decoders(decoded, of, depth + 1));
            } catch (error) {
                line.append(h("span", "error", (error as Error).message));
            }
        }, of ? `${label}, ${visible(of)}` : undefined);
        place.append(button);
    }
    return [place];
}

type Copy = [label: string, what: () => string];

function texts(text: string, data: unknown): Copy[] {
    const kinds: Copy[] = [["Copy", () => text]];
    if (data !== undefined) kinds.push(["Copy JSON", () => pretty(text)]);
    const safe = defanged(text);
    if (safe !== text) kinds.push(["Copy defanged", () => safe]);
    return kinds;
}

function copies(record: number, kinds: Copy[]): HTMLElement {
    return h("div", "copies", ...kinds.map(([label, what]) => {
        const button = press("quiet", label, () => void copy(button, what()), `${label}, record ${record}`);
        return button;
    }));
}
