// Blocks of records as bytes, to be opened. Strings of a whole input would make the engine's young
// generation grow until it takes 60 MB in each thread.
import type { Block } from "pqseal/records";

export type { Block };

/** The beginning of a record: lines and characters count from 1. */
export interface Place {
    line: number;
    column: number;
}

export const placeIn = ({ lines, columns }: Block, record: number): Place => ({
    line: lines[record]!,
    column: columns[record]!,
});
