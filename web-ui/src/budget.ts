// Limits for showing attackers' data. They choose its length and content, and a browser that lays
// out all of it, or makes an element for each character, does not respond meanwhile.

export class Budget {
    /** Creates a budget. A line counts as an element, since it costs as much. */
    constructor(public elements: number, public characters: number) {}

    get isSpent(): boolean {
        return this.elements <= 0 || this.characters <= 0;
    }

    /** Takes this many elements. Returns false if not enough are left. */
    take(elements: number): boolean {
        if (this.elements < elements) return false;
        this.elements -= elements;
        return true;
    }
}

/** The longest text, in characters, that is parsed for structure. Beyond, it takes too long. */
export const mostParsed = 1_000_000;
