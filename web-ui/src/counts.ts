// How far it is and how it went, in words.
import { byId, h } from "./dom.ts";
import type { Code, Counts } from "./protocol.ts";

/** Why blobs did not open, and what may help. */
const reasons: Record<string, string> = {
    no_key: "no private key was given",
    no_key_matched: "sealed to another key, or altered; version 4 may be bound to other info or additional data",
    no_key_with_id: "sealed to a key that is not among these: the row names its id",
    wrong_kem: "an X25519 key is needed",
    refused_kem: "sealed with a KEM that is not supported: the row says which, and why",
    truncated: "too large to be logged: the data was never in the log",
    bad_base64: "not base64",
    unsupported_version: "a version that is not known",
    unsupported_suite: "algorithms that are not known",
    bad_length: "cut off",
    trailing_bytes: "goes on after its end",
    bad_record: "a damaged record",
    empty: "empty",
};

/** Whether a key that is not here may open what did not open. */
export function mayOpenWithMoreKeys({ failed }: Counts): boolean {
    const codes: Code[] = ["no_key", "no_key_matched", "no_key_with_id", "wrong_kem"];
    return codes.some((code) => failed[code]);
}

export function showCounts(counts: Counts, search: string): void {
    const part = counts.bytesTotal ? counts.bytesRead / counts.bytesTotal : 1;
    byId<HTMLProgressElement>("bar").value = part;
    byId("counts").textContent = sentence(counts, search);
    const failures = Object.entries(counts.failed) as [Code, number][];
    byId("failures").replaceChildren(...failures.map(([code, n]) => h("li", "", `${number(n)} × ${reasons[code] ?? code}`)));
}

export function clearCounts(): void {
    byId<HTMLProgressElement>("bar").value = 0;
    byId("counts").textContent = "Nothing opened yet.";
    byId("failures").replaceChildren();
}

function sentence(counts: Counts, search: string): string {
    const failed = Object.values(counts.failed).reduce((sum, n) => sum + n, 0);
    const rate = counts.seconds > 0.5 ? ` ${number(Math.round(counts.records / counts.seconds))} records a second.` : "";
    const absent = counts.absent ? `, ${number(counts.absent)} without sealed data` : "";
    const found = search ? ` ${number(counts.found)} hold the searched text.` : "";
    const stopped = counts.cancelled ? " Cancelled." : "";
    const records = `${number(counts.records)} ${counts.records === 1 ? "record" : "records"}`;
    return `${records}: ${number(counts.opened)} opened, ${number(failed)} not${absent}.${found}${rate}${stopped}`;
}

const number = (n: number) => n.toLocaleString("en");
