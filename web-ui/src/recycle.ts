// Buffers that go to and fro between threads. Chromium keeps one that came in a message until it collects an object of its own, which it does
// late, or until the buffer is sent on. So the same few are sent again and again, where hundreds would wait.
import { release } from "./release.ts";

/** In bytes: sizes are rounded up to it, so that a buffer fits another time. */
const unit = 1 << 17;
/** More wait only if threads were added and removed. */
const mostSpare = 16;

/** A new one of at least so many bytes. */
export const bufferOf = (size: number) => new ArrayBuffer(Math.ceil(size / unit) * unit);

export class Buffers {
    #spare: ArrayBuffer[] = [];

    /** One of at least so many bytes, with what was in it. */
    take(size: number): ArrayBuffer {
        const at = this.#spare.findIndex(({ byteLength }) => byteLength >= size);
        return at < 0 ? bufferOf(size) : this.#spare.splice(at, 1)[0]!;
    }

    /** A buffer that was sent has no bytes here any more, and is not kept. */
    give(buffer: ArrayBuffer): void {
        if (buffer.byteLength && this.#spare.length < mostSpare) this.#spare.push(buffer);
        else release({ buffer });
    }

    /** Overwrites and forgets them: opened data was in them. */
    clear(): void {
        for (const buffer of this.#spare) {
            new Uint8Array(buffer).fill(0);
            release({ buffer });
        }
        this.#spare = [];
    }
}
