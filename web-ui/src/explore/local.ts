// Times where the user is, next to UTC.

const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "short",
    timeStyle: "medium",
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** Returns a time with its zone, or an empty text if it is no time or the zone is UTC. */
export function localTime(at: number): string {
    if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return "";
    const name = zone.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    return name === "UTC" ? "" : `${format.format(at)} ${name}`;
}
