// The keyboard focus while parts of the page are redrawn.
import { byId } from "../dom.ts";

const keys = new WeakMap<Element, string>();

/** Gives a control a key, by which it is found again after its part of the page was redrawn. */
export function keyed<T extends HTMLElement>(control: T, ...key: string[]): T {
    keys.set(control, JSON.stringify(key));
    return control;
}

/**
 * Redraws an element. A focus in it stays on the same control, or moves to the one in its place, or
 * to the search.
 */
export function redraw(id: string, draw: () => void): void {
    const place = byId(id);
    const focused = document.activeElement;
    if (!focused || !place.contains(focused)) return draw();
    const at = controls(place).findIndex((control) => control === focused);
    draw();
    const now = controls(place);
    const same = now.find((control) =>
        keys.has(focused) && keys.get(control) === keys.get(focused)
    );
    (same ?? now[Math.min(Math.max(at, 0), now.length - 1)] ?? byId("search")).focus({
        preventScroll: true,
    });
}

const controls = (
    place: HTMLElement,
) => [...place.querySelectorAll<HTMLElement>("button, input, select, summary, [tabindex]")];
