// The places in a file of records that could not be read correctly.
import type { Place } from "./blocks.ts";

/** The number of places that are named. */
const mostNamed = 5;

export class Damage {
    readonly #named: string[] = [];
    #count = 0;

    add({ line, column }: Place): void {
        this.#count++;
        if (this.#named.length < mostNamed)
            this.#named.push(
                `line ${number(line)}${column === 1 ? "" : `, character ${number(column)}`}`,
            );
    }

    get problem(): string | undefined {
        if (!this.#count) return undefined;
        const what = this.#count === 1 ? "1 record is" : `${number(this.#count)} records are`;
        const more = this.#count - this.#named.length;
        return `${what} neither JSON nor base64, and could not be read: ${this.#named.join("; ")}${
            more ? `; and ${number(more)} more` : ""
        }.`;
    }
}

const number = (n: number) => n.toLocaleString("en");
