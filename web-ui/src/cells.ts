// The cells of a row: its outcome, its event, and the opened data.
import type { Row } from "./protocol.ts";
import { type Member, matchedMembers, matchesOf, parsed, payloadMembers } from "./store/members.ts";
import type { Group } from "./store/types.ts";

type Take = (group: Group, name: string, text: string) => void;

/**
 * Visits all cells. `event` are the members of the record. Values are cut to `longest` characters.
 */
export function eachCell(row: Row, event: Member[], longest: number, take: Take): void {
    outcomeCells(row, (name, text) => take("result", name, text));
    for (const [name, text] of event) take("event", name, text);
    openedCells(row, longest, take);
}

/** Visits the cells before those of the event. */
export function outcomeCells({ field, result }: Row,
    take: (name: string, text: string) => void): void
{
    take("result", result.ok ? "opened" : result.code);
    if (field) take("field", field);
}

/** Visits the cells after those of the event. */
export function openedCells({ result }: Row, longest: number,
    take: (group: Exclude<Group, "event">, name: string, text: string) => void): void
{
    if (!result.ok) return;
    take("result", "key", result.keyId);
    const data = parsed(result.text);
    const matches = matchesOf(data);
    for (const [name, text] of matchedMembers(matches, longest)) take("result", name, text);
    for (const [name, text] of payloadMembers(data, matches, longest)) take("payload", name, text);
}
