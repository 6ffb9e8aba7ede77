// One pass over an input: read, unpack, split, open, output. The store keeps opened data as far as
// it has room; files are made on the fly.
import type { KeyRing } from "pqseal";
import { type Batch, isDamaged } from "./batch.ts";
import { lenient } from "./binary.ts";
import { type Block, type Piece, placeIn } from "./blocks.ts";
import { eachCell } from "./cells.ts";
import { damage, doubt } from "./damage.ts";
import type { Whole, Writer } from "./export.ts";
import { isNotLoaded } from "./errors.ts";
import { Opening, absentRow, badRecord } from "./opening.ts";
import { refuseOthers } from "./others.ts";
import { doneWith, mostBatches, openBatch } from "./pool.ts";
import type { Counts, Row, Run } from "./protocol.ts";
import type { Reader } from "./reader.ts";
import { type RecordOf, recordsOf, textsOf } from "./records.ts";
import { release } from "./release.ts";
import type { Input } from "./slices.ts";
import type { Explorer } from "./store/explorer.ts";
import type { Member } from "./store/members.ts";
import { prefix } from "./store/types.ts";
import { addTally, noTally, tallyResult } from "./tally.ts";
import { fromUtf8 } from "./transfer.ts";
import { unpacked } from "./unpack.ts";
import { unwrapped } from "./unwrap.ts";

/** A chunk that is loaded after the worker. The page requests nothing later. */
const reader = import("./reader.ts");
// Requested again where it is needed.
reader.catch(() => undefined);

const readers = () =>
    reader.catch(() => {
        throw new Error("A file of the page is missing on the server: records cannot be read.");
    });

/** The time in milliseconds after which the page may cancel. */
const pause = 50;
/**
 * The minimum time between reports of progress: the browser lays out and paints the page each time.
 */
const news = 250;
const chunkSize = 1 << 20;

export interface Outside {
    cancelled(): boolean;
    report(part: { counts: Counts; row?: Row; chunk?: Uint8Array<ArrayBuffer> }): void;
}

/** Runs a pass. A file that cannot be read does not stop the others. */
export async function run(ask: Run, input: Input, ring: KeyRing, explorer: Explorer, writer: Writer,
    outside: Outside): Promise<Counts>
{
    const opening = new Opening(ring, ask.fields, ask.options);
    const pass = new Pass(ask, opening, explorer, writer, outside);
    let start = 0;
    for (const { name, size } of ask.files) {
        pass.begin(ask.files.length > 1 ? name : "");
        await goThrough(partOf(input, start, size), name, pass).catch(async (error: Error) => {
            if (isNotLoaded(error)) throw error;
            // Records read before the failure are still opened.
            await pass.settle();
            pass.problem(error.message);
        });
        pass.endFile();
        if (pass.isOver) break;
        pass.counts.bytesRead = start += size;
    }
    pass.end();
    return pass.counts;
}

const partOf = (input: Input, start: number, size: number): Input => ({
    size,
    read: (from, to) => input.read(start + from, start + to),
});

async function goThrough(input: Input, name: string, pass: Pass): Promise<void> {
    const { Reader } = await readers();
    let reader: Reader | undefined;
    try {
        for await (const piece of unpacked(input, (length) => (pass.counts.bytesRead += length))) {
            let bytes = piece;
            if (!reader) {
                // A wrapped blob is shorter than a piece.
                const beginning = lenient.decode(piece);
                const text = unwrapped(beginning);
                if (text !== beginning) bytes = new TextEncoder().encode(text);
                refuseOthers(text);
                reader = new Reader(bytes, name, pass.opening.fields);
            }
            if (!(await pass.take(reader.feed(bytes)))) break;
        }
        if (reader && !pass.isOver) await finish(reader, pass);
    } finally {
        reader?.free();
    }
}

async function finish(reader: Reader, pass: Pass): Promise<void> {
    await pass.take(reader.end());
    await pass.settle();
    pass.problem(reader.problem);
    if (reader.hint && pass.foundInFile === 0) throw new Error(reader.hint);
}

const piecesOf = (block: Block): Piece[] =>
    fromUtf8(block.records).map((text, i) => ({ text, ...placeIn(block, i) }));

