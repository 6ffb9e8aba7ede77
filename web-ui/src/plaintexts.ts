// Opened data as text. Attackers choose its bytes: they may be no UTF-8.
import { lenient } from "./binary.ts";

export interface Plain {
    text: string;
    /** Only of what is no UTF-8: then the text has � where it is not. */
    bytes?: Uint8Array<ArrayBuffer>;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The texts of all: each ends at its place in `all`, which is overwritten. */
export function plainOf(all: Uint8Array, ends: Uint32Array): Plain[] {
    const places = Array.from(ends, (end, i): [number, number] => [ends[i - 1] ?? 0, end]);
    const text = asciiOf(all);
    const found = places.map(([from, to]) => (text === undefined ? decoded(all.subarray(from, to)) : { text: text.slice(from, to) }));
    all.fill(0);
    return found;
}

/** If all of it is ASCII, as most of a log is: decoded in one call, since one for each costs more than what it does. */
function asciiOf(all: Uint8Array): string | undefined {
    try {
        const text = strict.decode(all);
        // Any other character of UTF-8 has more bytes than code units.
        return text.length === all.length ? text : undefined;
    } catch {
        return undefined;
    }
}

function decoded(bytes: Uint8Array): Plain {
    try {
        return { text: strict.decode(bytes) };
    } catch {
        return { text: lenient.decode(bytes), bytes: bytes.slice() };
    }
}
