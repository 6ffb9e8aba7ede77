// One way through an input: read, unpack, split, open, give out. The store keeps what was opened, as far as it has room; files are made as it goes.
import type { KeyRing, OpenResult } from "pqseal";
import { csvHead, csvLine, ndjsonLine } from "./export.ts";
import type { Code, Counts, Row, Run } from "./protocol.ts";
import { type Found, blobsOf } from "./records.ts";
import { looksLikeKey, refuseOthers } from "./others.ts";
import type { Input } from "./slices.ts";
import { type Splitter, splitterFor } from "./split.ts";
import type { Explorer } from "./store/explorer.ts";
import { type Member, membersOf } from "./store/members.ts";
import { Table, separatorOf } from "./table.ts";
import { unpacked } from "./unpack.ts";
import { unwrapped } from "./unwrap.ts";

/** How long, in milliseconds, until the page hears of progress and may cancel. */
const pause = 50;
const chunkSize = 1 << 20;

export interface Outside {
    cancelled(): boolean;
    report(part: { counts: Counts; row?: Row; chunk?: Uint8Array<ArrayBuffer> }): void;
}

/** One file that cannot be read stops no other. */
export async function run(ask: Run, input: Input, ring: KeyRing, explorer: Explorer, outside: Outside): Promise<Counts> {
    const pass = new Pass(ask, ring, explorer, outside);
    let start = 0;
    for (const { name, size } of ask.files) {
        pass.begin(ask.files.length > 1 ? name : "");
        await goThrough(partOf(input, start, size), name, pass).catch(({ message }: Error) => {
            pass.counts.problems.push(ask.files.length > 1 ? `${name}: ${message}` : message);
        });
        if (pass.counts.cancelled) break;
        pass.counts.bytesRead = start += size;
    }
    // What was opened before an error is shown too.
    pass.report();
    return pass.counts;
}

const partOf = (input: Input, start: number, size: number): Input =>
    ({ size, read: (from, to) => input.read(start + from, start + to) });

async function goThrough(input: Input, name: string, pass: Pass): Promise<void> {
    const reader = (await unpacked(input, (length) => (pass.counts.bytesRead += length))).getReader();
    const found = pass.found;
    let splitter: Splitter | undefined;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
        // Nobody wraps a blob that is longer than a slice.
        const text = splitter ? next.value : unwrapped(next.value);
        splitter ??= splitterOf(text, name, pass.fields);
        if (!(await pass.take(splitter.feed(text)))) break;
    }
    if (pass.counts.cancelled) return reader.cancel();
    await pass.take(splitter?.end() ?? []);
    if (splitter?.hint && pass.found === found) throw new Error(splitter.hint);
}

function splitterOf(beginning: string, name: string, fields: ReadonlySet<string>): Splitter {
    refuseOthers(beginning);
    const separator = separatorOf(beginning, name, fields);
    return separator ? new Table(separator, fields) : splitterFor(beginning);
}

class Pass {
    readonly counts: Counts = {
        records: 0, opened: 0, absent: 0, byKey: {}, failed: {}, bytesRead: 0, bytesTotal: 0, seconds: 0, cancelled: false, problems: [],
    };
    readonly fields: ReadonlySet<string>;
    readonly #begun = performance.now();
    /** The next row's number. */
    #next = 0;
    #file = "";
    /** The record's number within its file. */
    #record = 0;
    /** How many blobs there were. */
    found = 0;
    #lines: string[] = [];
    #linesLength = 0;
    #lastPause = performance.now();

    constructor(readonly ask: Run, readonly ring: KeyRing, readonly explorer: Explorer, readonly outside: Outside) {
        this.counts.bytesTotal = ask.files.reduce((sum, { size }) => sum + size, 0);
        this.fields = new Set(ask.fields);
        if (ask.output === "csv") this.#lines.push(csvHead(ask.columns));
    }

