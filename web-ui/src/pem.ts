// PEM files with private keys under a passphrase, as `openssl pkcs8` writes them.

const mark = new TextEncoder().encode("-----BEGIN ENCRYPTED PRIVATE KEY-----");
/** White space, or the end of a byte order mark. */
const isBlank = (byte: number) => byte <= 0x20 || byte === 0xbf;

/**
 * Whether such a key begins in a file, at its beginning or after white space: in a log it would be within quotes. No string is made of the
 * file: other keys in it may not be encrypted.
 */
export const isEncryptedPem = (file: Uint8Array) =>
    file.some((_, at) => (at === 0 || isBlank(file[at - 1]!)) && mark.every((byte, i) => file[at + i] === byte));