class Pass {
    readonly counts: Counts = {
        ...noTally(),
        bytesRead: 0,
        bytesTotal: 0,
        seconds: 0,
        cancelled: false,
        problems: [],
    };
    readonly #begun = performance.now();
    /** The next row's number. */
    #next = 0;
    #file = "";
    /** The record's number within its file. */
    #record = 0;
    /** The number of blobs in the file. */
    foundInFile = 0;
    #damage = damage();
    #doubt = doubt();
    #lines: string[] = [];
    #linesLength = 0;
    #lastPause = performance.now();
    #lastNews = performance.now();
    /** The batches that helpers are opening, in the order of the records. */
    #batches: { block: Block; opened: Promise<Batch> }[] = [];
    /**
     * Flags by row: 1 if it is selected. An export has the rows that were selected when it started.
     */
    readonly #kept: Uint8Array;
    /**
     * Set if rows without room in the store are exported. Either all or none are, since filters did
     * not see them.
     */
    readonly #hasMissing: boolean;
    /**
     * The number of rows of an export. If the user stopped the run that filled the store, it is the
     * number read by then.
     */
    readonly #end: number = Infinity;

    constructor(readonly ask: Run, readonly opening: Opening, readonly explorer: Explorer,
        readonly writer: Writer, readonly outside: Outside)
    {
        this.counts.bytesTotal = ask.files.reduce((sum, { size }) => sum + size, 0);
        [this.#kept, this.#hasMissing] = [explorer.kept, !explorer.isFiltered];
        if (this.#isExport && explorer.isStopped)
            this.#end = explorer.store.size + explorer.store.missing;
        if (writer.head) this.#lines.push(writer.head);
    }

    get #isExport(): boolean {
        return this.ask.output === "ndjson" || this.ask.output === "csv";
    }

    /** Reports whether the rest of the input is not needed. */
    get isOver(): boolean {
        return this.counts.cancelled || this.#next >= this.#end;
    }

    /** Begins a file, with its name if there are several. */
    begin(file: string): void {
        [this.#file, this.#record, this.#damage, this.#doubt] = [file, 0, damage(), doubt()];
        this.foundInFile = 0;
    }

    endFile(): void {
        this.problem(this.#damage.problem);
        this.problem(this.#doubt.problem);
    }

    problem(message: string | undefined): void {
        if (message) this.counts.problems.push(this.#file ? `${this.#file}: ${message}` : message);
    }

    /**
     * Takes blocks. Returns false when the user has stopped the run. Helpers open rows, which are
     * used in their order.
     */
    async take(blocks: Iterable<Block>): Promise<boolean> {
        // A file may unpack into a lot of data without records.
        if (!(await this.#pause())) return false;
        for (const block of blocks) {
            if (
                !(await (this.ask.output === "rows"
                    ? this.#open(block)
                    : this.#each(piecesOf(block), (piece) => this.#take(piece))))
            ) return false;
        }
        return true;
    }

    #open(block: Block): Promise<boolean> {
        const opened = openBatch(block.records);
        // It is awaited later, and fails there.
        opened.catch(() => undefined);
        this.#batches.push({ block, opened });
        return this.settle(mostBatches());
    }

    /** Takes the results of helpers until at most `most` batches are in transit. */
    async settle(most = 0): Promise<boolean> {
        while (this.#batches.length > most && !this.counts.cancelled) {
            const { block, opened } = this.#batches.shift()!;
            await this.#each([await opened], (batch) => this.#add(batch, block));
        }
        return !this.counts.cancelled;
    }

    async #each<T>(all: T[], take: (one: T) => void): Promise<boolean> {
        for (const one of all) {
            take(one);
            if (!(await this.#pause())) return false;
        }
        return true;
    }

    /** Reports progress now and then, and lets the page cancel. Returns false if it has. */
    async #pause(): Promise<boolean> {
        if (performance.now() - this.#lastPause > pause) {
            if (performance.now() - this.#lastNews > news) this.report();
            // Lets the message arrive by which the page cancels.
            await new Promise((resolve) => setTimeout(resolve));
            this.#lastPause = performance.now();
            this.counts.cancelled ||= this.outside.cancelled();
        }
        return !this.isOver;
    }

    /** Ends the pass. Data opened before an error is shown too. */
    end(): void {
        if (this.ask.output === "rows") this.explorer.isStopped = this.counts.cancelled;
        else if (this.#isExport && !this.counts.cancelled) this.#tellMissing();
        this.report();
    }

    /** Reports what a file lacks. */
    #tellMissing(): void {
        const missing = this.#hasMissing ? 0 : this.#next - this.#kept.length;
        if (missing > 0)
            this.counts.problems.push(
                `${
                    missing.toLocaleString("en")
                } are not in the file: there was no room to keep them, so filters did not see them.`,
            );
        if (this.explorer.isStopped)
            this.counts.problems.push(
                "The file has only what was read before you cancelled. For the rest, open the input again and let it finish.",
            );
    }

    report(row?: Row): void {
        this.counts.seconds = (performance.now() - this.#begun) / 1000;
        const chunk = this.#lines.length
            ? new TextEncoder().encode(this.#lines.join(""))
            : undefined;
        this.outside.report({ counts: this.counts, ...(row && { row }), ...(chunk && { chunk }) });
        [this.#lines, this.#linesLength] = [[], 0];
        this.#lastNews = performance.now();
    }

    /** Adds records that helpers opened to the store. */
    #add(batch: Batch, block: Block): void {
        for (const text of batch.damaged) this.#damage.add(placeIn(block, text));
        for (const text of batch.unclear) this.#doubt.add(placeIn(block, text));
        this.explorer.store.add(batch, this.#record, this.#file);
        doneWith(batch);
        release(block.lines, block.columns);
        addTally(this.counts, batch.tally);
        this.#record += batch.tally.records;
        this.foundInFile += batch.found;
    }

    /** Takes records for a file, or for the one requested row. */
    #take(piece: Piece): void {
        // All members are read, even those that the store lacks.
        const read = recordsOf(piece.text, this.opening.fields, Infinity);
        if (!read) {
            const whole = { text: piece.text, found: [], rows: [badRecord()], around: [] };
            return this.#give(piece, whole, []);
        }
        if (read.isUnclear) this.#doubt.add(piece);
        const count = read.records.reduce((sum, { found }) => sum + Math.max(1, found.length), 0);
        // Only this format has them.
        const hasTexts = this.ask.output === "ndjson" && !read.isWhole && this.#areWanted(count);
        const texts = hasTexts ? textsOf(piece.text, this.opening.fields) : [piece.text];
        read.records.forEach((record, i) => this.#takeRecord(piece, record, texts[i] ?? ""));
    }

    #takeRecord(piece: Piece, { found, members, around }: RecordOf, text: string): void {
        this.foundInFile += found.length;
        // A record without sealed data is a row, too.
        const count = Math.max(1, found.length);
        // Rows that are not exported need not be opened.
        if (!this.#areWanted(count)) {
            this.#count();
            return void (this.#next += count);
        }
        const isNdjson = this.ask.output === "ndjson";
        this.#give(piece, {
            text,
            found,
            rows: found.length ? this.opening.rows(found) : [absentRow()],
            around: isNdjson ? around() : [],
        }, isNdjson ? [] : members());
    }

    #count(): void {
        this.counts.records++;
        this.#record++;
    }

    /** Reports whether any of the next `count` rows is wanted. */
    #areWanted = (count: number) =>
        Array.from({ length: count }).some((_, i) => this.#isWanted(this.#next + i));

    #isWanted(row: number): boolean {
        const { output } = this.ask;
        if (typeof output === "object") return output.row === row;
        return row < this.#kept.length ? this.#kept[row] === 1 : this.#hasMissing;
    }

    /** Gives a record's rows. `event` are its members. */
    #give(piece: Piece, whole: Whole, event: Member[]): void {
        this.#count();
        const wanted = whole.rows.filter(() => this.#isWanted(this.#next++));
        for (const row of wanted) {
            [row.record, row.file] = [this.#record, this.#file];
            tallyResult(this.counts, row.result);
            if (isDamaged(row)) this.#damage.add(piece);
        }
        const [first] = wanted;
        if (!first) return;
        const { output, columns } = this.ask;
        if (typeof output === "object") {
            this.report({ ...first, event });
            this.counts.cancelled = true;
        } else if (output === "ndjson") this.#write(this.writer.record(whole));
        else {
            for (const row of wanted)
                this.#write(this.writer.row(row, this.#cells(row, event, columns)));
        }
    }

    #cells(row: Row, event: Member[], columns: string[]): string[] {
        const cells = new Map([["r:file", row.file]]);
        eachCell(row, event, Infinity,
            (group, name, text) => cells.set(prefix[group] + name, text));
        return columns.map((id) => cells.get(id) ?? "");
    }

    #write(line: string): void {
        this.#lines.push(line);
        this.#linesLength += line.length;
        if (this.#linesLength > chunkSize) this.report();
    }
}
