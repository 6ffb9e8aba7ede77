// What was looked at as entries of the browser's history, so that Back undoes a filter or closes a
// record. They are in memory only: an entry itself has just a number.
import type { Query } from "../store/types.ts";

export interface Step {
    query: Query;
    view: "table" | "payloads" | undefined;
    /** The row that is shown next to the table. */
    row: number | undefined;
}

let steps = new Map<number, Step>();
let last = 0;
let wasTyping = false;

/** `restore` shows a step again. */
export function startTrail(restore: (step: Step) => void): void {
    addEventListener("popstate", ({ state }) => {
        const step = steps.get(numberOf(state));
        wasTyping = false;
        if (step) restore(step);
    });
}

/** Begins anew, with another input. Entries of the one before do nothing. */
export function beginTrail(step: Step): void {
    [steps, wasTyping] = [new Map(), false];
    history.replaceState({ step: ++last }, "");
    steps.set(last, step);
}

/** Forgets all steps. */
export function endTrail(): void {
    steps = new Map();
    if (numberOf(history.state)) history.replaceState(null, "");
}

/** Adds a step. What is typed into the search is one step. */
export function addStep(step: Step, isTyping = false): void {
    if (steps.size === 0) return;
    const here = numberOf(history.state);
    if (isTyping && wasTyping && steps.has(here)) steps.set(here, step);
    else {
        history.pushState({ step: ++last }, "");
        steps.set(last, step);
    }
    wasTyping = isTyping;
}

const numberOf = (state: unknown) => (state as { step?: number } | null)?.step ?? 0;
