// Key files by their marks: PEM with private keys under a passphrase, as written by `openssl pkcs8`,
// and keys that open no matched data.

const bytesOf = (text: string) => new TextEncoder().encode(text);
const encrypted = bytesOf("-----BEGIN ENCRYPTED PRIVATE KEY-----");
/** PKCS#8 and PKCS#1, which may have RSA keys, and an age identity. */
const others = ["-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----", "AGE-SECRET-KEY-"]
    .map(bytesOf);
/** The first byte of DER. */
const sequence = 0x30;
/** Space, tab, and the bytes of a byte order mark. */
const blanks = [0x20, 0x09, 0xef, 0xbb, 0xbf];

/** Reports whether a line of a file begins an encrypted private key. */
export const isEncryptedPem = (file: Uint8Array) => hasLine(file, encrypted);

/** Reports whether a file may have RSA keys or age identities. */
export const mayHaveOthers = (file: Uint8Array) =>
    file[0] === sequence || others.some((mark) => hasLine(file, mark));

/**
 * Reports whether a line of a file begins so. In a record, where attackers may have written the
 * same, something precedes it. The file never becomes a string: keys in it may not be encrypted.
 */
const hasLine = (file: Uint8Array, mark: Uint8Array) =>
    file.some((_, at) => mark.every((byte, i) => file[at + i] === byte) && beginsLine(file, at));

function beginsLine(file: Uint8Array, at: number): boolean {
    while (at > 0 && blanks.includes(file[at - 1]!)) at--;
    return at === 0 || file[at - 1] === 0x0a || file[at - 1] === 0x0d;
}
