// The times of the selected rows, in bars of a round width.
import type { Store } from "./store.ts";
import type { Timeline } from "./types.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
/** The widths of bars, in milliseconds. */
const widths = [1, 10, 100, second, 5 * second, 15 * second, 30 * second, minute, 5 * minute,
    15 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 7 * day, 30 * day,
    365 * day, 3650 * day];
/** The maximum number of bars, some more than are usual. */
const mostBins = 120;

export function timelineOf(store: Store, rows: Uint32Array): Timeline | undefined {
    const { times, timeColumn } = store;
    let [first, last, without] = [Infinity, -Infinity, 0];
    for (const row of rows) {
        const at = times[row]!;
        if (Number.isNaN(at)) without++;
        if (at < first) first = at;
        if (at > last) last = at;
    }
    if (timeColumn === undefined || first > last) return undefined;
    const width = widths.find((width) => (last - first) / width < mostBins - 1)
        ?? (last - first) / (mostBins - 2);
    const from = Math.floor(first / width) * width;
    const count = Math.floor((last - from) / width) + 1;
    const bins = Array.from({ length: count },
        (_, i) => ({ from: from + i * width, opened: 0, failed: 0, absent: 0 }));
    for (const row of rows) {
        const bin = bins[Math.floor((times[row]! - from) / width)];
        if (bin)
            bin[store.isOpened(row) ? "opened" : store.isAbsent(row) ? "absent" : "failed"]++;
    }
    return { without, from, to: from + count * width, first, last, width, bins };
}
