// Brings what was opened into view, unless the user is elsewhere by then. It jumps: nothing moves for those who asked for less motion.
import { byId } from "./dom.ts";

/** Not `scroll`: a page that becomes shorter scrolls too. */
const signs = ["keydown", "pointerdown", "wheel", "touchmove"];

let following: AbortController | undefined;
let focused: Element | null;

/** The user asks for something to be opened: until it is shown, each sign that they do something else is noted. */
export function follow(): AbortController {
    following?.abort();
    const mine = (following = new AbortController());
    focused = document.activeElement;
    for (const sign of signs) addEventListener(sign, (event) => (event as KeyboardEvent).repeat || mine.abort(), { capture: true, passive: true, signal: mine.signal });
    return mine;
}

/** Shows what came of it, once, and moves the focus there. Nothing happens if something else was asked for since `mine`. */
export function reveal(mine = following): void {
    if (!mine || mine !== following || mine.signal.aborted) return;
    mine.abort();
    // A button that was hidden or disabled has lost the focus to the body.
    if (![focused, document.body].includes(document.activeElement)) return;
    byId("results-title").scrollIntoView();
    byId(byId("run-error").textContent ? "run-error" : "results-title").focus({ preventScroll: true });
}
