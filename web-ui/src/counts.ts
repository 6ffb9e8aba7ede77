// Progress and outcome of a run, in words.
import { byId, fill, h, setText } from "./dom.ts";
import type { Code } from "./opened.ts";
import type { Counts } from "./protocol.ts";

/** The reasons why blobs did not open, and what may help. */
const reasons: Record<string, string> = {
    no_key: "no private key was given",
    no_key_matched: "sealed to another key, or altered",
    altered: "altered, or bound to other info or additional data (version 4)",
    key_shredded: "sealed to a key that was shredded (its day is shown in the row)",
    key_not_lent: "sealed to a key that was not lent (its day is shown in the row)",
    no_key_with_id: "sealed to a key you have not added (its id is shown in the row)",
    wrong_kem: "a key of another type is needed (the row says which)",
    refused_kem: "sealed with a KEM that is not supported: the row says which, and why",
    truncated: "too large to be logged: the data was never in the log",
    bad_base64: "not base64",
    unsupported_version: "not sealed data, or of a version that is not supported",
    unsupported_suite: "algorithms that are not supported",
    bad_length: "cut off",
    trailing_bytes: "bytes after its end",
    bad_object: "parts of it are missing, or not those of its format",
    bad_iv: "an IV of another length than 12 bytes",
    recipient_count: "more recipients than are allowed",
    bad_plaintext: "opened, and not what its format requires",
    malformed: "a JWE that is malformed",
    bad_armor: "an age file that is malformed or cut off",
    not_a_string: "JSON that is not sealed",
    key: "a key and not sealed data: add it under Private key",
    bad_record: "a damaged record",
    empty: "empty",
    absent: "no sealed data",
};

/** Reports whether a missing key may open the rest. */
export function mayOpenWithMoreKeys({ failed }: Counts): boolean {
    const codes: Code[] = ["no_key", "no_key_matched", "no_key_with_id", "key_not_lent",
        "wrong_kem"];
    return codes.some((code) => failed[code]);
}

/** Returns an outcome in words. */
export const reasonOf = (code: string): string => reasons[code] ?? code;

export function showCounts(counts: Counts): void {
    showProgress(counts);
    setText(byId("counts"), sentence(counts));
    const failures = Object.entries(counts.failed) as [Code, number][];
    list(failures.map(([code, n]) => `${number(n)} × ${reasonOf(code)}`));
}

export function showProgress({ bytesRead, bytesTotal }: Counts): void {
    byId<HTMLProgressElement>("bar").value = bytesTotal ? bytesRead / bytesTotal : 1;
}

export function clearCounts(): void {
    byId<HTMLProgressElement>("bar").value = 0;
    byId("counts").textContent = "Nothing opened yet.";
    list([]);
}

/** Shows a list, hidden if it is empty, since screen readers would announce it. */
function list(entries: string[]): void {
    const shown = byId("failures");
    if (shown.children.length !== entries.length) fill(shown, entries.map(() => h("li")));
    shown.hidden = entries.length === 0;
    entries.forEach((entry, i) => setText(shown.children[i]!, entry));
}

function sentence(counts: Counts): string {
    const failed = Object.values(counts.failed).reduce((sum, n) => sum + n, 0);
    const all = counts.opened + failed;
    // A record may have several fields.
    const what = all === counts.records - counts.absent ? "record" : "field";
    const sentences = [
        counts.records === 0
            ? "There are no records in it."
            : all > 0
                && `Opened ${number(counts.opened)} of ${count(all, what)}${
                    counts.absent > 0 ? " with sealed data" : ""
                }.`,
        failed > 0 && `${number(failed)} could not be opened.`,
        counts.reopened > 0
        && `${number(counts.reopened)} only at the second attempt: the browser computed wrong.`,
        counts.absent > 0
        && `${number(counts.absent)} of ${count(counts.records, "record")} without sealed data.`,
        counts.absent > 0 && all === 0
        && "If the field that holds it has another name, set it under Options.",
        counts.seconds > 0.5
        && `${count(Math.round(counts.records / counts.seconds), "record")} per second.`,
        counts.cancelled && "Cancelled.",
    ];
    return sentences.filter(Boolean).join(" ");
}

const count = (n: number, what: string) => `${number(n)} ${what}${n === 1 ? "" : "s"}`;
const number = (n: number) => n.toLocaleString("en");
