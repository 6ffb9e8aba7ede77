import type { Bytes, EncryptOptions, Identity, Recipient } from "./core.js";

/**
 * A `TransformStream` that encrypts a file. With a passphrase, creating one takes a second or more.
 */
export class EncryptStream extends TransformStream<Bytes, Uint8Array<ArrayBuffer>> {
    constructor(recipients: Recipient | readonly Recipient[], options?: EncryptOptions);
}

/**
 * A `TransformStream` that opens a file, armored or not. It only returns authenticated data, but
 * only the end of the stream without an error shows that the file was not truncated.
 */
export class DecryptStream extends TransformStream<Bytes, Uint8Array<ArrayBuffer>> {
    constructor(identities: Identity | readonly Identity[]);
}
