// A description of what the table does not show.
import { plainName } from "../names.ts";
import type { Overview } from "../store/types.ts";

export function notesOf(now: Overview, isFiltered: boolean): string {
    const { matched, total, missing, unheld, partial, dropped, incomplete, leftOut, moreLeftOut } =
        now;
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
        dropped.length > 0
        && `Out of room: ${names(dropped)} had the most different values and ${
            dropped.length === 1 ? "is" : "are"
        } not kept, so that counts of all other columns are complete. Filters do not see ${
            dropped.length === 1 ? "it" : "them"
        }; the side view reads ${
            dropped.length === 1 ? "it" : "them"
        } again, and exports have all. Options has more memory.`,
        partial
        && `${count(partial, "record has", "records have")} members that are not kept${
            incomplete.length ? ` (${names(incomplete)})` : ""
        }: filters do not see them, and the side view reads them again.`,
    ].filter(Boolean).join(" ");
}

/** The maximum number of columns that are named. */
const mostNamed = 10;

const names = (columns: string[]): string =>
    columns.slice(0, mostNamed).map((id) => plainName(id)).join(", ")
    + (columns.length > mostNamed ? ` and ${columns.length - mostNamed} more` : "");

const count = (n: number, one: string, many: string) => `${number(n)} ${n === 1 ? one : many}`;
const number = (n: number) => n.toLocaleString("en");
