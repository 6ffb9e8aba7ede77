// Decompression of Zstandard (RFC 8878) with one frame or many, on demand, by fzstd, in a chunk
// that is loaded after the worker. Checks that fzstd does not make are made here before it gets
// data: the memory that a frame needs, its end, its completeness. It imports nothing that the
// worker has too: the chunk would import the worker, and WebKit runs a worker that is imported
// again.
import { Decompress } from "fzstd";

type Bytes = Uint8Array<ArrayBuffer>;

/** The largest window in bytes: as much as `zstd -d` takes by default. */
const largestWindow = 1 << 27;
/** The largest block, packed or not (section 3.1.1.2.4). */
const largestBlock = 1 << 17;

interface Header {
    /** The bytes in the file. */
    bytes: Bytes;
    blockSize: number;
    /** The unpacked size of the frame, if it is given. */
    contentSize: number | undefined;
    hasChecksum: boolean;
}

export async function* unzstd(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
    const input = new Reader(pieces);
    try {
        while (!(await input.isAtEnd())) {
            const magic = numberOf(await input.take(4));
            if (magic === 0xfd2fb528) yield* frame(input);
            // A skippable frame.
            else if (magic >>> 4 === 0x184d2a5) await input.skip(numberOf(await input.take(4)));
            else throw new Error(
                    "After the Zstandard data there is something else, which was not read.",
                );
        }
    } finally {
        await input.end();
    }
}

async function* frame(input: Reader): AsyncGenerator<Bytes> {
    const header = await headerOf(input);
    let waiting: Bytes[] = [];
    let length = 0;
    const unpacker = new Decompress((bytes) => {
        if (bytes.length) waiting.push(bytes as Bytes);
        length += bytes.length;
    });
    const push = (bytes: Bytes, isLast: boolean) => {
        try {
            unpacker.push(bytes, isLast);
        } catch {
            throw damaged();
        }
    };
    let block = await input.take(3);
    push(joined(header.bytes, block), false);
    for (let isLast = false; !isLast;) {
        isLast = (block[0]! & 1) === 1;
        const body = await input.take(bodySize(block, header.blockSize));
        // The next block's header comes with it: fzstd keeps every piece that ends where a block
        // does.
        let missing: unknown;
        block = await input.take(isLast ? (header.hasChecksum ? 4 : 0) : 3).catch(
            (error: unknown) => {
                missing = error;
                return new Uint8Array();
            },
        );
        push(joined(body, block), isLast && !missing);
        // fzstd does not use it any more: it returns copies.
        yield* waiting;
        waiting = [];
        if (missing) throw missing;
    }
    if (header.contentSize !== undefined && header.contentSize !== length) throw damaged();
}

/** Reads the header of a frame (section 3.1.1.1). */
async function headerOf(input: Reader): Promise<Header> {
    const descriptor = await input.take(1);
    const flags = descriptor[0]!;
    const isSingle = (flags & 0x20) !== 0;
    const [sizeFlag, idLength] = [flags >> 6, [0, 1, 2, 4][flags & 3]!];
    const sizeLength = sizeFlag ? 1 << sizeFlag : isSingle ? 1 : 0;
    const rest = await input.take((isSingle ? 0 : 1) + idLength + sizeLength);
    const size = rest.subarray(rest.length - sizeLength);
    const contentSize = sizeLength ? numberOf(size) + (sizeLength === 2 ? 256 : 0) : undefined;
    const window = isSingle ? contentSize! : windowOf(rest[0]!);
    if (window > largestWindow)
        throw new Error(
            `Unpacking this Zstandard file needs ${
                Math.ceil(window / (1 << 20)).toLocaleString("en")
            } MiB of memory; this page allows 128 MiB. Run zstd -d --long=31 on it, and choose the result.`,
        );
    if (
        numberOf(rest.subarray(rest.length - sizeLength - idLength, rest.length - sizeLength)) !== 0
    )
        throw new Error(
            "This Zstandard file was packed with a dictionary, which the page does not have. Run zstd -d -D on it with the dictionary, and choose the result.",
        );
    const magic = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
    return {
        bytes: joined(magic, descriptor, rest),
        blockSize: Math.min(window, largestBlock),
        contentSize,
        hasChecksum: (flags & 4) !== 0,
    };
}

/** Returns the size of the window (section 3.1.1.1.2). */
function windowOf(descriptor: number): number {
    const base = 2 ** (10 + (descriptor >> 3));
    return base + (base / 8) * (descriptor & 7);
}

/** Returns the number of bytes after a block's header (section 3.1.1.2). */
function bodySize(header: Bytes, largest: number): number {
    const [type, size] = [(header[0]! >> 1) & 3, numberOf(header) >> 3];
    if (type === 3 || size > largest) throw damaged();
    return type === 1 ? 1 : size;
}

/** Returns a number from bytes, the lowest first. */
const numberOf = (bytes: Uint8Array) => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);

function joined(...parts: Bytes[]): Bytes {
    const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

const damaged = () =>
    new Error(
        "The Zstandard data is damaged: copy the file again, or ask for it once more. The data before that was read.",
    );
const cut = () =>
    new Error(
        "The Zstandard data is cut off: copy the file again, or wait until it is written. The data before that was read.",
    );

/** A reader of requested bytes from pieces. */
class Reader {
    readonly #pieces: AsyncIterator<Bytes>;
    #piece: Bytes = new Uint8Array();
    #at = 0;

    constructor(pieces: AsyncIterable<Bytes>) {
        this.#pieces = pieces[Symbol.asyncIterator]();
    }

    async isAtEnd(): Promise<boolean> {
        while (this.#at === this.#piece.length) {
            const next = await this.#pieces.next();
            if (next.done) return true;
            [this.#piece, this.#at] = [next.value, 0];
        }
        return false;
    }

    async take(length: number): Promise<Bytes> {
        const parts: Bytes[] = [];
        for (let missing = length; missing > 0;) {
            const part = await this.#upTo(missing);
            parts.push(part);
            missing -= part.length;
        }
        return parts.length === 1 ? parts[0]! : joined(...parts);
    }

    async skip(length: number): Promise<void> {
        for (let missing = length; missing > 0;) missing -= (await this.#upTo(missing)).length;
    }

    /** Ends the input, so that nothing more is read. */
    async end(): Promise<void> {
        await this.#pieces.return?.();
    }

    async #upTo(length: number): Promise<Bytes> {
        if (await this.isAtEnd()) throw cut();
        const part = this.#piece.subarray(this.#at, this.#at + length);
        this.#at += part.length;
        return part;
    }
}
