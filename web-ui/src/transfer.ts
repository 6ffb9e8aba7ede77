// Lists of texts on their way between threads, as bytes that are transferred. Strings would be in
// memory until the engine collects the messages that contained them, which it does late.
import { lenient } from "./binary.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Numbers = Uint32Array<ArrayBuffer>;

/** Texts as UTF-8, one after the other, and the end of each. */
export interface Utf8 {
    bytes: Bytes;
    ends: Numbers;
}

const encoder = new TextEncoder();

export function toUtf8(texts: string[]): Utf8 {
    const ends = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach(({ length }, i) => (ends[i] = end += length));
    // In ASCII, the most common case in a log, each character is one byte.
    const bytes = new Uint8Array(end);
    if (encoder.encodeInto(texts.join(""), bytes).read === end) return { bytes, ends };
    const longer = new Uint8Array(3 * end);
    end = 0;
    texts.forEach((text,
        i) => (ends[i] = end += encoder.encodeInto(text, longer.subarray(end)).written)
    );
    return { bytes: longer.subarray(0, end), ends };
}

export const arraysOf = ({ bytes, ends }: Utf8) => [bytes, ends];

/** Decodes texts. What is not UTF-8 becomes �. */
export function fromUtf8({ bytes, ends }: Utf8): string[] {
    const all = ofBytes(lenient, bytes);
    return Array.from(ends, (end, i) => {
        const from = ends[i - 1] ?? 0;
        return all?.slice(from, end) ?? lenient.decode(bytes.subarray(from, end));
    });
}

/**
 * Decodes all texts at once if each character is one byte, since a call per text costs more than
 * the decoding.
 */
export function ofBytes(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
    const text = decoder.decode(bytes);
    return text.length === bytes.length ? text : undefined;
}

export const sizeOf = ({ bytes, ends }: Utf8) => ends.byteLength + bytes.length;

/** Copies texts into a buffer, which is large enough. */
export function copyTo(buffer: ArrayBuffer, { bytes, ends }: Utf8): Utf8 {
    const copy = {
        ends: new Uint32Array(buffer, 0, ends.length),
        bytes: new Uint8Array(buffer, ends.byteLength, bytes.length),
    };
    copy.ends.set(ends);
    copy.bytes.set(bytes);
    return copy;
}

/** Texts of any kind: those in Latin-1 as bytes, the others as strings, by number. */
export interface Texts {
    letters: Bytes;
    ends: Numbers;
    others: Map<number, string>;
}

/** Writes texts into `letters`, which has room for a byte per character, and `ends`. */
export function packTexts(texts: Iterable<string>, letters: Bytes, ends: Numbers): Texts {
    const others = new Map<number, string>();
    let [number, end] = [0, 0];
    for (const text of texts) {
        const begin = end;
        for (let i = 0; i < text.length; i++) {
            const code = text.charCodeAt(i);
            if (code > 255) {
                others.set(number, text);
                end = begin;
                break;
            }
            letters[end++] = code;
        }
        ends[number++] = end;
    }
    return { letters: letters.subarray(0, end), ends, others };
}
