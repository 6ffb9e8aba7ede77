// The numbers of blobs that opened, and of failures by reason.
import type { Counts, Row } from "./protocol.ts";

export type Tally = Pick<Counts, "records" | "opened" | "reopened" | "absent" | "byKey" | "failed">;

export const noTally = (): Tally => ({
    records: 0,
    opened: 0,
    reopened: 0,
    absent: 0,
    byKey: {},
    failed: {},
});

export function tallyResult(tally: Tally, result: Row["result"]): void {
    if (result.ok) {
        tally.opened++;
        tally.byKey[result.keyId] = (tally.byKey[result.keyId] ?? 0) + 1;
    } else if (result.code === "absent") tally.absent++;
    else tally.failed[result.code] = (tally.failed[result.code] ?? 0) + 1;
}

export function addTally(to: Tally, more: Tally): void {
    for (const name of ["records", "opened", "reopened", "absent"] as const) to[name] += more[name];
    addAll(to.byKey, more.byKey);
    addAll(to.failed, more.failed);
}

function addAll<K extends string>(to: Partial<Record<K, number>>,
    more: Partial<Record<K, number>>): void
{
    for (const [name, n] of Object.entries(more) as [K, number][]) to[name] = (to[name] ?? 0) + n;
}
