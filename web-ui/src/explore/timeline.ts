// The times of events: bars that can be dragged over, and the same figures as a table.
import { byId, fill, h, input, press } from "../dom.ts";
import { timeText } from "../store/time.ts";
import type { Overview } from "../store/types.ts";
import { keyed, redraw } from "./focus.ts";
import { showOptions } from "./options.ts";

const [width, height] = [600, 72];
const svg = (tag: string, attributes: Record<string, number | string>) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, String(value));
    return element;
};

export function showTimeline({ timeColumns, timeColumn, timeline }: Overview,
    select: (from: number, to: number) => void): void
{
    byId("timeline").hidden = timeColumn === undefined && timeColumns.length === 0;
    showOptions("time-column", [
        ...new Set([...(timeColumn === undefined ? [] : [timeColumn]), ...timeColumns]),
    ], timeColumn === undefined ? "none" : undefined);
    input("time-column").value = timeColumn ?? "";
    byId("timeline-without").textContent = timeline
        ? (timeline.without
            ? `${timeline.without.toLocaleString("en")} of the selected records have none.`
            : "")
        : "None of the selected records has one.";
    for (const id of ["timeline-picture", "timeline-span", "timeline-box"])
        byId(id).hidden = !timeline;
    if (!timeline) return;
    const { bins, from, to } = timeline;
    const most = bins.reduce((most, { opened, failed }) => Math.max(most, opened + failed), 1);
    const picture = svg("svg", {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
    });
    const wide = width / bins.length;
    bins.forEach(({ opened, failed }, i) => {
        let bottom = height;
        for (const [name, count] of [["opened", opened], ["failed", failed]] as const) {
            // Any event makes a visible bar.
            const tall = count === 0 ? 0 : Math.max(2, (count / most) * height);
            if (tall)
                picture.append(
                    svg("rect", {
                        class: name,
                        x: i * wide + 0.5,
                        y: bottom -= tall,
                        width: wide - 1,
                        height: tall,
                    }),
                );
        }
    });
    brush(picture, (left, right) => select(from + left * (to - from), from + right * (to - from)));
    byId("timeline-picture").replaceChildren(picture);
    byId("timeline-span").replaceChildren(h("span", "", timeText(from)),
        h("span", "", `most at once: ${most.toLocaleString("en")}`),
        h("span", "", `${timeText(to - 1)} UTC`));
    const ends = bins.map((_, i) => bins[i + 1]?.from ?? to);
    // The figures of a closed box are not made, since a run would repeat that again and again.
    const shown = byId<HTMLDetailsElement>("timeline-box").open ? bins : [];
    const rows = shown.flatMap((bin, i) => (bin.opened + bin.failed
        ? [figures(bin.from, ends[i]!, bin.opened, bin.failed, select)]
        : [])
    );
    redraw("timeline-figures", () => fill(byId("timeline-figures"), rows));
}

function figures(from: number, to: number, opened: number, failed: number,
    select: (from: number, to: number) => void): HTMLElement
{
    const button = keyed(press("link", timeText(from), () => select(from, to)), timeText(from));
    return h("tr", "", h("td", "", button), h("td", "", opened.toLocaleString("en")),
        h("td", "", failed.toLocaleString("en")));
}

/** Selects a range, with both ends as fractions of the width. */
function brush(picture: Element, select: (left: number, right: number) => void): void {
    const band = svg("rect", { class: "band", y: 0, height, x: 0, width: 0 });
    picture.append(band);
    let start: number | undefined;
    const at = (event: PointerEvent) => {
        const { left, width: wide } = picture.getBoundingClientRect();
        return Math.min(1, Math.max(0, (event.clientX - left) / wide));
    };
    const ends = (
        event: PointerEvent,
    ): [number, number] => [Math.min(start!, at(event)), Math.max(start!, at(event))];
    const on = (name: string, listen: (event: PointerEvent) => void) =>
        picture.addEventListener(name, (event) => listen(event as PointerEvent));
    on("pointerdown", (event) => {
        start = at(event);
        picture.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
        if (start === undefined) return;
        const [left, right] = ends(event);
        band.setAttribute("x", String(left * width));
        band.setAttribute("width", String((right - left) * width));
    });
    on("pointerup", (event) => {
        if (start === undefined) return;
        const [left, right] = ends(event);
        start = undefined;
        band.setAttribute("width", "0");
        // A click is not a span.
        if (right - left > 0.005) select(left, right);
    });
    on("pointercancel", () => {
        start = undefined;
        band.setAttribute("width", "0");
    });
}
