// What was opened, for questions about it: the rows in columns, in the worker's memory, until the page is cleared or another input is opened.
import type { Row } from "../protocol.ts";
import { Column, type Room, unheld } from "./column.ts";
import type { Member } from "./members.ts";
import { timeOf, timeRank } from "./time.ts";
import type { ColumnFacts, Group, Outcome } from "./types.ts";

/** In UTF-16 code units and overhead: about so many bytes of memory, since most text is ASCII. */
const room = 160_000_000;
/** Names can come from attackers. */
const mostColumns = 300;

const prefix: Record<Group, string> = { result: "r:", event: "e:", payload: "p:" };
const groups: Record<string, Group> = { r: "result", e: "event", p: "payload" };

export class Store {
    readonly room: Room = { left: room };
    readonly columns = new Map<string, Column>();
    readonly payloads = new Column(this.room);
    /** By row: milliseconds since 1970 or NaN. */
    times = new Float64Array(256).fill(NaN);
    timeColumn: string | undefined;
    size = 0;
    unheld = 0;
    /** Names of members without a column. */
    readonly leftOut = new Set<string>();
    #records = new Uint32Array(256);
    #flags = new Uint8Array(256);

    /** `payload` are the members of what was opened. */
    add({ record, file, field, result }: Row, event: Member[], payload: Member[]): void {
        const row = this.size++;
        if (row >= this.#records.length) this.#grow();
        this.#records[row] = record;
        this.#flags[row] = result.ok ? ok | (result.lossy ? lossy : 0) : 0;
        this.#set(row, "result", "result", result.ok ? "opened" : result.code);
        if (file) this.#set(row, "result", "file", file);
        if (field) this.#set(row, "result", "field", field);
        for (const [name, value] of event) this.#set(row, "event", name, value);
        this.#noteTime(row, event);
        this.payloads.set(row, result.ok ? result.text : result.message);
        if (this.payloads.at(row) === unheld) this.unheld++;
        if (!result.ok) return;
        this.#set(row, "result", "key", result.keyId);
        for (const [name, value] of payload) this.#set(row, "payload", name, value);
    }

    record = (row: number) => this.#records[row] ?? 0;
    isOpened = (row: number) => ((this.#flags[row] ?? 0) & ok) !== 0;

    text(id: string, row: number): string {
        return this.columns.get(id)?.text(row) ?? "";
    }

    outcome(row: number): Outcome {
        const text = this.payloads.text(row);
        if (!this.isOpened(row)) return { ok: false, code: this.text("r:result", row) as "no_key", message: text };
        const held = this.payloads.at(row) !== unheld;
        return { ok: true, text, lossy: (this.#flags[row]! & lossy) !== 0, keyId: this.text("r:key", row), held };
    }

    facts(): ColumnFacts[] {
        return Array.from(this.columns, ([id, { distinct }]) => ({ id, group: groups[id[0]!]!, name: id.slice(2), distinct }));
    }

    #set(row: number, group: Group, name: string, value: string): void {
        const id = prefix[group] + name;
        let column = this.columns.get(id);
        if (!column && this.columns.size >= mostColumns) return void (this.leftOut.size < mostColumns && this.leftOut.add(id));
        if (!column) this.columns.set(id, (column = new Column(this.room)));
        column.set(row, value);
    }

    /** The first record with a time decides in which member it is. */
    #noteTime(row: number, event: Member[]): void {
        this.timeColumn ??= event
            .map(([name, value]) => ({ name, value, rank: timeRank(name) }))
            .filter(({ value, rank }) => rank !== undefined && !Number.isNaN(timeOf(value)))
            .sort((a, b) => a.rank! - b.rank!)[0]?.name;
        const found = event.find(([name]) => name === this.timeColumn);
        if (found) this.times[row] = timeOf(found[1]);
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

const ok = 1;
const lossy = 2;
