// The columns that are shown first, and their widths.
import type { ColumnFacts } from "../store/types.ts";

/**
 * Columns by their names in Logpush, dashboards' exports and the Elastic Common Schema, in the
 * order of the table.
 */
const first: Record<string, RegExp> = {
    time:
        /^(e:)(edgestart)?(timestamp|datetime|time|@timestamp)$|^e:.*[._](datetime|timestamp|occurred_?at)$/i,
    rule: /^e:(.*\.)?(rule_?id|rule|rule\.id|signature)$/i,
    ruleName: /^e:(.*\.)?(description|rule[._]?(message|description|name|title)|rule_?msg)$/i,
    action: /^e:(.*\.)?(action|(security|waf|firewall)_?action)$/i,
    method: /^e:(.*\.)?((client_?)?(request_?)?(http_?)?method(name)?)$/i,
    host: /^e:(.*\.)?((client_?)?(request_?)?(http_?)?host(name)?|url\.domain)$/i,
    path: /^e:(.*\.)?((client_?)?(request_?)?(path|uri|url)|url\.path)$/i,
    address: /^e:(.*\.)?((client|source|src|remote)[._]?(ip|addr|address)|ip)$/i,
    country: /^e:(.*\.)?((client_?)?country(_?(name|code))?|country_iso_code)$/i,
    ray: /^e:(.*\.)?(ray_?(id|name)?)$/i,
};

/** Returns the default columns: one of each kind, if the events have it. */
export function firstColumns(columns: ColumnFacts[]): string[] {
    const names = kinds(columns, Object.keys(first).filter((kind) => kind !== "ruleName"));
    return columns.some(({ id }) => id === "r:file") ? [...names, "r:file"] : names;
}

/** Returns the columns whose most frequent values are shown by default. */
export function firstTops(columns: ColumnFacts[]): string[] {
    const has = (id: string) => columns.some((column) => column.id === id);
    // With one value it says nothing.
    const isOne = (columns.find(({ id }) => id === "r:result")?.distinct ?? 0) < 2;
    return [...(isOne ? [] : ["r:result"]), ...kinds(columns, ["action", "rule", "ruleName"]),
        ...["r:matched part", "r:matched text"].filter(has),
        ...kinds(columns, ["path", "address", "country", "host"]), ...(isOne ? ["r:result"] : [])]
        .filter(has);
}

/** Returns the columns that CSV has besides those of the table. */
export function furtherColumns(columns: ColumnFacts[]): string[] {
    const has = (id: string) => columns.some((column) => column.id === id);
    return [...kinds(columns, ["ruleName"]), ...["r:matched part", "r:matched text"].filter(has)];
}

/** Returns the kind of a column, if it has one. */
export const kindOf = (id: string): string | undefined =>
    id.length < longest
        ? Object.keys(first).find((name) => first[name]!.test(id))
        : undefined;

const kinds = (columns: ColumnFacts[], names: string[]) =>
    names.flatMap((name) =>
        columns.find(({ id, group }) =>
            group === "event" && id.length < longest && first[name]!.test(id)
        )?.id ?? []
    );

/**
 * The longest name that is looked at, in characters. Attackers may choose names; events have
 * shorter ones.
 */
const longest = 200;

/** The initial widths of columns, in rem. */
const widths: Record<string, number> = {
    time: 10.5,
    rule: 7.5,
    ruleName: 10,
    action: 6.5,
    method: 4.5,
    host: 8,
    path: 8,
    address: 8,
    country: 4,
    ray: 9,
};

export const widthOf = (id: string): number => widths[kindOf(id) ?? ""] ?? 9;
