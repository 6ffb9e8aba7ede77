// Files as standard streams, around the classes of core.js that take a file piece by piece.
import { Decryptor, Encryptor } from "./core.js";

/**
 * In bytes: what goes into wasm memory at a time, so that it stays small whatever the chunks of the
 * stream are.
 */
const most = 256 * 1024;

function* pieces(chunk) {
    const isBytes = chunk instanceof ArrayBuffer || ArrayBuffer.isView(chunk);
    // What is not bytes is refused by the class.
    if (!isBytes) return yield chunk;
    const bytes = chunk instanceof ArrayBuffer
        ? new Uint8Array(chunk)
        : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; at += most) yield bytes.subarray(at, at + most);
}

/** What frees `file` once the stream has ended, failed or was cancelled. */
function transformer(file) {
    const attempt = (work) => {
        try {
            work();
        } catch (error) {
            file.free();
            throw error;
        }
    };
    const give = (controller, bytes) => {
        if (bytes.length > 0) controller.enqueue(bytes);
    };
    return {
        transform(chunk, controller) {
            attempt(() => {
                for (const piece of pieces(chunk)) give(controller, file.push(piece));
            });
        },
        flush(controller) {
            attempt(() => give(controller, file.finish()));
            file.free();
        },
        cancel: () => file.free(),
    };
}

export class EncryptStream extends TransformStream {
    constructor(recipients, options) {
        super(transformer(new Encryptor(recipients, options)));
    }
}

export class DecryptStream extends TransformStream {
    constructor(identities) {
        super(transformer(new Decryptor(identities)));
    }
}
