// A description of what the table does not show.
import type { Overview } from "../store/types.ts";

export function notesOf(now: Overview, isFiltered: boolean): string {
    const { matched, total, missing, unheld, partial, leftOut, moreLeftOut } = now;
    return [
        isFiltered && `${number(matched)} of ${number(total)} match.`,
        missing
        && `${
            number(missing)
        } more are not shown: there is no room in memory. Exports have them if nothing is filtered.`,
        unheld
        && `${
            count(unheld, "payload is", "payloads are")
        } not kept in memory: filters do not see them, and they are opened again when you choose them.`,
        (leftOut || moreLeftOut)
        && `Some members have no column: there are too many (${number(leftOut)}${
            moreLeftOut ? " or more" : ""
        }).`,
        partial
        && `${
            count(partial, "record has", "records have")
        } members that are not kept: filters do not see them, and the side view reads them again.`,
    ].filter(Boolean).join(" ");
}

const count = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`;
const number = (n: number) => n.toLocaleString("en");
