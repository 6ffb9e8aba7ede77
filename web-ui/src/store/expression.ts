// Search for a user's regular expression. It runs in a separate thread, which is ended if it takes
// too long: attackers choose the texts, and some expressions take years for a few of them.
import { type Column, firstText } from "./column.ts";
import type { Store } from "./store.ts";
import type { Detail } from "./types.ts";

/** By column, a flag for each number of a text in which the expression is found. */
export type FoundIn = Map<Column, Uint8Array<ArrayBuffer>>;

/** A question to the thread: which texts match, or what the expression finds in them. */
export interface Search {
    id: number;
    expression: string;
    texts: string[];
    wanted: "whether" | "hits";
}
export type Searched = { id: number; found: Uint8Array<ArrayBuffer> } | {
    id: number;
    hits: string[][];
} | { id: number; message: string };

/**
 * The time in milliseconds for one text, and for many of them before they are searched one by one.
 */
const patience = 2000;
const atOnce = 300;
/** The time in milliseconds for the start of a thread. A browser may take long, or never do it. */
const start = 10_000;
/** The limits of texts that are searched at once. */
const [mostTexts, mostCharacters] = [2000, 200_000];

export class Expressions {
    #port: Promise<MessagePort>;
    #started!: (port: MessagePort) => void;
    #failed!: (error: Error) => void;
    #lastId = 0;
    /** The number of the last search. Earlier ones were cancelled. */
    #number = 0;
    /** The previous question. Questions are asked one after the other. */
    #turn: Promise<unknown> = Promise.resolve();
    /** Ends the current wait. */
    #stop: ((why: "cancelled" | "late") => void) | undefined;
    /** The last search, which is used again for other filters and another order. */
    #last: { store: Store; size: number; expression: string; found: FoundIn } | undefined;

    /** Creates a search. `end` makes the page end the thread and start another. */
    constructor(readonly end: () => void) {
        this.#port = this.#next();
    }

    /** Receives the port of a thread that the page has started, or undefined if it could not. */
    receive(port: MessagePort | undefined): void {
        const [started, failed] = [this.#started, this.#failed];
        if (port) port.onmessage = () => started(port);
        else failed(
                new Error(
                    "A file of the page is missing on the server: regular expressions cannot be searched for.",
                ),
            );
    }

    cancel(): void {
        this.#number++;
        this.#stop?.("cancelled");
    }

    /** Forgets the last search, since another input replaces the one searched. */
    forget(): void {
        this.cancel();
        this.#last = undefined;
    }

    async find(store: Store, expression: string): Promise<FoundIn> {
        refuse(expression);
        const [{ size }, mine] = [store, ++this.#number];
        if (
            this.#last?.store === store && this.#last.size === size
            && this.#last.expression === expression
        ) return this.#last.found;
        const found: FoundIn = new Map();
        for (const column of store.searched()) {
            const which = new Uint8Array(column.numbers);
            for (let from = firstText; from < which.length;) {
                const texts = column.texts(from, mostTexts, mostCharacters);
                which.set(
                    await this.#test(expression, texts, (text) =>
                        recordOf(store, column, from + text)),
                    from,
                );
                from += texts.length;
                if (mine !== this.#number) throw cancelled();
            }
            found.set(column, which);
        }
        this.#last = { store, size, expression, found };
        return found;
    }

    /**
     * Adds the texts that the expression finds in opened data, for the page to mark. It does not
     * wait long for them.
     */
    async withHits(details: Detail[], expression: string): Promise<Detail[]> {
        const texts = details.map(({ result }) => (result.ok ? result.text : ""));
        const answer = await this.#ask({ expression, texts, wanted: "hits" }, atOnce).catch(() =>
            undefined
        );
        return answer && "hits" in answer
            ? details.map((detail, i) => ({ ...detail, hits: answer.hits[i] ?? [] }))
            : details;
    }

    async #test(expression: string, texts: string[],
        recordOf: (text: number) => number): Promise<Uint8Array>
    {
        const all = await this.#whether(expression, texts, atOnce);
        if (all) return all;
        const found = new Uint8Array(texts.length);
        for (const [i, text] of texts.entries()) {
            const one = await this.#whether(expression, [text], patience);
            if (!one)
                throw new Error(
                    `The search was stopped at record ${
                        recordOf(i).toLocaleString("en")
                    }: the expression takes more than 2 seconds there.`,
                );
            found[i] = one[0]!;
        }
        return found;
    }

    async #whether(expression: string, texts: string[],
        most: number): Promise<Uint8Array | undefined>
    {
        const answer = await this.#ask({ expression, texts, wanted: "whether" }, most);
        if (answer && "message" in answer) throw new Error(answer.message);
        return answer && "found" in answer ? answer.found : undefined;
    }

    /** Asks the thread. Returns undefined if there is no answer in time. */
    #ask(search: Omit<Search, "id">, most: number): Promise<Searched | undefined> {
        const answer = this.#turn.then(() => this.#askNow(search, most));
        this.#turn = answer.catch(() => undefined);
        return answer;
    }

    async #askNow(search: Omit<Search, "id">, most: number): Promise<Searched | undefined> {
        const port = await this.#within(start, this.#port);
        if (!port)
            throw new Error(
                "The browser has not started what searches for regular expressions. Search again, or reload the page.",
            );
        const id = ++this.#lastId;
        port.postMessage({ id, ...search } satisfies Search);
        const answer = await this.#within(most, new Promise<Searched>((resolve) => {
            port.onmessage = ({ data }: MessageEvent<Searched>) => data.id === id && resolve(data);
        }));
        if (!answer) this.#restart();
        return answer;
    }

    async #within<T>(most: number, promise: Promise<T>): Promise<T | undefined> {
        const stopped = new Promise<"cancelled" | "late">((resolve) => (this.#stop = resolve));
        const late = setTimeout(() => this.#stop?.("late"), most);
        try {
            const answer = await Promise.race([promise, stopped]);
            if (answer === "late") return undefined;
            if (answer !== "cancelled") return answer as T;
        } finally {
            clearTimeout(late);
            this.#stop = undefined;
        }
        this.#restart();
        throw cancelled();
    }

    #restart(): void {
        this.#port = this.#next();
        this.end();
    }

    #next(): Promise<MessagePort> {
        const next = new Promise<MessagePort>((resolve,
            reject) => ([this.#started, this.#failed] = [resolve, reject])
        );
        // A failure reaches those that wait for it; without them it is not an unhandled rejection.
        next.catch(() => undefined);
        return next;
    }
}

const cancelled = () => new Error("The search was cancelled.");

function refuse(expression: string): void {
    try {
        new RegExp(expression, "iu");
    } catch (error) {
        throw new Error(
            `This is not a regular expression: ${(error as Error).message.replace(/^.*: /, "")}.`,
        );
    }
}

/** Returns the first record that has the text. */
function recordOf(store: Store, column: Column, number: number): number {
    let row = 0;
    while (row < store.size && column.at(row) !== number) row++;
    return store.record(row);
}
