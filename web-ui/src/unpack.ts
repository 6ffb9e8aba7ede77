// An input as text: gzip and Zstandard are unpacked, other formats are named in an error. A file's
// first bytes decide, not its name.
import { gunzipped, mayBegin } from "./gunzip.ts";
import { type Input, doneWith, streamOf } from "./slices.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Unpacker = (pieces: AsyncIterable<Bytes>) => AsyncIterable<Bytes>;

/** A chunk that is loaded after the worker. The page requests nothing later. */
const zstandard = import("./zstd.ts");
// Requested again where it is needed.
zstandard.catch(() => undefined);

/** The formats that the page does not unpack, and commands that do. */
const others: [name: string, magic: number[], command: string][] = [
    ["zip", [0x50, 0x4b, 0x03, 0x04], "unzip"],
    ["LZ4", [0x04, 0x22, 0x4d, 0x18], "lz4 -d"],
    ["xz", [0xfd, 0x37, 0x7a, 0x58], "xz -d"],
    ["bzip2", [0x42, 0x5a, 0x68], "bzip2 -d"],
];
/** The formats that other programs read, by their first characters. */
const notRead: [name: string, magic: string, advice: string][] = [
    ["a Parquet file", "PAR1", "run pqseal logs open on it"],
    ["an Avro file", "Obj\x01", "convert it to JSON or Parquet"],
    ["an ORC file", "ORC", "convert it to JSON or Parquet"],
    ["a PDF", "%PDF", "export the records as JSON or CSV"],
];

/** The minimum length of pieces in bytes. The first one must be enough to detect the format. */
const pieceSize = 1 << 18;

const encoder = new TextEncoder();

/**
 * Yields the text in UTF-8, in pieces, each made on demand so that unpacked data does not fill
 * memory. `read` gets the length of each piece read.
 */
export async function* unpacked(source: Input,
    read: (length: number) => void): AsyncGenerator<Bytes>
{
    const unpack = await unpackerFor(await source.read(0, Math.min(4, source.size)));
    const pieces = piecesOf(source, read);
    let beginning = true;
    let decoder: TextDecoder | undefined;
    for await (const piece of unpack ? gathered(unpack(pieces)) : pieces) {
        if (beginning) decoder = decoderFor(piece);
        if (decoder) yield encoder.encode(decoder.decode(piece, { stream: true }));
        else yield beginning && hasMark(piece) ? piece.subarray(mark.length) : piece;
        beginning = false;
        doneWith(piece);
    }
    const rest = decoder?.decode();
    if (rest) yield encoder.encode(rest);
}

async function* piecesOf(source: Input, read: (length: number) => void): AsyncGenerator<Bytes> {
    // Safari has no `for await` for streams.
    const reader = streamOf(source).getReader();
    try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
            read(next.value.length);
            yield next.value;
        }
    } finally {
        // Otherwise the rest would still be read ahead.
        await reader.cancel().catch(() => undefined);
    }
}

/** Yields pieces of the minimum length. Data before an error is passed on too. */
async function* gathered(pieces: AsyncIterable<Bytes>): AsyncGenerator<Bytes> {
    let [parts, length]: [Bytes[], number] = [[], 0];
    const all = () => {
        const bytes = new Uint8Array(length);
        let at = 0;
        for (const part of parts) {
            bytes.set(part, at);
            at += part.length;
        }
        [parts, length] = [[], 0];
        return bytes;
    };
    let failed: { error: unknown } | undefined;
    try {
        for await (const piece of pieces) {
            parts.push(piece);
            length += piece.length;
            if (length >= pieceSize) yield all();
        }
    } catch (error) {
        failed = { error };
    }
    if (length) yield all();
    if (failed) throw failed.error;
}

/** The byte order mark of UTF-8. */
const mark = [0xef, 0xbb, 0xbf];
const hasMark = (beginning: Uint8Array) => mark.every((byte, i) => beginning[i] === byte);

/** Returns a decoder by the byte order mark: Windows PowerShell writes UTF-16. */
function decoderFor([first, second]: Uint8Array): TextDecoder | undefined {
    if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le");
    return first === 0xfe && second === 0xff ? new TextDecoder("utf-16be") : undefined;
}

async function unpackerFor(beginning: Uint8Array): Promise<Unpacker | undefined> {
    if (mayBegin(beginning, 0)) return gunzipped;
    if (isZstandard(beginning)) return (await zstd()).unzstd;
    const starts = (magic: number[]) => magic.every((byte, i) => beginning[i] === byte);
    const other = notRead.find(([, magic]) => String.fromCharCode(...beginning).startsWith(magic));
    if (other) throw new Error(`This is ${other[0]}, which this page does not read: ${other[2]}.`);
    const packed = others.find(([, magic]) => starts(magic));
    if (!packed) return undefined;
    const [name, , command] = packed;
    throw new Error(
        `This file is packed with ${name}, which this page does not unpack: run ${command} on it, and choose the result.${
            workbook(name)
        }`,
    );
}

/** Returns advice for zip files, which workbooks are too. */
const workbook = (
    name: string,
) => (name === "zip" ? " If it is a workbook of Excel, save it as CSV." : "");

/**
 * Reports whether a frame or a skippable frame begins here (RFC 8878, sections 3.1.1 and 3.1.2).
 */
const isZstandard = ([first = 0, ...rest]: Uint8Array) =>
    (first === 0x28 && rest.join() === "181,47,253")
    || (first >> 4 === 5 && rest.join() === "42,77,24");

const zstd = () =>
    zstandard.catch(() => {
        throw new Error(
            "A file of the page is missing on the server: Zstandard cannot be unpacked. Run zstd -d on it, and choose the result.",
        );
    });
