// Key files under a passphrase, as `age -p` and `pqseal keygen --encrypt` write them. A part of the chunk for files.
import { decrypt, identityToRecipient } from "pqseal/files";

type Bytes = Uint8Array<ArrayBuffer>;

/** A private key: what it is written as, or its bytes (RFC 9180, SerializePrivateKey) if its KEM is given. */
export interface Entry {
    bytes: Bytes;
    kem?: string;
}

/** The keys in a file, for the caller to overwrite. The passphrase is overwritten. */
export function unlocked(file: Bytes, passphrase: Bytes): Entry[] {
    const content = decrypted(file, passphrase);
    try {
        return entriesOf(content);
    } finally {
        content.fill(0);
    }
}

function decrypted(file: Bytes, passphrase: Bytes): Bytes {
    try {
        return decrypt(file, { passphrase });
    } finally {
        passphrase.fill(0);
    }
}

/** PEM blocks, or lines with a key each and comments, or one key: JSON, DER. No string is made of it, which nobody could overwrite. */
function entriesOf(content: Bytes): Entry[] {
    if (begins(trimmed(content), "{") || content.some((byte) => byte === 0 || byte >= 0x80)) return [{ bytes: content.slice() }];
    const lines = linesOf(content);
    if (lines.some((line) => begins(line, "-----BEGIN "))) return blocksOf(lines);
    return lines.filter((line) => line.length > 0 && !begins(line, "#")).map((line) => (begins(line, "AGE-") ? identity(line) : { bytes: line.slice() }));
}

function linesOf(content: Bytes): Bytes[] {
    const lines: Bytes[] = [];
    for (let from = 0; from <= content.length; ) {
        const end = content.indexOf(0x0a, from);
        lines.push(trimmed(content.subarray(from, end < 0 ? content.length : end)));
        from = end < 0 ? content.length + 1 : end + 1;
    }
    return lines;
}

/** Those of private keys, from line to line. */
function blocksOf(lines: Bytes[]): Entry[] {
    const entries: Entry[] = [];
    let from = 0;
    lines.forEach((line, i) => {
        if (begins(line, "-----BEGIN ")) from = i;
        if (begins(line, "-----END ") && ends(line, "PRIVATE KEY-----")) entries.push({ bytes: withBreaks(lines.slice(from, i + 1)) });
    });
    return entries;
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

/** An identity of age's is a key of one of these KEMs, in Bech32. */
function identity(line: Bytes): Entry {
    // Throws if it was mistyped, or is for a plugin.
    identityToRecipient(line);
    const [bytes, checksum] = [new Uint8Array(32), 6];
    let [held, bits, at] = [0, 0, 0];
    for (const character of line.subarray(line.lastIndexOf(0x31) + 1, -checksum)) {
        held = ((held << 5) | "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".indexOf(String.fromCharCode(character))) & 0xfff;
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

const begins = (bytes: Bytes, text: string) => [...text].every((character, i) => bytes[i] === character.charCodeAt(0));
const ends = (bytes: Bytes, text: string) => bytes.length >= text.length && begins(bytes.subarray(bytes.length - text.length), text);
