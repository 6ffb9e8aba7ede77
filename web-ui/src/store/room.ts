// The memory that a store may take, in bytes. Texts leave a part of it to numbers, and columns a
// part to rows. What is not kept for lack of room is still listed, and is read again on demand.

/** Payloads leave more than other texts: filters and counts are by columns. */
export const forPayloads = 1 / 2;
export const forColumns = 3 / 8;
export const forRows = 1 / 8;

/** The room where the browser does not say how much memory there is. */
export const usualRoom = 160_000_000;

export class Room {
    #left: number;

    constructor(readonly total: number) {
        this.#left = total;
    }

    /** Takes the bytes if at least this share of all room stays free. */
    take(bytes: number, share: number): boolean {
        if (this.#left - bytes < share * this.total) return false;
        this.#left -= bytes;
        return true;
    }

    give(bytes: number): void {
        this.#left += bytes;
    }
}
