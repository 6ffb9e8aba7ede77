// What was opened, for questions about it: the rows in columns, in the worker's memory, until the page is cleared or another input is opened.
import { type Batch, head, isLossy, isOk } from "../batch.ts";
import { Column, type Room, unheld } from "./column.ts";
import { timeOf, timeRank } from "./time.ts";
import { type ColumnFacts, type Group, type Outcome, prefix } from "./types.ts";

/** In bytes. */
const room = 160_000_000;
/** Names can come from attackers. */
const mostColumns = 300;

const groups: Record<string, Group> = { r: "result", e: "event", p: "payload" };

export class Store {
    readonly room: Room = { left: room };
    readonly columns = new Map<string, Column>();
    readonly payloads = new Column(this.room);
    /** By row: milliseconds since 1970 or NaN. */
    times = new Float64Array(256).fill(NaN);
    /** The id of the column that has them. */
    timeColumn: string | undefined;
    size = 0;
    unheld = 0;
    /** Names of members without a column. */
    readonly leftOut = new Set<string>();
    #records = new Uint32Array(256);
    #flags = new Uint8Array(256);

    /** The rows of some records of a file, whose name is only given if there are several. `before` is how many of its records are here. */
    add(batch: Batch, before: number, file: string): void {
        const { rows } = batch;
        for (let at = 0; at < rows.length; at += head + 2 * rows[at + head - 1]!) {
            const row = this.size++;
            if (row >= this.#records.length) this.#grow();
            this.#records[row] = before + rows[at]! + 1;
            this.#flags[row] = rows[at + 1]!;
            this.payloads.set(row, batch.texts[rows[at + 2]!]!);
            if (this.payloads.at(row) === unheld) this.unheld++;
            if (file) this.#column("r:file")?.set(row, file);
            this.#addCells(row, batch, rows.subarray(at + head, at + head + 2 * rows[at + head - 1]!));
        }
    }

    record = (row: number) => this.#records[row] ?? 0;
    isOpened = (row: number) => ((this.#flags[row] ?? 0) & isOk) !== 0;

    text(id: string, row: number): string {
        return this.columns.get(id)?.text(row) ?? "";
    }

    outcome(row: number): Outcome {
        const text = this.payloads.text(row);
        if (!this.isOpened(row)) return { ok: false, code: this.text("r:result", row) as "no_key", message: text };
        const held = this.payloads.at(row) !== unheld;
        return { ok: true, text, lossy: (this.#flags[row]! & isLossy) !== 0, keyId: this.text("r:key", row), held };
    }

    facts(): ColumnFacts[] {
        return Array.from(this.columns, ([id, { distinct }]) => ({ id, group: groups[id[0]!]!, name: id.slice(2), distinct }));
    }

    #addCells(row: number, { columns, texts }: Batch, cells: Uint32Array): void {
        this.timeColumn ??= timeColumnOf(columns, texts, cells);
        for (let i = 0; i < cells.length; i += 2) {
            const [id, text] = [columns[cells[i]!]!, texts[cells[i + 1]!]!];
            if (id === this.timeColumn) this.times[row] = timeOf(text);
            this.#column(id)?.set(row, text);
        }
    }

    #column(id: string): Column | undefined {
        const known = this.columns.get(id);
        if (known) return known;
        if (this.columns.size >= mostColumns) return void (this.leftOut.size < mostColumns && this.leftOut.add(id));
        const column = new Column(this.room);
        this.columns.set(id, column);
        return column;
    }

    #grow(): void {
        const size = this.#records.length * 2;
        const [records, flags, times] = [new Uint32Array(size), new Uint8Array(size), new Float64Array(size).fill(NaN)];
        records.set(this.#records);
        flags.set(this.#flags);
        times.set(this.times);
        [this.#records, this.#flags, this.times] = [records, flags, times];
    }
}

/** The first record with a time decides in which column it is. */
function timeColumnOf(columns: string[], texts: string[], cells: Uint32Array): string | undefined {
    const found: { id: string; rank: number }[] = [];
    for (let i = 0; i < cells.length; i += 2) {
        const id = columns[cells[i]!]!;
        const rank = id.startsWith(prefix.event) ? timeRank(id.slice(prefix.event.length)) : undefined;
        if (rank !== undefined && !Number.isNaN(timeOf(texts[cells[i + 1]!]!))) found.push({ id, rank });
    }
    return found.sort((a, b) => a.rank - b.rank)[0]?.id;
}