    /** Another file; its name if there are several. */
    begin(file: string): void {
        [this.#file, this.#record] = [file, 0];
    }

    /** False when the user has stopped it. */
    async take(records: string[]): Promise<boolean> {
        for (const record of records) {
            this.#take(record);
            if (performance.now() - this.#lastPause > pause) {
                this.report();
                // Lets the message in by which the page cancels.
                await new Promise((resolve) => setTimeout(resolve));
                this.#lastPause = performance.now();
                this.counts.cancelled = this.outside.cancelled();
            }
            if (this.counts.cancelled) return false;
        }
        return true;
    }

    report(row?: Row): void {
        this.counts.seconds = (performance.now() - this.#begun) / 1000;
        const chunk = this.#lines.length ? new TextEncoder().encode(this.#lines.join("")) : undefined;
        this.outside.report({ counts: this.counts, ...(row && { row }), ...(chunk && { chunk }) });
        [this.#lines, this.#linesLength] = [[], 0];
    }

    #take(record: string): void {
        this.counts.records++;
        const number = ++this.#record;
        const taken = blobsOf(record, this.fields);
        if (!taken) return this.#give(record, [], failure(number, "", "bad_record", "This is not JSON: the record was cut off or is damaged."));
        const { found, value } = taken;
        this.found += found.length;
        if (!found.length) this.counts.absent++;
        // What a file is not to have need not be opened.
        if (!found.some((_, i) => this.#isWanted(this.#next + i))) return void (this.#next += found.length);
        const results = this.ring.openMany(found.map(({ blob }) => blob), this.ask.options);
        const noKey = this.ring.keyIds.length === 0;
        const event = value === undefined || this.ask.output !== "rows" ? [] : membersOf(value, this.fields);
        found.forEach((one, i) => this.#give(record, event, rowOf(number, one, results[i] as OpenResult, noKey)));
    }

    #isWanted(row: number): boolean {
        const { output } = this.ask;
        return output === "rows" || (typeof output === "object" ? output.row === row : this.explorer.isSelected(row));
    }

    #give(record: string, event: Member[], row: Row): void {
        row.file = this.#file;
        const number = this.#next++;
        if (!this.#isWanted(number)) return;
        this.#count(row);
        const { output, columns } = this.ask;
        if (output === "rows") return this.explorer.store.add(row, event);
        if (typeof output === "object") {
            this.report(row);
            this.counts.cancelled = true;
            return;
        }
        this.#write(output === "csv" ? csvLine(row, columns.map((id) => this.explorer.store.text(id, number))) : ndjsonLine(row, record));
    }

    #count({ result }: Row): void {
        if (result.ok) {
            this.counts.opened++;
            this.counts.byKey[result.keyId] = (this.counts.byKey[result.keyId] ?? 0) + 1;
        } else this.counts.failed[result.code] = (this.counts.failed[result.code] ?? 0) + 1;
    }

    #write(line: string): void {
        this.#lines.push(line);
        this.#linesLength += line.length;
        if (this.#linesLength > chunkSize) this.report();
    }
}

/** What a ring without keys says, to which there is but one answer. */
const without: ReadonlySet<Code> = new Set<Code>(["no_key_matched", "no_key_with_id", "wrong_kem"]);

function rowOf(record: number, { field, blob }: Found, opened: OpenResult, noKey: boolean): Row {
    if (!opened.ok) {
        if (!field && looksLikeKey(blob)) return failure(record, field, "key", "This is a key and not sealed data. Add it under Private key.");
        const unkeyed = noKey && without.has(opened.error.code);
        return unkeyed
            ? failure(record, field, "no_key", "No private key was given.")
            : failure(record, field, opened.error.code, sentence(opened.error.message));
    }
    const result = { ...decoded(opened.plaintext), ok: true as const, keyId: opened.keyId };
    opened.plaintext.fill(0);
    return { record, file: "", field, result };
}

const failure = (record: number, field: string, code: Code, message: string): Row =>
    ({ record, file: "", field, result: { ok: false, code, message } });

/** The library's messages are parts of sentences, with names in backticks. */
export const sentence = (message: string) => `${message.charAt(0).toUpperCase()}${message.slice(1).replaceAll("`", "")}${message.endsWith(".") ? "" : "."}`;

/** Attackers choose these bytes: they may be no UTF-8. */
function decoded(bytes: Uint8Array): { text: string; lossy: boolean } {
    try {
        return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), lossy: false };
    } catch {
        return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), lossy: true };
    }
}
