// Text that may be pasted into a terminal.
import { inQuotes } from "../visible.ts";

const encoder = new TextEncoder();
/** Escapes by character, since there may be millions of one. */
const known = new Map<string, string>();

/**
 * Returns a literal of POSIX shells (`$'...'`, POSIX.1-2024, section 2.2.4): bash, zsh, ksh and
 * others read the same bytes from it, and the terminal only sees digits for hidden ones. Quotes and
 * exclamation marks are digits too, since shells look for these first.
 */
export const quoted = (text: string): string =>
    `$'${text.replace(inQuotes, (character) => known.get(character) ?? octal(character))}'`;

function octal(character: string): string {
    const digits = Array.from(encoder.encode(character),
        (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    known.set(character, digits);
    return digits;
}
