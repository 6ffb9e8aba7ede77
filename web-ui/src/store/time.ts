// When an event was.

/** Names of members that hold it, the best first. */
const names = [/^(edgestart)?(timestamp|datetime|time)$/i, /^@timestamp$/i, /(^|[._])(datetime|timestamp|occurred_?at|time|date)$/i];

/** How well a member's name says that it is the event's time: 0 is best, undefined not at all. */
export function timeRank(name: string): number | undefined {
    const rank = names.findIndex((pattern) => pattern.test(name));
    return rank < 0 ? undefined : rank;
}

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
