// The times of events.

/** Names of members that hold the time, the best first. */
const names = [/^(edgestart)?(timestamp|datetime|time)$/i, /^@timestamp$/i,
    /(^|[._])(datetime|timestamp|occurred_?at|time|date)$/i];

/** Rates a member's name as that of the event's time: 0 is best, undefined if it is not. */
export function timeRank(name: string): number | undefined {
    const rank = names.findIndex((pattern) => pattern.test(name));
    return rank < 0 ? undefined : rank;
}

/**
 * Reports whether a column has times: by its name and a few of its texts, or by texts in ISO 8601.
 */
export const areTimes = (name: string, texts: string[]): boolean =>
    timeRank(name) === undefined
        ? texts.length > 0 && texts.every((text) =>
            /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && !Number.isNaN(timeOf(text))
        )
        : texts.some((text) => !Number.isNaN(timeOf(text)));

/** Matches a time without a zone, which is UTC in logs, not the local time of the page. */
const withoutZone = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

/**
 * Returns milliseconds since 1970, from ISO 8601 or a number of seconds, milliseconds, microseconds
 * or nanoseconds. Else NaN.
 */
export function timeOf(text: string): number {
    if (/^\d{4}-\d\d-\d\d/.test(text)) return Date.parse(text.replace(withoutZone, "$1T$2Z"));
    const number = /^\d{9,}(\.\d+)?$/.test(text) ? Number(text) : NaN;
    const unit = number < 1e11 ? 1e3 : number < 1e14 ? 1 : number < 1e17 ? 1e-3 : 1e-6;
    return number * unit;
}

/** Formats a time in UTC, as logs have it, to the second. */
export const timeText = (at: number): string =>
    Number.isFinite(at) && Math.abs(at) < 8.64e15
        ? new Date(at).toISOString().slice(0, 19).replace("T", " ")
        : "";
