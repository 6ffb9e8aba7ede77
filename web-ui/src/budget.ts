// Limits for showing what attackers wrote. They choose its length and its content, and a browser that lays out all of it, or makes an element
// for each character, answers nothing meanwhile.

export class Budget {
    /** A line counts as an element: it costs as much. */
    constructor(public elements: number, public characters: number) {}

    get isSpent(): boolean {
        return this.elements <= 0 || this.characters <= 0;
    }

    /** Takes so many elements. False if there are not so many left. */
    take(elements: number): boolean {
        if (this.elements < elements) return false;
        this.elements -= elements;
        return true;
    }
}

/** In characters. In what is longer nobody looks for structure: it takes too long. */
export const mostParsed = 1_000_000;
