// Rows on their way from a helper to the store. A message of few texts and one list of numbers is written and read much faster than an object
// per row: most of a log's texts come again and again, and all of its names.
import { characters } from "./binary.ts";
import { eachCell } from "./cells.ts";
import type { Row } from "./protocol.ts";
import { type Member, longestCell } from "./store/members.ts";
import { type Group, prefix } from "./store/types.ts";
import { type Texts, packTexts, unpackTexts } from "./transfer.ts";
import { type Tally, noTally, tallyResult } from "./tally.ts";

/**
 * Rows have no number yet. Each is its record's place in the batch, its flags, the text of what was opened, how many cells it has, and each
 * cell's column and text.
 */
export interface Batch {
    tally: Tally;
    /** How many blobs there were. */
    found: number;
    /** The places in the batch of records that could not be read. */
    damaged: number[];
    /** Ids of columns, and their cells' texts, by the numbers that rows have. */
    columns: string[];
    texts: string[];
    rows: Uint32Array<ArrayBuffer>;
}

/** A batch as it comes from a helper. */
export type PackedBatch = Omit<Batch, "texts"> & { texts: Texts };

export const packBatch = (batch: Batch): PackedBatch => ({ ...batch, texts: packTexts(batch.texts) });
export const unpackBatch = (batch: PackedBatch): Batch => ({ ...batch, texts: unpackTexts(batch.texts) });

export const isOk = 1;
/** Its text is bytes, as characters. */
export const isBinary = 2;
/** How many numbers a row has before its cells. */
export const head = 4;

/** Whether the record could not be read: it is neither JSON nor a blob by itself. */
export const isDamaged = ({ field, result }: Row): boolean =>
    !result.ok && (result.code === "bad_record" || (field === "" && result.code === "bad_base64"));

export class BatchWriter {
    readonly #tally = noTally();
    #found = 0;
    readonly #damaged: number[] = [];
    readonly #columns: string[] = [];
    readonly #names: Record<Group, Map<string, number>> = { result: new Map(), event: new Map(), payload: new Map() };
    readonly #texts = new Map<string, number>();
    readonly #rows: number[] = [];

    /** A record with `found` blobs; its rows follow. */
    record(found: number): void {
        this.#tally.records++;
        this.#found += found;
    }

    /** A record without rows. */
    absent(): void {
        this.#tally.absent++;
    }

    /** `event` are the members of its record. */
    row(row: Row, event: Member[]): void {
        const { result } = row;
        tallyResult(this.#tally, result);
        if (isDamaged(row)) this.#damaged.push(this.#tally.records - 1);
        const flags = result.ok ? isOk | (result.bytes ? isBinary : 0) : 0;
        const cells = this.#rows.push(this.#tally.records - 1, flags, this.#text(result.ok ? (result.bytes ? characters(result.bytes) : result.text) : result.message), 0) - 1;
        eachCell(row, event, longestCell, (group, name, text) => this.#cell(group, name, text));
        this.#rows[cells] = (this.#rows.length - 1 - cells) / 2;
    }

    end(): Batch {
        return { tally: this.#tally, found: this.#found, damaged: this.#damaged, columns: this.#columns, texts: [...this.#texts.keys()], rows: new Uint32Array(this.#rows) };
    }

    #cell(group: Group, name: string, text: string): void {
        let column = this.#names[group].get(name);
        if (column === undefined) {
            column = this.#columns.push(prefix[group] + name) - 1;
            this.#names[group].set(name, column);
        }
        this.#rows.push(column, this.#text(text));
    }

    #text(text: string): number {
        const known = this.#texts.get(text);
        if (known !== undefined) return known;
        this.#texts.set(text, this.#texts.size);
        return this.#texts.size - 1;
    }
}
