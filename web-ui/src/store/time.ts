// When an event was.

/** Names of members that hold it, the best first. */
const names = [/^(edgestart)?(timestamp|datetime|time)$/i, /^@timestamp$/i, /(^|[._])(datetime|timestamp|occurred_?at|time|date)$/i];

/** How well a member's name says that it is the event's time: 0 is best, undefined not at all. */
export function timeRank(name: string): number | undefined {
    const rank = names.findIndex((pattern) => pattern.test(name));
    return rank < 0 ? undefined : rank;
}

/** Whether a column has times: by its name and a few of its texts, or by texts in ISO 8601. */
export const areTimes = (name: string, texts: string[]): boolean =>
    timeRank(name) === undefined
        ? texts.length > 0 && texts.every((text) => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && !Number.isNaN(timeOf(text)))
        : texts.some((text) => !Number.isNaN(timeOf(text)));

/** A time of a log without a zone is in UTC, and not where the page is. */
const withoutZone = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

/** In milliseconds since 1970, of ISO 8601 or a number of seconds, milliseconds, microseconds or nanoseconds. Else NaN. */
export function timeOf(text: string): number {
    if (/^\d{4}-\d\d-\d\d/.test(text)) return Date.parse(text.replace(withoutZone, "$1T$2Z"));
    const number = /^\d{9,}(\.\d+)?$/.test(text) ? Number(text) : NaN;
    const unit = number < 1e11 ? 1e3 : number < 1e14 ? 1 : number < 1e17 ? 1e-3 : 1e-6;
    return number * unit;
}

/** In UTC, as logs have it, to the second. */
export const timeText = (at: number): string =>
    Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString().slice(0, 19).replace("T", " ") : "";
