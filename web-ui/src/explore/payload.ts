// Opened data for people: matches on a line, JSON that folds, decoded text, copies.
import { base64 } from "../binary.ts";
import { type Budget, mostParsed } from "../budget.ts";
import { type Child, append, copy, h, press } from "../dom.ts";
import { chips } from "../shown.ts";
import { cut, isBytes, matchesOf, parsed, textOf } from "../store/members.ts";
import type { Detail } from "../store/types.ts";
import { escapedInJson, inOneLine, visible } from "../visible.ts";
import { bytesShown, hexOf } from "./bytes.ts";
import { chain } from "./chain.ts";
import { decodings } from "./decode.ts";
import { defanged } from "./defang.ts";
import { type Showing, colored, plainly, pretty } from "./json.ts";
import { marked } from "./marked.ts";
import { most } from "./most.ts";
import { quoted } from "./quoted.ts";
import { ticket } from "./ticket.ts";

/**
 * The maximum numbers of strings with decoders, and of strings that are tried. More would be a wall
 * of buttons.
 */
const mostDecoded = 20;
const mostLookedAt = 1000;
/** The longest name, in characters. */
const longestName = 100;
/** The maximum depth of members that are searched. */
const deepest = 8;

/** Returns the elements for one row: its opened data, or why it has none, and buttons that copy. */
export function payload(detail: Detail, search: RegExp | undefined,
    reopen: (row: number) => void): HTMLElement[]
{
    const { row, record, result } = detail;
    if (!result.ok)
        return [h("p", result.code === "absent" ? "hint" : "error", chips(result.message)),
            copies(record, [["Copy for ticket", () => ticket(detail)]])];
    if (!result.held)
        return [press("quiet", "Open it again", () => reopen(row), `Open record ${record} again`)];
    const { text, bytes } = result;
    if (text === "") return [h("p", "hint", "Empty: the opened data has no bytes.")];
    const isLong = text.length > mostParsed;
    const data = isLong ? undefined : parsed(text);
    const beside = most.beside();
    return [
        ...matches(record, data, search),
        ...inJson(data, inFull(h("pre"), record, (
            to,
        ) => (data === undefined ? plainly(to, text, search) : colored(to, text, search)))),
        ...(isLong
            ? [h("p", "hint",
                `Longer than ${
                    mostParsed.toLocaleString("en")
                } characters: shown unchanged, without decoders.`)]
            : []),
        ...(bytes ? bytesShown(bytes) : []),
        ...(isLong
            ? []
            : data === undefined
            ? decoders(record, text, "", beside)
            : [...byteLists(data, beside), ...otherStrings(record, data, beside)]),
        ...(isLong ? [] : [chain(record, chained(text, data))]),
        copies(record, [
            ...(bytes
                ? [["Copy hexadecimal", () => hexOf(bytes)], ["Copy base64",
                    () => base64(bytes)]] as Copy[]
                : texts(text, data)),
            ["Copy for ticket", () => ticket(detail)],
        ]),
    ];
}

/** Folds JSON that has nothing but the matches above it, each of which is then shown once. */
function inJson(data: unknown, shown: HTMLElement[]): HTMLElement[] {
    const parts = matchesOf(data).length;
    if (!parts || parts < Object.keys(data as object).length) return shown;
    return [h("details", "json", h("summary", "", "JSON"), shown)];
}

/** Returns the texts to decode: each match, and all of the data. */
function chained(text: string, data: unknown): [name: string, text: string][] {
    const matches = matchesOf(data).slice(0, mostDecoded).map((
        { part, content },
    ): [string, string] => [visible(cut(part, longestName)), content]);
    return [...matches, ["all of the opened data", text]];
}

/** Shows the beginning of a text, and more of it each time the button is pressed. */
function inFull(text: HTMLElement, record: number,
    show: (to: HTMLElement) => Showing): HTMLElement[]
{
    const showing = show(text);
    // Runs up to where it takes a budget.
    showing.next();
    const more = h("p", "hint", "There is more of it. ", press("quiet", "Show more", () => {
        if (showing.next(most.text()).done) more.remove();
    }, `Show more of record ${record}`));
    return showing.next(most.text()).done ? [text] : [text, more];
}

