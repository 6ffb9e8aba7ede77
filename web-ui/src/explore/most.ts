// Limits for one record, and for one task.
import { Budget } from "../budget.ts";

/** Of a record: the lines of its matches, its text, of which more is shown on demand, the rest beside it, and its members. */
export const most = {
    matches: () => new Budget(400, 10_000),
    text: () => new Budget(2000, 30_000),
    beside: () => new Budget(400, 10_000),
    members: () => new Budget(3000, 30_000),
    /** A value in a list, or in a cell of the table. */
    value: () => new Budget(20, 200),
};

/** Levels of elements that fold. */
export const deepest = 50;

/** Of the rows that are made in one task. A row is not divided. */
export const slice = { elements: 1500, characters: 30_000 };
