// Limits for one record, and for one task.
import { Budget } from "../budget.ts";

/**
 * Budgets for a record: the lines of its matches, its text, of which more is shown on demand,
 * further details, and its members.
 */
export const most = {
    matches: () => new Budget(400, 10_000),
    text: () => new Budget(2000, 30_000),
    beside: () => new Budget(400, 10_000),
    members: () => new Budget(3000, 30_000),
    /** A budget for a value in a list, or in a cell of the table. */
    value: () => new Budget(20, 200),
};

/** The maximum depth of elements that fold. */
export const deepest = 50;

/** The limits for rows made in one task. A row is not divided. */
export const slice = { elements: 1500, characters: 30_000 };
