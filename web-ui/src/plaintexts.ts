// Opened data as text. Attackers choose its bytes, which may not be UTF-8.
import { lenient } from "./binary.ts";
import { ofBytes } from "./transfer.ts";

export interface Plain {
    text: string;
    /** The bytes, if they are not UTF-8. The text then has � in their place. */
    bytes?: Uint8Array<ArrayBuffer>;
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns all texts. Each ends at its offset in `all`, which is overwritten. */
export function plainOf(all: Uint8Array, ends: Uint32Array): Plain[] {
    const text = textOf(all);
    const plain = Array.from(ends, (end, i) => {
        const from = ends[i - 1] ?? 0;
        return text === undefined
            ? decoded(all.subarray(from, end))
            : { text: text.slice(from, end) };
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
