// The name of a saved file: from the input and the filters.
import { nameOf } from "../names.ts";
import { timeText } from "../store/time.ts";
import type { Query } from "../store/types.ts";

/** The longest part of a name, and the longest name, in characters. */
const [longestPart, longest] = [40, 120];
const endings = /\.(gz|zst|zstd|ndjson|jsonl?|csv|tsv|log|txt)$/i;

export function fileName(input: string, { filters, text, time }: Query): string {
    let base = input;
    while (endings.test(base)) base = base.replace(endings, "");
    const parts = [base, "opened",
        ...filters.map(({ column, value, not }) =>
            `${nameOf(column).split(".").at(-1)!}${not ? "-not" : ""}-${value}`
        ), text, ...(time ? time.map(timeText) : [])];
    return parts.map(plain).filter((part) => part !== "").join("-").slice(0, longest);
}

/** Keeps letters, digits and marks that every file system takes, and that no shell reads. */
const plain = (part: string) =>
    part.slice(0, longestPart).replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._-]+|[._-]+$/g, "");
