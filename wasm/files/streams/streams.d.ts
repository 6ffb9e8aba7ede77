import type { Bytes, EncryptOptions, Identity, Recipient } from "./core.js";

/** A `TransformStream` that encrypts a file. With a passphrase, making one takes a second or more. */
export class EncryptStream extends TransformStream<Bytes, Uint8Array<ArrayBuffer>> {
    constructor(recipients: Recipient | readonly Recipient[], options?: EncryptOptions);
}

/**
 * A `TransformStream` that opens a file, armored or not. Nothing comes out before it is authenticated; but only when the stream ends without
 * an error is it known that the file was not cut.
 */
export class DecryptStream extends TransformStream<Bytes, Uint8Array<ArrayBuffer>> {
    constructor(identities: Identity | readonly Identity[]);
}
