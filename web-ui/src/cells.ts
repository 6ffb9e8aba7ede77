// What columns a row has cells in: how its blob opened, its event, what was in it.
import type { Row } from "./protocol.ts";
import { type Member, matchedMembers, parsed, payloadMembers } from "./store/members.ts";
import type { Group } from "./store/types.ts";

/** `event` are the members of the record. Values are cut to `longest` characters. */
export function eachCell({ field, result }: Row, event: Member[], longest: number, take: (group: Group, name: string, text: string) => void): void {
    take("result", "result", result.ok ? "opened" : result.code);
    if (field) take("result", "field", field);
    for (const [name, text] of event) take("event", name, text);
    if (!result.ok) return;
    take("result", "key", result.keyId);
    const data = parsed(result.text);
    for (const [name, text] of matchedMembers(data, longest)) take("result", name, text);
    for (const [name, text] of payloadMembers(data, longest)) take("payload", name, text);
}
