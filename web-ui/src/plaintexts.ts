// Opened data as text. Attackers choose its bytes: they may be no UTF-8.
import { lenient } from "./binary.ts";

export interface Plain {
    text: string;
    /** Only of what is no UTF-8: then the text has � where it is not. */
    bytes?: Uint8Array<ArrayBuffer>;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The texts of all, whose bytes are overwritten. */
export function plainOf(plaintexts: Uint8Array[]): Plain[] {
    const found = asciiOf(plaintexts)?.map((text) => ({ text })) ?? plaintexts.map(decoded);
    for (const bytes of plaintexts) bytes.fill(0);
    return found;
}

/** If all of it is ASCII, as most of a log is: decoded in one call, since one for each costs more than what it does. */
function asciiOf(plaintexts: Uint8Array[]): string[] | undefined {
    const all = new Uint8Array(plaintexts.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    const ends = plaintexts.map((bytes) => {
        all.set(bytes, end);
        return (end += bytes.length);
    });
    try {
        const text = strict.decode(all);
        // Any other character of UTF-8 has more bytes than code units.
        return text.length === all.length ? ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end)) : undefined;
    } catch {
        return undefined;
    } finally {
        all.fill(0);
    }
}

function decoded(bytes: Uint8Array): Plain {
    try {
        return { text: strict.decode(bytes) };
    } catch {
        return { text: lenient.decode(bytes), bytes: bytes.slice() };
    }
}
