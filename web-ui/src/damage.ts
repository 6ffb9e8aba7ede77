// The places in a file of records that could not be read correctly.
import type { Place } from "./blocks.ts";

/** The number of places that are named. */
const mostNamed = 5;

export class Places {
    readonly #named: string[] = [];
    #count = 0;

    /** Takes the sentence for one record, and the one for several. */
    constructor(readonly one: string, readonly several: string) {}

    add({ line, column }: Place): void {
        this.#count++;
        if (this.#named.length < mostNamed)
            this.#named.push(
                `line ${number(line)}${column === 1 ? "" : `, character ${number(column)}`}`,
            );
    }

    get problem(): string | undefined {
        if (!this.#count) return undefined;
        const what = this.#count === 1
            ? `1 record ${this.one}`
            : `${number(this.#count)} records ${this.several}`;
        const more = this.#count - this.#named.length;
        return `${what}: ${this.#named.join("; ")}${more ? `; and ${number(more)} more` : ""}.`;
    }
}

export const damage = () =>
    new Places("is neither JSON nor base64, and could not be read",
        "are neither JSON nor base64, and could not be read");

/** Collects objects that are not elements of a list: they may be events, or parts of one. */
export const doubt = () => {
    const rest =
        "one field in several objects outside a list: each is shown only with its own members";
    return new Places(`has ${rest}`, `have ${rest}`);
};

const number = (n: number) => n.toLocaleString("en");
