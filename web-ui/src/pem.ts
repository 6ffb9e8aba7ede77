// PEM files with private keys under a passphrase, as written by `openssl pkcs8`.

const mark = new TextEncoder().encode("-----BEGIN ENCRYPTED PRIVATE KEY-----");
/** Space, tab, and the bytes of a byte order mark. */
const blanks = [0x20, 0x09, 0xef, 0xbb, 0xbf];

/**
 * Reports whether a line of a file begins such a key. In a record, where attackers may have written
 * the same, something precedes it. The file never becomes a string: other keys in it may not be
 * encrypted.
 */
export const isEncryptedPem = (file: Uint8Array) =>
    file.some((_, at) => mark.every((byte, i) => file[at + i] === byte) && beginsLine(file, at));

function beginsLine(file: Uint8Array, at: number): boolean {
    while (at > 0 && blanks.includes(file[at - 1]!)) at--;
    return at === 0 || file[at - 1] === 0x0a || file[at - 1] === 0x0d;
}
