// Key files under a passphrase: age, as written by `age -p` and `pqseal keygen --encrypt`, and PEM
// with keys in PKCS#8, as written by `openssl pkcs8`. A part of the chunk for files.
import { decrypt, decryptPem, identityToRecipient } from "pqseal/files";
import { isCalendar } from "./age.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A private key or calendar: its text, or its bytes (RFC 9180, SerializePrivateKey) if its KEM is given. */
export interface Entry {
    bytes: Bytes;
    kem?: string;
    /** Set if it is next to PEM blocks, where other text is skipped. */
    mayBeText?: boolean;
}

export type Format = "age" | "pem";

/** Returns the keys in a file, which the caller must overwrite. The passphrase is overwritten. */
export function unlocked(format: Format, file: Bytes, passphrase: Bytes): Entry[] {
    const content = decrypted(format, file, passphrase);
    try {
        return entriesOf(content);
    } finally {
        content.fill(0);
    }
}

function decrypted(format: Format, file: Bytes, passphrase: Bytes): Bytes {
    try {
        return format === "age" ? decrypt(file, { passphrase }) : decryptPem(file, { passphrase });
    } finally {
        passphrase.fill(0);
    }
}

/**
 * Returns PEM blocks and lines, with a key each, and without comments; or one key, as JSON or DER.
 * Other text may surround blocks, as on the command line. The content never becomes a string, which
 * could not be overwritten.
 */
function entriesOf(content: Bytes): Entry[] {
    // DER has control characters, such as a version's.
    if (isCalendar(content) || begins(trimmed(content), "{") || content.some((byte) => byte < 0x09))
        return [{ bytes: content.slice() }];
    const lines = linesOf(content);
    const hasBlocks = lines.some(isBegin);
    const entries: Entry[] = [];
    try {
        for (let at = 0; at < lines.length; at++) {
            const line = lines[at]!;
            if (isBegin(line)) {
                const block = blockAt(lines, at);
                if (contains(line, "PRIVATE KEY-----")) entries.push({ bytes: withBreaks(block) });
                at += block.length - 1;
            } else if (line.length > 0) entries.push(entryOf(line, hasBlocks));
        }
    } catch (error) {
        for (const { bytes } of entries) bytes.fill(0);
        throw error;
    }
    return entries;
}

/** Returns the lines of a block: to its end, or to the next block if it was truncated. */
function blockAt(lines: Bytes[], from: number): Bytes[] {
    let to = from;
    while (to + 1 < lines.length && !contains(lines[to]!, "-----END ") && !isBegin(lines[to + 1]!))
        to++;
    return lines.slice(from, to + 1);
}

function entryOf(line: Bytes, besideBlocks: boolean): Entry {
    if (begins(line, "AGE-")) return identity(line);
    return {
        bytes: line.slice(),
        mayBeText: besideBlocks && !begins(line, "pqseal-private-key:") && !begins(line, "{"),
    };
}

/** Returns the lines, without comments. */
function linesOf(content: Bytes): Bytes[] {
    const lines: Bytes[] = [];
    for (let from = 0; from <= content.length;) {
        const end = content.indexOf(0x0a, from);
        lines.push(withoutComment(trimmed(content.subarray(from, end < 0 ? content.length : end))));
        from = end < 0 ? content.length + 1 : end + 1;
    }
    return lines;
}

function withoutComment(line: Bytes): Bytes {
    const at = begins(line, "{") ? -1 : line.indexOf(0x23);
    return at < 0 ? line : trimmed(line.subarray(0, at));
}

function withBreaks(lines: Bytes[]): Bytes {
    const bytes = new Uint8Array(lines.reduce((sum, { length }) => sum + length + 1, 0)).fill(0x0a);
    let at = 0;
    for (const line of lines) {
        bytes.set(line, at);
        at += line.length + 1;
    }
    return bytes;
}

/** Converts an identity of age, which is a key of one of these KEMs, in Bech32. */
function identity(line: Bytes): Entry {
    // Throws if it was mistyped, or belongs to a plugin.
    identityToRecipient(line);
    const [bytes, checksum] = [new Uint8Array(32), 6];
    let [held, bits, at] = [0, 0, 0];
    for (const character of line.subarray(line.lastIndexOf(0x31) + 1, -checksum)) {
        held = ((held << 5)
            | "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".indexOf(String.fromCharCode(character)))
            & 0xfff;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        bytes[at++] = held >> bits;
    }
    return { bytes, kem: begins(line, "AGE-SECRET-KEY-PQ-") ? "mlkem768-x25519" : "x25519" };
}

function trimmed(bytes: Bytes): Bytes {
    let [from, to] = [0, bytes.length];
    while (from < to && bytes[from]! <= 0x20) from++;
    while (to > from && bytes[to - 1]! <= 0x20) to--;
    return bytes.subarray(from, to);
}

const begins = (bytes: Bytes, text: string) =>
    [...text].every((character, i) => bytes[i] === character.charCodeAt(0));
const contains = (bytes: Bytes, text: string) =>
    bytes.some((_, at) => begins(bytes.subarray(at), text));
const isBegin = (line: Bytes) => contains(line, "-----BEGIN ");
