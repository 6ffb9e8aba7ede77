// An input as it comes into text: gzip is unpacked, other packers are named. A file's first bytes tell, not its name.
import { type Input, streamOf } from "./slices.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** What browsers cannot unpack, and what can. */
const others: [name: string, magic: number[], format: string, command: string][] = [
    ["Zstandard", [0x28, 0xb5, 0x2f, 0xfd], "zstd", "zstd -d"],
    ["zip", [0x50, 0x4b, 0x03, 0x04], "", "unzip"],
    ["LZ4", [0x04, 0x22, 0x4d, 0x18], "", "lz4 -d"],
    ["xz", [0xfd, 0x37, 0x7a, 0x58], "", "xz -d"],
    ["bzip2", [0x42, 0x5a, 0x68], "", "bzip2 -d"],
];
/** What is read elsewhere, by the characters that it begins with. */
const notRead: [name: string, magic: string, advice: string][] = [
    ["a Parquet file", "PAR1", "run `pqseal logs open` on it"],
    ["an Avro file", "Obj\x01", "convert it to JSON or Parquet"],
    ["an ORC file", "ORC", "convert it to JSON or Parquet"],
    ["a PDF", "%PDF", "export the records as JSON or CSV"],
];

/** `read` hears of each piece of the file. */
export async function unpacked(source: Input, read: (length: number) => void): Promise<ReadableStream<string>> {
    const beginning = await source.read(0, Math.min(4, source.size));
    const counted = streamOf(source).pipeThrough(
        new TransformStream<Bytes, Bytes>({
            transform(chunk, controller) {
                read(chunk.length);
                controller.enqueue(chunk);
            },
        }),
    );
    const unpacker = unpackerFor(beginning);
    return (unpacker ? counted.pipeThrough(unpacker) : counted).pipeThrough(new TextDecoderStream(encodingOf(beginning)));
}

/** By its byte order mark: Windows PowerShell writes UTF-16. */
function encodingOf(beginning: Uint8Array): string {
    if (beginning[0] === 0xff && beginning[1] === 0xfe) return "utf-16le";
    return beginning[0] === 0xfe && beginning[1] === 0xff ? "utf-16be" : "utf-8";
}

function unpackerFor(beginning: Uint8Array): ReadableWritablePair<Bytes, Bytes> | undefined {
    if (mayBegin(beginning, 0)) return gunzip();
    const starts = (magic: number[]) => magic.every((byte, i) => beginning[i] === byte);
    const other = notRead.find(([, magic]) => String.fromCharCode(...beginning).startsWith(magic));
    if (other) throw new Error(`This is ${other[0]}, which this page does not read: ${other[2]}.`);
    const packed = others.find(([, magic]) => starts(magic));
    if (!packed) return undefined;
    const [name, , format, command] = packed;
    try {
        return new DecompressionStream(format as CompressionFormat);
    } catch {
        throw new Error(`This file is packed with ${name}, which this browser cannot unpack: run ${command} on it, and choose the result.${workbook(name)}`);
    }
}

/** Spreadsheets are zip, too. */
const workbook = (name: string) => (name === "zip" ? " If it is a workbook of Excel, save it as CSV." : "");

/** The engine's own words for damage are of no help. */
function gunzip(): TransformStream<Bytes, Bytes> {
    const unpacker = new Gunzip();
    const named = async (step: Promise<void>) => {
        await step.catch(() => {
            throw new Error("The gzip data is damaged or cut off. What came before that was read.");
        });
    };
    return new TransformStream({
        transform: (chunk, controller) => named(unpacker.transform(chunk, controller)),
        flush: (controller) => named(unpacker.flush(controller)),
    });
}

/** As many bytes as tell that a member may begin: two of magic, the one method there is, flags of which three are not defined. */
const headLength = 4;
const mayBegin = (bytes: Uint8Array, at: number): boolean =>
    bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8 && (bytes[at + 3] ?? 0xff) < 0x20;

/**
 * gzip of one member or of many: what appends to logs writes many, and a browser unpacks one and refuses the rest.
 * It does not say where that one ended, but a member ends with its unpacked length (RFC 1952, section 2.3.1): where another may begin
 * and the length is right, one has ended, and the browser then checks its CRC.
 */
class Gunzip implements Transformer<Bytes, Bytes> {
    #member: Member | undefined;
    #held: Bytes = new Uint8Array();

    async transform(chunk: Bytes, controller: TransformStreamDefaultController<Bytes>): Promise<void> {
        const bytes = new Uint8Array(this.#held.length + chunk.length);
        bytes.set(this.#held);
        bytes.set(chunk, this.#held.length);
        // A beginning may be cut in two: what is too short to tell waits.
        const end = Math.max(bytes.length - headLength + 1, 0);
        await this.#take(bytes.subarray(0, end), bytes, controller);
        this.#held = bytes.slice(end);
    }

    async flush(controller: TransformStreamDefaultController<Bytes>): Promise<void> {
        await this.#take(this.#held, this.#held, controller);
        await this.#member?.end();
    }

    /** `ahead` goes on beyond `bytes`, for beginnings that start within them. */
    async #take(bytes: Bytes, ahead: Bytes, controller: TransformStreamDefaultController<Bytes>): Promise<void> {
        let from = 0;
        for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
            if (!mayBegin(ahead, at)) continue;
            await this.#member?.write(bytes.subarray(from, at));
            from = at;
            if (this.#member && !(await this.#member.isWhole())) continue;
            await this.#member?.end();
            this.#member = new Member(controller);
        }
        await this.#member?.write(bytes.subarray(from));
    }
}

class Member {
    readonly #unpacker = new DecompressionStream("gzip");
    readonly #writer = this.#unpacker.writable.getWriter();
    readonly #given: Promise<void>;
    #length = 0;
    #last = new Uint8Array(4);

    constructor(controller: TransformStreamDefaultController<Bytes>) {
        this.#given = this.#give(controller);
        // It is awaited in `end`, and what fails there fails in `write` before.
        this.#given.catch(() => undefined);
    }

    async write(bytes: Bytes): Promise<void> {
        if (bytes.length === 0) return;
        await this.#writer.write(bytes);
        this.#last = new Uint8Array([...this.#last, ...bytes.subarray(-4)].slice(-4));
    }

    /** Whether it ends here, as far as its length tells. */
    async isWhole(): Promise<boolean> {
        const length = new DataView(this.#last.buffer).getUint32(0, true);
        // What is unpacked may still be on its way.
        if (length !== this.#length) await new Promise((resolve) => setTimeout(resolve));
        return length === this.#length;
    }

    async end(): Promise<void> {
        await this.#writer.close();
        await this.#given;
    }

    async #give(controller: TransformStreamDefaultController<Bytes>): Promise<void> {
        // Safari has no `for await` for streams.
        const reader = this.#unpacker.readable.getReader();
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
            this.#length = (this.#length + next.value.length) >>> 0;
            controller.enqueue(next.value);
        }
    }
}
