// Decoders for parts of opened data. Each one checks whether it applies to a text.

export interface Decoding {
    name: string;
    decode(): string | Promise<string>;
}

/** The maximum output in bytes, since a few bytes of gzip may expand a lot. */
const longest = 1_000_000;

/** The number of words tried as base64, the longest first. */
const mostTried = 20;

export function decodings(text: string): Decoding[] {
    const found: Decoding[] = [];
    if (/%[0-9a-f]{2}/i.test(text)) found.push({ name: "percent", decode: () => percent(text) });
    if (/\\(?:u[0-9a-f]{4}|u\{[0-9a-f]{1,6}\}|x[0-9a-f]{2})/i.test(text))
        found.push({
            name: "escapes",
            decode: () => escapes(text),
        });
    const blob = wordsOf(text).sort((a, b) => b.length - a.length).slice(0, mostTried).find(
        isBase64,
    );
    if (blob)
        found.push({
            name: isGzip(blob) ? "base64 and gzip" : "base64",
            decode: () => (isGzip(blob) ? gunzip(bytesOf(blob)) : shown(bytesOf(blob))),
        });
    return found;
}

/**
 * Decodes runs of percent signs that are UTF-8. A plus is kept, since it means a space only in
 * forms.
 */
const percent = (text: string) =>
    text.replace(/(?:%[0-9a-f][0-9a-f])+/gi, (run) =>
        new TextDecoder().decode(Uint8Array.from(run.match(/[0-9a-f]{2}/gi) ?? [], (hex) =>
            parseInt(hex, 16))));

const escapes = (text: string) =>
    text.replace(/\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi,
        (found: string, ...hex: (string | undefined)[]) => {
            const code = parseInt(hex[0] ?? hex[1] ?? hex[2] ?? "", 16);
            return code > 0x10ffff
                ? found
                : hex[0]
                ? String.fromCodePoint(code)
                : String.fromCharCode(code);
        });

/** The minimum length in characters. */
const shortest = 12;

/**
 * Finds words that may be base64, with the signs at their ends. It uses no regular expression:
 * engines have no room for a long word.
 */
function wordsOf(text: string): string[] {
    const words: string[] = [];
    for (let at = 0; at < text.length; at++) {
        const from = at;
        while (isLetter(text.charCodeAt(at))) at++;
        const to = at;
        while (text[at] === "=") at++;
        const isWhole = at === to || (at - to <= 2 && !isLetter(text.charCodeAt(at)));
        if (to - from >= shortest && isWhole) words.push(text.slice(from, at));
        // A letter after such a sign begins another word.
        if (at > to) at--;
    }
    return words;
}

/** Reports whether a character is a letter of either alphabet of base64. */
const isLetter = (code: number) =>
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)
    || (code >= 0x2f && code <= 0x39) || code === 0x2b || code === 0x2d || code === 0x5f;

/**
 * Reports whether a text is base64 that decodes to text. Plain words may be too, so a digit, a sign
 * or mixed case is required.
 */
function isBase64(text: string): boolean {
    const letters = text.replaceAll("=", "");
    if (/[^A-Za-z0-9+/]/.test(letters) && /[^\w-]/.test(letters)) return false;
    if (text.replace(/=+$/, "").length % 4 === 1) return false;
    if (isGzip(text)) return true;
    try {
        const plain = new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(text));
        return !/[\0-\x08\x0e-\x1f\x7f-\x9f]/.test(plain)
            && (/\d|[+/=]/.test(text) || /[a-z][A-Z]/.test(text));
    } catch {
        return false;
    }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
        character.charCodeAt(0));

/** Reports whether base64 begins with 1f 8b 08. */
const isGzip = (base64: string) => base64.startsWith("H4sI");

function shown(bytes: Uint8Array): string {
    try {
        return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    }
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const { plain, note } = await unpacked(bytes);
    return `${shown(plain)}${note}`;
}

/** Returns what gzip data unpacks to, as far as it is whole, and at most `longest` bytes. */
export const gunzipped = async (bytes: Uint8Array<ArrayBuffer>) => (await unpacked(bytes)).plain;

async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<{
    plain: Uint8Array<ArrayBuffer>;
    note: string;
}> {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
        .getReader();
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    let note = "";
    try {
        for (
            let next = await reader.read();
            !next.done && length < longest;
            next = await reader.read()
        ) {
            parts.push(next.value);
            length += next.value.length;
        }
    } catch {
        if (length === 0) throw new Error("The gzip data is damaged or cut off.");
        note = "… (damaged or cut off)";
    }
    await reader.cancel().catch(() => undefined);
    const plain = new Uint8Array(await new Blob(parts).arrayBuffer());
    return { plain: plain.subarray(0, longest), note: length > longest ? "… (cut)" : note };
}
