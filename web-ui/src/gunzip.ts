// Decompression of gzip with one member or many, on demand.

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The bytes given to the browser at once. It unpacks all of them, and deflate expands each to up to
 * 1032 bytes, so this bounds memory.
 */
const partSize = 1 << 12;

/**
 * The bytes that show that a member may begin: two of magic, one for the only method, flags of
 * which three are not defined.
 */
const headLength = 4;
export const mayBegin = (bytes: Uint8Array, at: number): boolean =>
    bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8
    && (bytes[at + 3] ?? 0xff) < 0x20;

/**
 * Unpacks all members. Programs that append to logs write many, and a browser unpacks one and
 * refuses the rest without telling where it ended. But a member ends with its unpacked length (RFC
 * 1952, section 2.3.1): where another may begin and the length is right, one has ended, and the
 * browser then checks its CRC.
 */
export async function* gunzipped(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
    const members = new Members();
    let held: Bytes = new Uint8Array();
    for await (const piece of pieces) {
        const bytes = new Uint8Array(held.length + piece.length);
        bytes.set(held);
        bytes.set(piece, held.length);
        // The beginning of a member may be split, so bytes that are too few to decide wait.
        const end = Math.max(bytes.length - headLength + 1, 0);
        yield* members.take(bytes.subarray(0, end), bytes);
        held = bytes.slice(end);
    }
    yield* members.take(held, held);
    yield* members.end();
}

class Members {
    #member: Member | undefined;

    /** Unpacks bytes. `ahead` continues beyond `bytes`, for members that begin at their end. */
    async *take(bytes: Bytes, ahead: Bytes): AsyncGenerator<Bytes> {
        let from = 0;
        for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
            if (!mayBegin(ahead, at)) continue;
            if (this.#member) yield* this.#member.take(bytes.subarray(from, at));
            from = at;
            if (this.#member && !this.#member.isWhole()) continue;
            yield* this.end();
            this.#member = new Member();
        }
        if (this.#member) yield* this.#member.take(bytes.subarray(from));
    }

    async *end(): AsyncGenerator<Bytes> {
        if (this.#member) yield* this.#member.end();
    }
}

class Member {
    readonly #unpacker = new DecompressionStream("gzip");
    readonly #writer = this.#unpacker.writable.getWriter();
    readonly #reader = this.#unpacker.readable.getReader();
    /** The pending read of output. */
    #next: Promise<ReadableStreamReadResult<Bytes>> | undefined;
    #length = 0;
    #last = new Uint8Array(4);

    async *take(bytes: Bytes): AsyncGenerator<Bytes> {
        for (let from = 0; from < bytes.length; from += partSize)
            yield* this.#until(this.#writer.write(bytes.subarray(from, from + partSize)));
        this.#last = new Uint8Array([...this.#last, ...bytes.subarray(-4)].slice(-4));
    }

    /** Reports whether it may end here, judging by its length. */
    isWhole(): boolean {
        return new DataView(this.#last.buffer).getUint32(0, true) === this.#length;
    }

    async *end(): AsyncGenerator<Bytes> {
        yield* this.#until(this.#writer.close());
    }

    /**
     * Yields the output until `step` is done. Its output is in the stream by then, and is read
     * before `step` is seen to be done.
     */
    async *#until(step: Promise<void>): AsyncGenerator<Bytes> {
        const done = step.then(() => undefined);
        // The engine's own messages for damage do not help.
        const damaged = () => {
            throw new Error("The gzip data is damaged or cut off. The data before that was read.");
        };
        for (;;) {
            this.#next ??= this.#reader.read();
            const next = await Promise.race([this.#next, done]).catch(damaged);
            if (!next) return;
            this.#next = undefined;
            if (next.done) return void (await done.catch(damaged));
            this.#length = (this.#length + next.value.length) >>> 0;
            yield next.value;
        }
    }
}
