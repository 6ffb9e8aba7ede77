// The widths and the order of the table's columns, which the user changes by mouse or keyboard. They
// stay until the page is cleared or left.
import { h } from "../dom.ts";
import { payloadColumn } from "../store/payload-column.ts";
import { widthOf } from "./labels.ts";

/** The narrowest column, and a step of the keyboard, in rem. */
const [narrowest, step] = [3, 1];
/** The width of the payload below which the table scrolls sideways, in rem. */
const payloadWidth = 26;

let chosen = new Map<string, number>();

export const clearWidths = (): void => void (chosen = new Map());

/** Returns a width in rem. The payload has what is left, unless it was changed. */
export const columnWidth = (id: string): number | undefined =>
    chosen.get(id) ?? (id === payloadColumn ? undefined : widthOf(id));

export const leastWidth = (id: string): number => columnWidth(id) ?? payloadWidth;

/** Adds a grip to a head, and keys: Shift with an arrow changes the width. */
export function resizable(head: HTMLElement, id: string, changed: () => void): void {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const set = (width: number) => {
        chosen.set(id, Math.max(narrowest, width));
        changed();
    };
    const grip = h("span", "grip");
    grip.ariaHidden = "true";
    // The head that was pressed is replaced by each change.
    grip.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        event.stopPropagation();
        const [from, width] = [event.clientX, head.getBoundingClientRect().width / rem];
        const moved = new AbortController();
        const { signal } = moved;
        addEventListener("pointermove", ({ clientX }) => set(width + (clientX - from) / rem), {
            signal,
        });
        for (const end of ["pointerup", "pointercancel"])
            addEventListener(end, () => moved.abort(), { signal });
    });
    grip.addEventListener("click", (event) => event.stopPropagation());
    head.append(grip);
    head.addEventListener("keydown", ({ key, shiftKey }) => {
        const by = key === "ArrowLeft" ? -step : key === "ArrowRight" ? step : 0;
        if (shiftKey && by) set(head.getBoundingClientRect().width / rem + by);
    });
}

/** Lets a head be dragged to another place, and moved with Alt and an arrow. */
export function movable(head: HTMLElement, id: string, ids: string[],
    order: (ids: string[]) => void): void
{
    const to = (moved: string, place: number) => {
        const others = ids.filter((other) => other !== moved);
        if (moved !== ids[place] && place >= 0 && place < ids.length)
            order(others.toSpliced(place, 0, moved));
    };
    head.draggable = true;
    head.addEventListener("dragstart", ({ dataTransfer }) => {
        dragged = id;
        dataTransfer?.setData("text/plain", "");
    });
    head.addEventListener("dragover", (event) => dragged !== undefined && event.preventDefault());
    head.addEventListener("drop", (event) => {
        event.preventDefault();
        if (dragged !== undefined && ids.includes(dragged)) to(dragged, ids.indexOf(id));
        dragged = undefined;
    });
    head.addEventListener("keydown", (event) => {
        const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (!event.altKey || !by) return;
        event.preventDefault();
        to(id, ids.indexOf(id) + by);
    });
}

let dragged: string | undefined;
