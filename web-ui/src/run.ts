// One pass over an input: read, unpack, split, open, output. The store keeps opened data as far as
// it has room; files are made on the fly.
import { type Batch, isDamaged } from "./batch.ts";
import { lenient } from "./binary.ts";
import { type Block, placeIn } from "./blocks.ts";
import { eachCell } from "./cells.ts";
import { Damage } from "./damage.ts";
import type { Writer } from "./export.ts";
import { isNotLoaded } from "./errors.ts";
import { type Found, eventsIn, isSealed, membersIn } from "./found.ts";
import type { Opening } from "./opening.ts";
import { refuseOthers } from "./refused-inputs.ts";
import { doneWith, mostBatches, openBatch } from "./pool.ts";
import type { Counts, Row, Run } from "./protocol.ts";
import type { Reader } from "./reader.ts";
import { release } from "./release.ts";
import type { Input } from "./slices.ts";
import type { Explorer } from "./store/explorer.ts";
import type { Member } from "./store/members.ts";
import { prefix } from "./store/types.ts";
import { addTally, noTally, tallyResult } from "./tally.ts";
import { unpacked } from "./unpack.ts";
import { unwrapped } from "./unwrap.ts";

/** A chunk that is loaded after the worker. The page requests nothing later. */
const loading = import("./reader.ts");
// Requested again where it is needed.
loading.catch(() => undefined);

/** Returns the chunk with the module for records. */
export const readerChunk = () =>
    loading.catch(() => {
        throw new Error("A file of the page is missing on the server: records cannot be read.");
    });

/** The time in milliseconds after which the page may cancel. */
const pause = 50;
/**
 * The minimum time between reports of progress: the browser lays out and paints the page each time.
 */
const reportInterval = 250;
const chunkSize = 1 << 20;

export interface Outside {
    cancelled(): boolean;
    report(part: { counts: Counts; row?: Row; chunk?: Uint8Array<ArrayBuffer> }): void;
}

