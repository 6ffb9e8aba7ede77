// Opened data in columns, in the worker's memory, until the page is cleared or another input is
// opened.
import { type Batch, absentFlag, binaryFlag, cellCountAt, head, okFlag,
    partialFlag } from "../batch.ts";
import { bytesOfCharacters, lenient } from "../binary.ts";
import { release } from "../release.ts";
import { BatchTexts } from "./batch-texts.ts";
import { Column, columnCost, unheld } from "./column.ts";
import { Room, forPayloads, forRows, usualRoom } from "./room.ts";
import { areTimes, timeOf, timeRank } from "./time.ts";
import { type ColumnFacts, type Group, type Outcome, prefix } from "./types.ts";

/** The maximum number of columns, since names can come from attackers. */
const mostColumns = 300;

/** The cost of a row besides its columns, in bytes: the record's number, flags and a time. */
const rowCost = 13;
/** The number of a column's texts that decide whether it has times. */
const mostAsked = 10;
/** The number of different texts from which on a column may be dropped, to make room for others. */
const many = 1000;

const groups: Record<string, Group> = { r: "result", e: "event", p: "payload" };

export class Store {
    readonly room: Room;
    readonly columns = new Map<string, Column>();
    readonly payloads: Column;
    /** The columns that were dropped, to make room for others. */
    readonly dropped = new Set<string>();
    /** By row, milliseconds since 1970 or NaN. */
    times = new Float64Array(256).fill(NaN);
    /** The id of the column with the times. */
    timeColumn: string | undefined;
    size = 0;
    /** The number of rows for which there was no room at all. They come after the others. */
    missing = 0;
    /** The numbers of rows without their opened data, and without some of their members. */
    unheld = 0;
    partial = 0;
    /**
     * The names of members without a column, as far as there was room, and whether there are more.
     */
    readonly leftOut = new Set<string>();
    moreLeftOut = false;
    #records = new Uint32Array(256);
    #flags = new Uint8Array(256);

    /** Creates a store with so many bytes of memory. */
    constructor(bytes = usualRoom) {
        this.room = new Room(bytes);
        this.payloads = new Column(this.room, forPayloads);
    }

