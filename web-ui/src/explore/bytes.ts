// Opened data that is not UTF-8: its bytes next to the text in it.
import { hex } from "../binary.ts";
import { h } from "../dom.ts";

/** The number of bytes that are shown, and the number per line. */
const most = 1024;
const lineLength = 16;

/** Returns a note, and a dump in the notation of `hexdump -C`. */
export function bytesShown(bytes: Uint8Array): HTMLElement[] {
    const rest = bytes.length - most;
    const lines = Array.from({ length: Math.ceil(Math.min(bytes.length, most) / lineLength) },
        (_, i) => line(bytes, i * lineLength));
    return [
        h("p", "hint",
            "Not UTF-8: above, bytes that are not text are shown as �. These are the bytes:"),
        h("pre", "bytes", lines.join("\n")),
        ...(rest > 0
            ? [h("p", "hint",
                `${rest.toLocaleString("en")} more bytes are not shown. Copies have all.`)]
            : []),
    ];
}

function line(bytes: Uint8Array, from: number): string {
    const part = Array.from(bytes.subarray(from, Math.min(from + lineLength, most)));
    const letters = part.map((
        byte,
    ) => (byte < 0x20 || byte > 0x7e ? "." : String.fromCharCode(byte))).join("");
    return `${from.toString(16).padStart(8, "0")}  ${
        part.map(hex).join(" ").padEnd(3 * lineLength)
    } ${letters}`;
}

export const hexOf = (bytes: Uint8Array) => Array.from(bytes, hex).join("");