/** Runs a pass. A file that cannot be read does not stop the others. */
export async function run(ask: Run, input: Input, opening: Opening, explorer: Explorer,
    writer: Writer, outside: Outside): Promise<Counts>
{
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
    const { Reader } = await readerChunk();
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
                reader = new Reader(bytes, name, pass.ask.fields);
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
    #damage = new Damage();
    /** What was written to a file and not yet reported. */
    #parts: Uint8Array[] = [];
    #written = 0;
    #lastPause = performance.now();
    #lastReport = performance.now();
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
        this.#write(writer.head);
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
        [this.#file, this.#record, this.#damage] = [file, 0, new Damage()];
        this.foundInFile = 0;
    }

    endFile(): void {
        this.problem(this.#damage.problem);
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
                    : this.#each([block], (block) => this.#take(block))))
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

    async #each<T>(all: T[], take: (one: T) => void | Promise<void>): Promise<boolean> {
        for (const one of all) {
            await take(one);
            if (!(await this.#pause())) return false;
        }
        return true;
    }

    /** Reports progress now and then, and lets the page cancel. Returns false if it has. */
    async #pause(): Promise<boolean> {
        if (performance.now() - this.#lastPause > pause) {
            if (performance.now() - this.#lastReport > reportInterval) this.report();
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
        const chunk = this.#written ? joined(this.#parts, this.#written) : undefined;
        this.outside.report({ counts: this.counts, ...(row && { row }), ...(chunk && { chunk }) });
        [this.#parts, this.#written] = [[], 0];
        this.#lastReport = performance.now();
    }

    /** Adds records that helpers opened to the store. */
    #add(batch: Batch, block: Block): void {
        for (const record of batch.damaged) this.#damage.add(placeIn(block, record));
        this.explorer.store.add(batch, this.#record, this.#file);
        doneWith(batch);
        release(block.lines, block.columns, block.numbers);
        addTally(this.counts, batch.tally);
        this.#record += batch.tally.records;
        this.foundInFile += batch.found;
    }

    /** Takes records for a file, or for the one requested row. */
    async #take(block: Block): Promise<void> {
        if (this.ask.output === "ndjson") return this.#takeLines(block);
        // All members are read, even those that the store lacks.
        const found = this.opening.find(block.records, 2 ** 32 - 1);
        const rows = await this.opening.rows(found, (row) => this.#isWanted(this.#next + row));
        for (const { record, event, from, to } of eventsIn(found)) {
            if (!this.#begin(found, from, to)) continue;
            const members = found.members ? membersIn(found.members, event) : [];
            for (const row of rows.slice(from, to)) {
                const isWanted = this.#isWanted(this.#next++);
                if (isWanted && row) this.#give(row, members, block, record);
            }
        }
    }

    /** Takes records for NDJSON, whose lines the engine writes. */
    async #takeLines(block: Block): Promise<void> {
        const wanted = (found: Found) =>
            Uint8Array.from(eventsIn(found), ({ from, to }) => Number(this.#areWanted(from, to)));
        const lines = await this.opening.lines(block, (found) => {
            const events = wanted(found);
            if (!events.includes(1)) {
                for (const { from, to } of eventsIn(found)) this.#begin(found, from, to);
            }
            return events;
        }, (found, rows) => {
            for (const { record, from, to } of eventsIn(found)) {
                if (!this.#begin(found, from, to)) continue;
                for (const row of rows.slice(from, to))
                    if (this.#isWanted(this.#next++) && row) this.#count(row, block, record);
            }
        });
        if (lines) this.#put(lines);
    }

    /** Begins an event with these rows. Returns true if one of them is wanted. */
    #begin({ states }: Found, from: number, to: number): boolean {
        if (this.isOver) return false;
        this.counts.records++;
        this.#record++;
        for (const state of states.subarray(from, to)) if (isSealed(state)) this.foundInFile++;
        const isWanted = this.#areWanted(0, to - from);
        if (!isWanted) this.#next += to - from;
        return isWanted;
    }

    /** Reports whether any of these rows is wanted, counted from the next one. */
    #areWanted(from: number, to: number): boolean {
        for (let row = from; row < to; row++) if (this.#isWanted(this.#next + row)) return true;
        return false;
    }

    #isWanted(row: number): boolean {
        const { output } = this.ask;
        if (row >= this.#end) return false;
        if (typeof output === "object") return output.row === row;
        return row < this.#kept.length ? this.#kept[row] === 1 : this.#hasMissing;
    }

    /** Counts a row of a record of the block. */
    #count({ field, result }: Pick<Row, "field" | "result">, block: Block, record: number): void {
        tallyResult(this.counts, result);
        if (isDamaged({ field, result })) this.#damage.add(placeIn(block, record));
    }

    #give(row: Row, event: Member[], block: Block, record: number): void {
        [row.record, row.file] = [this.#record, this.#file];
        this.#count(row, block, record);
        const { output, columns } = this.ask;
        if (typeof output === "object") {
            this.report({ ...row, event });
            this.counts.cancelled = true;
        } else this.#write(this.writer.row(row, this.#cells(row, event, columns)));
    }

    #cells(row: Row, event: Member[], columns: string[]): string[] {
        const cells = new Map([["r:file", row.file]]);
        eachCell(row, event, Infinity,
            (group, name, text) => cells.set(prefix[group] + name, text));
        return columns.map((id) => cells.get(id) ?? "");
    }

    #write(text: string): void {
        this.#put(new TextEncoder().encode(text));
    }

    #put(part: Uint8Array): void {
        if (!part.length) return;
        this.#parts.push(part);
        this.#written += part.length;
        if (this.#written > chunkSize) this.report();
    }
}

/** Joins parts of so many bytes together. */
function joined(parts: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
    const all = new Uint8Array(length);
    let end = 0;
    for (const part of parts) {
        all.set(part, end);
        end += part.length;
    }
    return all;
}
