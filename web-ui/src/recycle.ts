// Buffers that are sent back and forth between threads. Chromium keeps a buffer from a message
// until it collects an object of its own, which it does late, or until the buffer is sent on. So a
// few are reused; otherwise hundreds would wait.
import { release } from "./release.ts";

/** The unit of sizes in bytes. Sizes are rounded up to it, so that a buffer can be reused. */
const unit = 1 << 17;
/** The number of spare buffers. More only wait if threads were added and removed. */
const mostSpare = 16;

/** Returns a new buffer of at least this many bytes. */
export const bufferOf = (size: number) => new ArrayBuffer(Math.ceil(size / unit) * unit);

export class Buffers {
    #spare: ArrayBuffer[] = [];

    /** Returns a buffer of at least this many bytes, with its old content. */
    take(size: number): ArrayBuffer {
        const at = this.#spare.findIndex(({ byteLength }) => byteLength >= size);
        return at < 0 ? bufferOf(size) : this.#spare.splice(at, 1)[0]!;
    }

    /** Keeps a buffer. One that was sent has no bytes here any more, and is not kept. */
    give(buffer: ArrayBuffer): void {
        if (buffer.byteLength && this.#spare.length < mostSpare) this.#spare.push(buffer);
        else release({ buffer });
    }

    /** Overwrites and drops the buffers, which contained opened data. */
    clear(): void {
        for (const buffer of this.#spare) {
            new Uint8Array(buffer).fill(0);
            release({ buffer });
        }
        this.#spare = [];
    }
}
