// The worker's end of an input. The page holds the input, and sends slices that the worker asks
// for.
import type { Slice } from "./protocol.ts";
import { Buffers } from "./recycle.ts";

/** The bytes of a slice: few messages, and little memory. */
const sliceSize = 1 << 20;

export interface Input {
    readonly size: number;
    read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

interface Waiting {
    resolve(bytes: Uint8Array<ArrayBuffer>): void;
    reject(error: Error): void;
}

/** Pending reads of each call, by number: a short one may be answered before a long one. */
const waiting = new Map<number, Map<number, Waiting>>();

const buffers = new Buffers();

/** Returns the buffer of a slice, for the next one. */
export const doneWith = ({ buffer }: Uint8Array<ArrayBuffer>) => buffers.give(buffer);

/** Creates an input. `ask` transfers the buffer. */
export function inputOf(id: number, size: number,
    ask: (read: number, from: number, to: number, buffer: ArrayBuffer) => void): Input
{
    const reads = new Map<number, Waiting>();
    waiting.set(id, reads);
    let last = 0;
    return {
        size,
        read: (from, to) =>
            new Promise((resolve, reject) => {
                reads.set(++last, { resolve, reject });
                ask(last, from, to, buffers.take(0));
            }),
    };
}

export function receiveSlice(slice: Slice): void {
    const reads = waiting.get(slice.id);
    const read = reads?.get(slice.read);
    reads?.delete(slice.read);
    if (slice.kind === "slice") read?.resolve(slice.bytes);
    else read?.reject(
            new Error(
                "The file cannot be read. If it was changed, moved or removed, choose it again.",
            ),
        );
}

export function forget(id: number): void {
    waiting.delete(id);
    buffers.clear();
}

/** Returns the whole input as a stream. One slice is read ahead while another is processed. */
export function streamOf(input: Input): ReadableStream<Uint8Array<ArrayBuffer>> {
    let from = 0;
    return new ReadableStream(
        {
            async pull(controller) {
                const to = Math.min(from + sliceSize, input.size);
                if (from < to) controller.enqueue(await input.read(from, to));
                from = to;
                if (from >= input.size) controller.close();
            },
        },
        { highWaterMark: 2 },
    );
}
