// What pages hold of the machine's memory.
import { readFileSync, readdirSync } from "node:fs";

/** Processes of pages: of Chromium, Firefox and WebKit. */
const isOfPage = /--type=renderer|-contentproc.* tab$|WebKitWebProcess/;

/**
 * What the pages of the browser that this process has started hold of the machine's memory, in
 * bytes.
 */
export function memory(): number {
    const parents = new Map<number, number>();
    for (const id of readdirSync("/proc").map(Number).filter(Boolean)) {
        const status = unlessEnded(() => readFileSync(`/proc/${id}/status`, "utf8"));
        parents.set(id, Number(/^PPid:\s*(\d+)/m.exec(status)?.[1] ?? 0));
    }
    const isOurs = (id: number): boolean =>
        id === process.pid || (id > 0 && isOurs(parents.get(id) ?? 0));
    let sum = 0;
    for (const id of [...parents.keys()].filter(isOurs)) {
        const command = unlessEnded(() => readFileSync(`/proc/${id}/cmdline`, "utf8")).replaceAll(
            "\0",
            " ",
        ).trim();
        if (isOfPage.test(command))
            sum += 4096
                * Number(
                    unlessEnded(() => readFileSync(`/proc/${id}/statm`, "utf8")).split(" ")[1] ?? 0,
                );
    }
    return sum;
}

/** By how many bytes they grew at most while `action` ran. */
export async function growth(action: () => Promise<void>): Promise<number> {
    const before = memory();
    if (before === 0) throw new Error("no process of a page was found");
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, memory())), 200);
    try {
        await action();
    } finally {
        clearInterval(watch);
    }
    return most - before;
}

/** What a process says, or nothing if it has ended meanwhile. */
function unlessEnded(read: () => string): string {
    try {
        return read();
    } catch {
        return "";
    }
}
