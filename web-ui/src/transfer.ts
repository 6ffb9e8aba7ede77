// Lists of texts on their way between threads, as bytes that are handed over. As strings they would be in memory until the engine collects
// the messages that they came in, which it does late.
import { release } from "./release.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Numbers = Uint32Array<ArrayBuffer>;

/**
 * Records: one text after the other, and where each ends in what they are decoded to. They
 * come from a decoder, so they have no lone surrogates, and UTF-8 keeps them.
 */
export interface Records {
    bytes: Bytes;
    ends: Numbers;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function packRecords(records: string[]): Records {
    let end = 0;
    return { ends: Uint32Array.from(records, ({ length }) => (end += length)), bytes: encoder.encode(records.join("")) };
}

export const copyOf = ({ bytes, ends }: Records): Records => ({ bytes: bytes.slice(), ends: ends.slice() });

export function unpackRecords({ bytes, ends }: Records): string[] {
    const all = decoder.decode(bytes);
    release(bytes);
    return cut(all, ends);
}

/** Any texts: those of Latin-1 as bytes, the others as strings, by their numbers. */
export interface Texts {
    letters: Bytes;
    ends: Numbers;
    others: Map<number, string>;
}

export function packTexts(texts: string[]): Texts {
    const letters = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
    const others = new Map<number, string>();
    let end = 0;
    const ends = Uint32Array.from(texts, (text, number) => {
        const begin = end;
        for (let i = 0; i < text.length; i++) {
            const code = text.charCodeAt(i);
            if (code > 255) {
                others.set(number, text);
                return (end = begin);
            }
            letters[end++] = code;
        }
        return end;
    });
    return { letters: letters.subarray(0, end), ends, others };
}

/** Slices of one string: to keep one keeps all of it in memory, unless it is copied. */
const cut = (all: string, ends: Numbers) => Array.from(ends, (end, i) => all.slice(ends[i - 1] ?? 0, end));
