// Decoders that the user puts one after the other, in any order. Each step is shown.
import { type Child, fill, h, press } from "../dom.ts";
import { lenient } from "../binary.ts";
import { gunzipped } from "./decode.ts";
import { plainly } from "./json.ts";
import { most } from "./most.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Decode = (bytes: Bytes) => Bytes | Promise<Bytes>;

const encoder = new TextEncoder();
const ofText = (decode: (text: string) => string): Decode => (bytes) =>
    encoder.encode(decode(lenient.decode(bytes)));

/** The decoders by name. */
export const chainable: Record<string, Decode> = {
    "URL": (bytes) => url(bytes, false),
    "URL, + as space": (bytes) => url(bytes, true),
    "Base64": (bytes) => base64(lenient.decode(bytes)),
    "Hexadecimal": (bytes) => hexadecimal(lenient.decode(bytes)),
    "HTML entities": ofText(entities),
    "Unicode escapes": ofText(escapes),
    "UTF-7": ofText(utf7),
    "UTF-16": (bytes) => encoder.encode(new TextDecoder("utf-16le").decode(bytes)),
    "gzip": gunzipped,
};

/** Returns a list of decoders for a text, which is closed at first. */
export function chain(record: number, texts: [name: string, text: string][]): HTMLElement {
    const box = h("details", "chain", h("summary", "", "Decode step by step"));
    box.addEventListener("toggle", () => box.children.length === 1 && start(), { once: true });
    function start(): void {
        const of = h("select");
        texts.forEach(([name], i) => of.append(new Option(name, String(i))));
        of.ariaLabel = `Text of record ${record} to decode`;
        const add = h("select");
        add.append(new Option("Add a step…", ""),
            ...Object.keys(chainable).map((name) => new Option(name)));
        add.ariaLabel = "Add a step";
        const list = h("ol", "steps");
        let steps: string[] = [];
        let version = 0;
        const draw = async () => {
            const mine = ++version;
            const shown = await run(encoder.encode(texts[Number(of.value)]?.[1] ?? ""), steps);
            if (mine !== version) return;
            fill(list, shown.map((part, i) => {
                const remove = press("link", "×", () => {
                    steps = steps.toSpliced(i, 1);
                    void draw();
                }, `Remove step ${i + 1}, ${steps[i]}`);
                return h("li", "", h("span", "part", steps[i]!), " ", remove, " ", part);
            }));
        };
        of.addEventListener("change", () => void draw());
        add.addEventListener("change", () => {
            if (add.value) steps = [...steps, add.value];
            add.value = "";
            void draw();
        });
        box.append(h("div", "row", texts.length > 1 ? of : [], add), list);
    }
    return box;
}

/** Returns what each step shows. After one that fails there are no more. */
async function run(bytes: Bytes, steps: string[]): Promise<Child[]> {
    const shown: Child[] = [];
    let failed = false;
    for (const name of steps) {
        if (failed) {
            shown.push(h("span", "hint", "The step before has no result."));
            continue;
        }
        try {
            bytes = await chainable[name]!(bytes);
            const line = h("code");
            const showing = plainly(line, lenient.decode(bytes), undefined);
            showing.next();
            if (!showing.next(most.text()).done) line.append("…");
            shown.push(bytes.length ? line : h("span", "hint", "(empty)"));
        } catch (error) {
            failed = true;
            shown.push(h("span", "error", (error as Error).message));
        }
    }
    return shown;
}

function url(bytes: Bytes, hasForm: boolean): Bytes {
    const decoded: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
        const hex = bytes[at] === 0x25 ? lenient.decode(bytes.subarray(at + 1, at + 3)) : "";
        if (/^[\da-f]{2}$/i.test(hex)) {
            decoded.push(parseInt(hex, 16));
            at += 2;
        } else decoded.push(hasForm && bytes[at] === 0x2b ? 0x20 : bytes[at]!);
    }
    return Uint8Array.from(decoded);
}

function base64(text: string): Bytes {
    const letters = text.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/").replace(
        /=+$/,
        "",
    );
    if (letters.length % 4 === 1 || /[^\w+/]/.test(letters)) throw new Error("This is not base64.");
    return Uint8Array.from(atob(letters), (character) => character.charCodeAt(0));
}

function hexadecimal(text: string): Bytes {
    const digits = text.replace(/0x|\\x|[\s:,]/gi, "");
    if (digits.length % 2 || /[^\da-f]/i.test(digits)) throw new Error("This is not hexadecimal.");
    return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** The entities that attacks use; browsers know two thousand. */
const named: Record<string, string> = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: "\"",
    apos: "'",
    nbsp: "\u00a0",
    tab: "\t",
    newline: "\n",
    colon: ":",
    semi: ";",
    lpar: "(",
    rpar: ")",
    sol: "/",
    equals: "=",
};

function entities(text: string): string {
    return text.replace(/&(?:#x([\da-f]{1,8})|#(\d{1,8})|([a-z]{2,8}));?/gi,
        (found: string, hex?: string, decimal?: string, name = "") => {
            if (name) return named[name.toLowerCase()] ?? found;
            const code = hex ? parseInt(hex, 16) : Number(decimal);
            return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : found;
        });
}

function escapes(text: string): string {
    return text.replace(
        /(?:\\u\{([\da-f]{1,6})\}|(?:\\|%)u([\da-f]{4})|\\x([\da-f]{2})|\\([0-3]?[0-7]{1,2}))/gi,
        (found: string, braces?: string, four?: string, two?: string, octal?: string) => {
            const code = octal ? parseInt(octal, 8) : parseInt(braces ?? four ?? two ?? "", 16);
            return code > 0x10ffff ? found : braces
                ? String.fromCodePoint(code)
                : String.fromCharCode(code);
        },
    );
}

/** Decodes the parts of UTF-7 (RFC 2152) between + and -, which are UTF-16 in base64. */
function utf7(text: string): string {
    return text.replace(/\+([A-Za-z\d+/]*)-?/g, (found: string, letters: string) => {
        if (letters === "") return found === "+-" ? "+" : found;
        const usable = letters.slice(0, letters.length - Number(letters.length % 4 === 1));
        const bytes = base64(usable);
        return new TextDecoder("utf-16be").decode(bytes.subarray(0, bytes.length & ~1));
    });
}
