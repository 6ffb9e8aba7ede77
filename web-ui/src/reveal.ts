// Brings opened data into view, unless the user is elsewhere by then. It jumps: nothing moves for
// users who asked for less motion.
import { byId } from "./dom.ts";

/** Events of the user. Not `scroll`: a page that becomes shorter scrolls too. */
const signs = ["keydown", "pointerdown", "wheel", "touchmove"];

let following: AbortController | undefined;
let focused: Element | null;

/** Begins to watch for signs that the user does something else, until the result is shown. */
export function follow(): AbortController {
    following?.abort();
    const mine = (following = new AbortController());
    focused = document.activeElement;
    for (const sign of signs)
        addEventListener(sign, (event) => (event as KeyboardEvent).repeat || mine.abort(), {
            capture: true,
            passive: true,
            signal: mine.signal,
        });
    return mine;
}

/**
 * Shows the result, once, and moves the focus there. Does nothing if something else was asked for
 * since `mine`.
 */
export function reveal(mine = following): void {
    if (!mine || mine !== following || mine.signal.aborted) return;
    mine.abort();
    // A button that was hidden or disabled has lost the focus to the body.
    if (![focused, document.body].includes(document.activeElement)) return;
    byId("results-title").scrollIntoView();
    byId(byId("run-error").textContent ? "run-error" : "results-title").focus({
        preventScroll: true,
    });
}
