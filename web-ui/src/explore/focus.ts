// Where the keyboard is, while parts of the page are drawn again.
import { byId } from "../dom.ts";

const keys = new WeakMap<Element, string>();

/** The control, to be known again by the key when its part of the page is drawn again. */
export function keyed<T extends HTMLElement>(control: T, ...key: string[]): T {
    keys.set(control, JSON.stringify(key));
    return control;
}

/** Draws an element's content. If the focus is in it, it stays on the same control, or goes to the one in its place, or to the search. */
export function redraw(id: string, draw: () => void): void {
    const place = byId(id);
    const focused = document.activeElement;
    if (!focused || !place.contains(focused)) return draw();
    const at = controls(place).findIndex((control) => control === focused);
    draw();
    const now = controls(place);
    const same = now.find((control) => keys.has(focused) && keys.get(control) === keys.get(focused));
    (same ?? now[Math.min(Math.max(at, 0), now.length - 1)] ?? byId("search")).focus({ preventScroll: true });
}

const controls = (place: HTMLElement) => [...place.querySelectorAll<HTMLElement>("button, input, select, summary, [tabindex]")];
