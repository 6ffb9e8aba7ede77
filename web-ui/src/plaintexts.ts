// Opened data as text. Attackers choose its bytes: they may be no UTF-8.
import { lenient } from "./binary.ts";
import { ofBytes } from "./transfer.ts";

export interface Plain {
    text: string;
    /** Only of what is no UTF-8: then the text has � where it is not. */
    bytes?: Uint8Array<ArrayBuffer>;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The texts of all: each ends at its place in `all`, which is overwritten. */
export function plainOf(all: Uint8Array, ends: Uint32Array): Plain[] {
    const text = textOf(all);
    const plain = Array.from(ends, (end, i) => {
        const from = ends[i - 1] ?? 0;
        return text === undefined ? decoded(all.subarray(from, end)) : { text: text.slice(from, end) };
    });
    all.fill(0);
    return plain;
}

function textOf(all: Uint8Array): string | undefined {
    try {
        return ofBytes(strict, all);
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
