// Bytes that are not text: as characters, one per byte, and in other notations.
import { visible } from "./visible.ts";

/** The number of characters that are made into one string at once, as arguments of a call. */
export const windowSize = 8192;

export function characters(bytes: Uint8Array | Uint16Array): string {
    let text = "";
    // `apply` passes the array as it is; spreading it would iterate over the elements.
    for (let from = 0; from < bytes.length; from += windowSize)
        text += String.fromCharCode.apply(null,
            bytes.subarray(from, from + windowSize) as unknown as number[]);
    return text;
}

/** A decoder that replaces what is not UTF-8 by �. */
export const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export const bytesOfCharacters = (text: string) =>
    Uint8Array.from(text, (character) => character.charCodeAt(0));

export const base64 = (bytes: Uint8Array) => btoa(characters(bytes));

/** UTF-8 (RFC 3629, section 4), as characters. The limit keeps the engine's stack small. */
const wellFormed = new RegExp(
    "(?:[\\0-\\x7f]|[\\xc2-\\xdf][\\x80-\\xbf]|\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf][\\x80-\\xbf]|\\xed[\\x80-\\x9f][\\x80-\\xbf]"
        + "|\\xf0[\\x90-\\xbf][\\x80-\\xbf][\\x80-\\xbf]|[\\xf1-\\xf3][\\x80-\\xbf][\\x80-\\xbf][\\x80-\\xbf]|\\xf4[\\x80-\\x8f][\\x80-\\xbf][\\x80-\\xbf]){1,1000}|[^]",
    "g",
);

/**
 * Converts to text, with each byte that is not UTF-8 as ⟦xFF⟧; the text itself cannot look like
 * this.
 */
export const spelled = (bytes: Uint8Array) =>
    (characters(bytes).match(wellFormed) ?? []).map((
        part,
    ) => (part.length === 1 && part > "\x7f"
        ? `⟦x${hex(part.charCodeAt(0)).toUpperCase()}⟧`
        : visible(lenient.decode(bytesOfCharacters(part))))
    ).join("");

export const hex = (byte: number) => byte.toString(16).padStart(2, "0");