    /**
     * Adds the rows of some records of a file, with its name if there are several. `before` is the
     * number of its earlier records.
     */
    add(batch: Batch, before: number, file: string): void {
        const { columns, rows } = batch;
        const texts = new BatchTexts(batch.texts);
        const known: (Column | undefined)[] = [];
        for (let at = 0; at < rows.length; at += head + 2 * rows[at + cellCountAt]!) {
            if (this.size === this.#records.length && !this.#grow()) {
                this.missing++;
                continue;
            }
            const row = this.size++;
            this.#records[row] = before + rows[at]! + 1;
            this.#flags[row] = rows[at + 1]!;
            if (!this.payloads.set(row, texts.number(rows[at + 2]!, this.payloads))) this.unheld++;
            if (file) this.#setText("r:file", row, file);
            if (
                this.#addCells(row, columns, texts,
                    rows.subarray(at + head, at + head + 2 * rows[at + cellCountAt]!), known)
            ) continue;
            this.#flags[row]! |= partialFlag;
            this.partial++;
        }
    }

    record = (row: number) => this.#records[row] ?? 0;
    isOpened = (row: number) => ((this.#flags[row] ?? 0) & okFlag) !== 0;
    isAbsent = (row: number) => ((this.#flags[row] ?? 0) & absentFlag) !== 0;
    isPartial = (row: number) =>
        this.dropped.size > 0 || ((this.#flags[row] ?? 0) & partialFlag) !== 0;

    text(id: string, row: number): string {
        return this.columns.get(id)?.text(row) ?? "";
    }

    /**
     * Returns the opened data, or the reason why there is none. Bytes that are not UTF-8 stay
     * unchanged.
     */
    outcome(row: number): Outcome {
        const text = this.payloads.text(row);
        if (!this.isOpened(row))
            return { ok: false, code: this.text("r:result", row) as "no_key", message: text };
        const of = {
            ok: true as const,
            keyId: this.text("r:key", row),
            held: this.payloads.at(row) !== unheld,
        };
        if ((this.#flags[row]! & binaryFlag) === 0 || !of.held) return { ...of, text };
        const bytes = bytesOfCharacters(text);
        return { ...of, text: lenient.decode(bytes), bytes };
    }

    /** Returns the columns of a search. */
    searched = (): Column[] => [this.payloads, ...this.columns.values()];

    /** Returns the columns that have times. */
    timeColumns(): string[] {
        return [...this.columns].filter(([id, column]) =>
            !id.startsWith(prefix.result) && areTimes(id.slice(2), column.first(mostAsked))
        ).map(([id]) => id);
    }

    /** Takes the times from another column. */
    useTimes(id: string): void {
        const column = this.columns.get(id);
        if (id === this.timeColumn || !column) return;
        this.timeColumn = id;
        const times = new Float64Array(column.numbers);
        column.which((text, number) => Number.isNaN(times[number] = timeOf(text)));
        for (let row = 0; row < this.size; row++) this.times[row] = times[column.at(row)]!;
    }

    facts(): ColumnFacts[] {
        return Array.from(this.columns,
            ([id, { distinct }]) => ({ id, group: groups[id[0]!]!, name: id.slice(2), distinct }));
    }

    /** Adds cells. Returns true if all of them are held. */
    #addCells(row: number, columns: string[], texts: BatchTexts, cells: Uint32Array,
        known: (Column | undefined)[]): boolean
    {
        this.timeColumn ??= timeColumnOf(columns, texts, cells);
        let all = true;
        for (let i = 0; i < cells.length; i += 2) {
            const [of, text] = [cells[i]!, cells[i + 1]!];
            const id = columns[of]!;
            if (id === this.timeColumn) this.times[row] = timeOf(texts.text(text));
            const column = (known[of] ??= this.#column(id));
            let number = column && texts.number(text, column);
            while (column && number === unheld && this.#makeRoom()) {
                known.length = 0;
                if (this.dropped.has(id)) break;
                number = texts.number(text, column);
            }
            if (this.dropped.size && this.dropped.has(id)) continue;
            if (!column?.set(row, number!)) all = false;
        }
        return all;
    }

    /**
     * Drops the column with the most different texts, so that the others stay whole. Returns false
     * if no column has many.
     */
    #makeRoom(): boolean {
        let [most, found]: [number, string | undefined] = [many, undefined];
        for (const [id, { distinct }] of this.columns) {
            if (distinct <= most || id === this.timeColumn || id.startsWith(prefix.result))
                continue;
            [most, found] = [distinct, id];
        }
        if (found === undefined) return false;
        this.columns.get(found)!.drop();
        this.columns.delete(found);
        this.dropped.add(found);
        return true;
    }

    /** Returns the columns that lack texts of some rows. */
    incomplete = (): string[] =>
        [...this.columns].filter(([, { lacking }]) => lacking > 0).map(([id]) => id);

    #setText(id: string, row: number, text: string): void {
        const column = this.#column(id);
        column?.set(row, column.number(text));
    }

    /** Returns a column, if there is room. The page's own columns are few, and always exist. */
    #column(id: string): Column | undefined {
        const known = this.columns.get(id);
        if (known || this.dropped.has(id)) return known;
        const isOwn = id.startsWith(prefix.result);
        const mayAdd = this.columns.size < mostColumns
            && this.room.take(columnCost + 2 * id.length, forRows);
        if (!mayAdd && !isOwn) return this.#leaveOut(id);
        const column = new Column(this.room);
        this.columns.set(id, column);
        return column;
    }

    #leaveOut(id: string): undefined {
        if (this.leftOut.has(id)) return;
        if (this.leftOut.size < mostColumns && this.room.take(100 + 2 * id.length, forRows))
            this.leftOut.add(id);
        else this.moreLeftOut = true;
    }

    #grow(): boolean {
        const size = this.#records.length * 2;
        if (!this.room.take((size / 2) * rowCost, 0)) return false;
        const [records, flags, times] = [new Uint32Array(size), new Uint8Array(size),
            new Float64Array(size).fill(NaN)];
        records.set(this.#records);
        flags.set(this.#flags);
        times.set(this.times);
        for (const old of [this.#records, this.#flags, this.times]) release(old);
        [this.#records, this.#flags, this.times] = [records, flags, times];
        return true;
    }
}

/** Returns the column of times, which the first record with a time decides. */
function timeColumnOf(columns: string[], texts: BatchTexts, cells: Uint32Array):
    | string
    | undefined
{
    const found: { id: string; rank: number }[] = [];
    for (let i = 0; i < cells.length; i += 2) {
        const id = columns[cells[i]!]!;
        const rank = id.startsWith(prefix.event)
            ? timeRank(id.slice(prefix.event.length))
            : undefined;
        if (rank !== undefined && !Number.isNaN(timeOf(texts.text(cells[i + 1]!))))
            found.push({ id, rank });
    }
    return found.sort((a, b) => a.rank - b.rank)[0]?.id;
}
