// A record as Markdown for a ticket, in which an attacker's text neither links nor formats.
import { cut, matchesOf, parsed } from "../store/members.ts";
import type { Detail } from "../store/types.ts";
import { inOneLine } from "../visible.ts";
import { defanged } from "./defang.ts";
import { kindOf } from "./labels.ts";

/** The longest value, in characters, and the maximum number of matches. */
const [longest, mostMatches] = [500, 5];

/** The members of a record that a ticket has, by their kinds. */
const facts: [label: string, kinds: string[]][] = [["Time", ["time"]], ["Rule", ["rule",
    "ruleName"]], ["Action", ["action"]], ["Ray", ["ray"]], ["Client", ["address", "country"]], [
    "Request",
    ["method", "host", "path"],
]];

export function ticket({ record, file, event, result }: Detail): string {
    const of = (kind: string) => event.find(([name]) => kindOf(`e:${name}`) === kind)?.[1] ?? "";
    const lines = facts.flatMap(([label, kinds]) => {
        const values = kinds.map(of).filter((value) => value !== "");
        return values.length ? [`- ${label}: ${values.map(code).join(" ")}`] : [];
    });
    const from = file ? ` of ${code(file)}` : "";
    return [`**Record ${record}**${from}`, "", ...lines, ...matched(result)].join("\n");
}

function matched(result: Detail["result"]): string[] {
    if (!result.ok) return [`- Not opened: ${code(result.message)}`];
    const matches = matchesOf(parsed(result.text)).slice(0, mostMatches);
    if (!matches.length) return [`- Opened data: ${code(result.text)}`];
    return matches.map(({ part, before, content, after }) =>
        `- Match in ${code(part)}: ${code(content)}${
            before || after ? ` within ${code(before + content + after)}` : ""
        }`
    );
}

/** Returns code, within more backticks than the text has in a row. */
function code(text: string): string {
    const safe = inOneLine(defanged(cut(text, longest)));
    let longestRun = 0;
    for (const { length } of safe.match(/`+/g) ?? []) longestRun = Math.max(longestRun, length);
    const fence = "`".repeat(longestRun + 1);
    const space = longestRun > 0 || /^ .* $/.test(safe) ? " " : "";
    return `${fence}${space}${safe || " "}${space}${fence}`;
}
