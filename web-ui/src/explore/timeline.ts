// The times of events: bars of a round width, chosen with the mouse or the keyboard, and the same
// figures as a table.
import { byId, fill, h, input, press } from "../dom.ts";
import { timeText } from "../store/time.ts";
import type { Bin, Overview, Timeline } from "../store/types.ts";
import { keyed, redraw } from "./focus.ts";
import { localTime } from "./local.ts";
import { showOptions } from "./options.ts";
import { oneStop } from "./roving.ts";

const [width, height] = [600, 72];
const svg = (tag: string, attributes: Record<string, number | string>) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes))
        element.setAttribute(name, String(value));
    return element;
};
const kinds = ["opened", "failed", "absent"] as const;
type Select = (from: number, to: number) => void;

const sum = ({ opened, failed, absent }: Bin) => opened + failed + absent;
const number = (n: number) => n.toLocaleString("en");

export function showTimeline({ timeColumns, timeColumn, timeline }: Overview,
    select: Select): void
{
    byId("timeline").hidden = timeColumn === undefined && timeColumns.length === 0;
    showOptions("time-column", [
        ...new Set([...(timeColumn === undefined ? [] : [timeColumn]), ...timeColumns]),
    ], timeColumn === undefined ? "none" : undefined);
    input("time-column").value = timeColumn ?? "";
    byId("timeline-without").textContent = timeline
        ? (timeline.without
            ? `${number(timeline.without)} of the selected rows have none.`
            : "")
        : "No selected row has a time.";
    for (
        const id of ["timeline-picture", "timeline-span", "timeline-key", "timeline-box",
            "timeline-at"]
    )
        byId(id).hidden = !timeline;
    if (!timeline) return;
    picture(timeline, select);
    // The figures of a closed box are not made, since a run would repeat that again and again.
    const shown = byId<HTMLDetailsElement>("timeline-box").open ? timeline.bins : [];
    const rows = shown.flatMap((bin) => (sum(bin) ? [figures(bin, timeline.width, select)] : []));
    redraw("timeline-figures", () => {
        fill(byId("timeline-figures"), rows);
        oneStop(byId("timeline-figures"));
    });
}

function picture(timeline: Timeline, select: Select): void {
    const { bins, from, to, first, last } = timeline;
    const most = bins.reduce((most, bin) => Math.max(most, sum(bin)), 1);
    const isLog = byId<HTMLInputElement>("timeline-log").checked;
    const tall = (count: number) =>
        isLog ? (Math.log1p(count) / Math.log1p(most)) * height : (count / most) * height;
    const element = svg("svg", {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
    });
    const wide = width / bins.length;
    bins.forEach((bin, i) => {
        const all = sum(bin);
        // Any event makes a visible bar.
        const whole = all === 0 ? 0 : Math.max(2, tall(all));
        let bottom = height;
        for (const kind of kinds) {
            const part = all === 0 ? 0 : (bin[kind] / all) * whole;
            if (!part) continue;
            element.append(
                svg("rect", {
                    class: kind,
                    x: i * wide + Math.min(0.5, wide / 8),
                    y: bottom -= part,
                    width: wide - Math.min(1, wide / 4),
                    height: part,
                }),
            );
        }
        // The whole height has the tip.
        const hit = svg("rect", { class: "tip", x: i * wide, y: 0, width: wide, height });
        const title = svg("title", {});
        title.textContent = said(bin, timeline.width);
        hit.append(title);
        element.append(hit);
    });
    const band = brush(element,
        (left, right) => select(from + left * (to - from), from + right * (to - from)));
    const place = byId("timeline-picture");
    place.replaceChildren(element, h("span", "scale", number(most)));
    byId("timeline-span").replaceChildren(h("span", "", timeText(first)),
        h("span", "", `a bar is ${lengthText(timeline.width)}; most at once: ${number(most)}`),
        h("span", "", `${timeText(last)} UTC`));
    byId("timeline-at").textContent = "";
    place.onkeydown = keys(timeline, band, select);
}

/** Moves over the bars with the arrow keys, extends with Shift, and selects with Enter. */
function keys({ bins, from, width: wide }: Timeline, band: Element,
    select: Select): (event: KeyboardEvent) => void
{
    let [start, end] = [-1, -1];
    return (event) => {
        const { key, shiftKey } = event;
        if (key === "Enter" && end >= 0)
            return select(from + Math.min(start, end) * wide,
                from + (Math.max(start, end) + 1) * wide);
        const steps: Record<string, number> = {
            ArrowLeft: end - 1,
            ArrowRight: end + 1,
            Home: 0,
            End: bins.length - 1,
        };
        const next = steps[key];
        if (next === undefined) return;
        event.preventDefault();
        end = Math.min(bins.length - 1, Math.max(0, next));
        if (!shiftKey || start < 0) start = end;
        const [left, right] = [Math.min(start, end), Math.max(start, end)];
        band.setAttribute("x", String((left / bins.length) * width));
        band.setAttribute("width", String(((right - left + 1) / bins.length) * width));
        byId("timeline-at").textContent = `${
            said(sumOf(bins.slice(left, right + 1)), (right - left + 1) * wide)
        } Enter selects.`;
    };
}

const sumOf = (bins: Bin[]): Bin =>
    bins.reduce((all, bin) => ({
        from: all.from,
        opened: all.opened + bin.opened,
        failed: all.failed + bin.failed,
        absent: all.absent + bin.absent,
    }));

function said(bin: Bin, wide: number): string {
    const parts = [`${number(bin.opened)} opened`,
        bin.failed ? `${number(bin.failed)} not opened` : "",
        bin.absent ? `${number(bin.absent)} without sealed data` : ""].filter(Boolean);
    const local = localTime(bin.from);
    return `${timeText(bin.from)} to ${timeText(bin.from + wide)} UTC${
        local && ` (from ${local})`
    }: ${parts.join(", ")}.`;
}

/** Returns a round length of time in words. */
function lengthText(ms: number): string {
    const units: [number, string][] = [[86_400_000, "day"], [3_600_000, "hour"], [60_000, "minute"],
        [1000, "second"], [1, "millisecond"]];
    const [unit, name] = units.find(([unit]) => ms >= unit && ms % unit === 0) ?? units.at(-1)!;
    const count = Math.round(ms / unit);
    return `${number(count)} ${name}${count === 1 ? "" : "s"}`;
}

function figures(bin: Bin, wide: number, select: Select): HTMLElement {
    const button = keyed(
        press("link", timeText(bin.from), () => select(bin.from, bin.from + wide)),
        timeText(bin.from),
    );
    return h("tr", "", h("td", "", button), kinds.map((kind) => h("td", "", number(bin[kind]))));
}

/**
 * Selects a range, with both ends as fractions of the width. Returns the
 * band that shows it.
 */
function brush(element: Element, select: (left: number, right: number) => void): Element {
    const band = svg("rect", { class: "band", y: 0, height, x: 0, width: 0 });
    element.append(band);
    let start: number | undefined;
    const at = (event: PointerEvent) => {
        const { left, width: wide } = element.getBoundingClientRect();
        return Math.min(1, Math.max(0, (event.clientX - left) / wide));
    };
    const ends = (
        event: PointerEvent,
    ): [number, number] => [Math.min(start!, at(event)), Math.max(start!, at(event))];
    const on = (name: string, listen: (event: PointerEvent) => void) =>
        element.addEventListener(name, (event) => listen(event as PointerEvent));
    on("pointerdown", (event) => {
        start = at(event);
        element.setPointerCapture(event.pointerId);
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
    return band;
}
