// Lists of texts on their way between threads, as bytes that are transferred. Strings would be in
// memory until the engine collects the messages that contained them, which it does late.
type Bytes = Uint8Array<ArrayBuffer>;
type Numbers = Uint32Array<ArrayBuffer>;

/** Texts as UTF-8, one after the other, and the end of each. */
export interface Utf8 {
    bytes: Bytes;
    ends: Numbers;
}

/** Records, and whether one may be a document with many events. */
export interface Records extends Utf8 {
    hasEvents: boolean;
}

export const arraysOf = ({ bytes, ends }: Utf8) => [bytes, ends];

/**
 * Decodes all texts at once if each character is one byte, since a call per text costs more than
 * the decoding.
 */
export function ofBytes(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
    const text = decoder.decode(bytes);
    return text.length === bytes.length ? text : undefined;
}

export const sizeOf = ({ bytes, ends }: Utf8) => ends.byteLength + bytes.length;

/** Copies records into a buffer, which is large enough. */
export function copyTo(buffer: ArrayBuffer, { bytes, ends, hasEvents }: Records): Records {
    const copy = {
        ends: new Uint32Array(buffer, 0, ends.length),
        bytes: new Uint8Array(buffer, ends.byteLength, bytes.length),
        hasEvents,
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

/** Writes texts after others into `letters`, which has room for a byte per character, and `ends`. */
export function packTexts(first: Texts, texts: Iterable<string>, letters: Bytes,
    ends: Numbers): Texts
{
    letters.set(first.letters);
    ends.set(first.ends);
    const others = first.others;
    let [number, end] = [first.ends.length, first.letters.length];
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