/** Shows each match on one line, with the matched part marked, and its decoded text below. */
function matches(record: number, data: unknown, search: RegExp | undefined): HTMLElement[] {
    const budget = most.matches();
    const all = matchesOf(data);
    const shown: HTMLElement[] = [];
    for (const [i, { part, before, content, after }] of all.entries()) {
        if (budget.isSpent || !budget.take(4))
            return [...shown,
                h("p", "hint",
                    `${(all.length - i).toLocaleString("en")} more parts are only below.`)];
        const line = h("code", "", marked(before, search, budget),
            h("mark", "hit", marked(content, search, budget)), marked(after, search, budget));
        shown.push(
            h("div", "match", h("span", "part", chips(cut(part, longestName), budget)), " ", line),
        );
        for (const [text, of] of [[content, ""], [before, "before"], [after, "after"]] as const)
            for (const found of decoders(record, text, of, budget)) shown.push(found);
    }
    return shown;
}

/** Returns decoders for strings that are in no match, each under its name. */
function otherStrings(record: number, data: unknown, budget: Budget): HTMLElement[] {
    const parts = new Set(matchesOf(data).map(({ part }) => part));
    const found: HTMLElement[] = [];
    let left = mostLookedAt;
    const walk = (value: unknown, name: string, depth: number): void => {
        if (found.length > mostDecoded || left-- < 0) return;
        if (typeof value === "string") {
            for (const one of decoders(record, value, cut(name, longestName), budget))
                found.push(one);
        } else if (typeof value === "object" && value !== null && depth < deepest) {
            for (const [key, member] of Object.entries(value))
                if (depth > 0 || !parts.has(key))
                    walk(member, name ? `${name}.${key}` : key, depth + 1);
        }
    };
    walk(data, "", 0);
    const rest = found.length > mostDecoded
        ? [h("p", "hint",
            `Decoders are shown for the first ${mostDecoded} strings only. Copies have all.`)]
        : [];
    return [...found.slice(0, mostDecoded), ...rest];
}

/** Shows lists of numbers that are bytes, as text or hexadecimal. */
function byteLists(data: unknown, budget: Budget): HTMLElement[] {
    const shown: HTMLElement[] = [];
    const walk = (value: unknown, name: string, depth: number): void => {
        if (budget.isSpent) return;
        if (isBytes(value) && value.length > 1) {
            if (!budget.take(3)) return;
            const bytes = `${name ? `${cut(name, longestName)}, ` : ""}${value.length} bytes`;
            shown.push(
                h("div", "decoded", h("span", "part", chips(bytes, budget)), " ",
                    h("code", "", marked(textOf(value), undefined, budget))),
            );
        } else if (typeof value === "object" && value !== null && depth < deepest) {
            for (const [key, member] of Object.entries(value)) walk(member, key, depth + 1);
        }
    };
    walk(data, "", 0);
    return shown;
}

/**
 * Returns buttons for encodings of a text. Their output is shown next to it, and may be decoded
 * further. `of` names a text that is not the match itself.
 */
function decoders(record: number, text: string, of: string, budget: Budget,
    depth = 0): HTMLElement[]
{
    const found = depth < 5 ? decodings(text) : [];
    if (!found.length || !budget.take(2 + found.length)) return [];
    const place = h("div", "decoders", of && !depth ? h("span", "part", chips(of, budget)) : []);
    for (const { name, decode } of found) {
        const label = `Decode ${name}`;
        const button = press("quiet", label, async () => {
            button.disabled = true;
            const line = h("div", "decoded", h("span", "part", name), " ");
            place.append(line);
            try {
                const decoded = await decode();
                append(line, [inFull(h("code"), record, (to) => plainly(to, decoded, undefined)),
                    decoders(record, decoded, of, most.beside(), depth + 1)]);
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
    if (data !== undefined) kinds.push(["Copy JSON", () => escapedInJson(pretty(text))]);
    // In a terminal ESC [201~ ends a paste, and a line break runs it; a chat makes links, and hides
    // hidden characters.
    const safe = () => inOneLine(defanged(text));
    if (text.length > mostParsed || safe() !== text) kinds.push(["Copy defanged", safe]);
    if (/[^\w.,:=@%+/-]/.test(text)) kinds.push(["Copy for terminals", () => quoted(text)]);
    return kinds;
}

function copies(record: number, kinds: Copy[]): HTMLElement {
    const buttons = kinds.map(([label, what]): Child => {
        const button = press("quiet", label, () => void copy(button, what()),
            `${label}, record ${record}`);
        return button;
    });
    return h("div", "copies", buttons);
}
