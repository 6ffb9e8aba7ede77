// Shares as percentages.

export const share = (part: number, all: number): string => `${hundredths(all ? part / all : 0)}%`;

/**
 * Returns a change in percentage points, with its sign, or nothing if one of the two has no rows.
 */
export function change(part: number, all: number, before: number, allBefore: number): string {
    if (!all || !allBefore) return "";
    const points = part / all - before / allBefore;
    if (Math.abs(points) < 0.0005) return "±0";
    return `${points < 0 ? "−" : "+"}${hundredths(Math.abs(points))}`;
}

const hundredths = (of: number) =>
    of === 0 || of >= 0.0995
        ? `${Math.round(of * 100)}`
        : of < 0.001
        ? "<0.1"
        : (of * 100).toFixed(1);
