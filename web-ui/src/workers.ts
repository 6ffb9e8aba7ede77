// The page's threads: the worker, which holds all secrets, its helpers, each connected to it by a
// port, and one that searches for regular expressions, which is ended when one takes too long. The
// page starts the helpers as well: in Firefox 153 a worker that starts a worker sometimes never
// continues.
import { openerType, openerUrl } from "virtual:opener";
import { searcherType, searcherUrl } from "virtual:searcher";
import { workerType, workerUrl } from "virtual:worker";
import type { ToOpener, ToPool } from "./pool.ts";
import type { ToSearch } from "./protocol.ts";

/**
 * The maximum number of helpers. Beyond it, the others wait for the thread that splits the input
 * and stores opened data.
 */
const mostOpeners = 8;

let rules: { createScriptURL(url: string): string } | undefined;
let openers: Worker[] = [];
let searcher: Worker | undefined;

/** Starts the worker, and a helper for each further processor: the worker opens records too. */
export function startWorkers(): Worker {
    const worker = new Worker(trusted(workerUrl), { type: workerType });
    const processors = navigator.hardwareConcurrency || 1;
    openers = Array.from({ length: Math.min(processors - 1, mostOpeners) },
        (_, number) => startOpener(number, worker));
    startSearcher(worker);
    return worker;
}

/** Replaces the thread that searches. */
export function startSearcher(worker: Worker): void {
    searcher?.terminate();
    searcher = new Worker(trusted(searcherUrl), { type: searcherType });
    const { port1, port2 } = new MessageChannel();
    searcher.postMessage(port1, [port1]);
    worker.postMessage({ kind: "searcher", port: port2 } satisfies ToSearch, [port2]);
    searcher.onerror = () => worker.postMessage({ kind: "searcher" } satisfies ToSearch);
}

/** Ends the threads, and with them their memory, with keys and opened data. */
export function endWorkers(worker: Worker): void {
    worker.terminate();
    for (const opener of openers) opener.terminate();
    searcher?.terminate();
}

function startOpener(number: number, worker: Worker): Worker {
    const opener = new Worker(trusted(openerUrl), { type: openerType });
    const { port1, port2 } = new MessageChannel();
    opener.postMessage({ kind: "port", port: port1 } satisfies ToOpener, [port1]);
    worker.postMessage({ kind: "opener", number, port: port2 } satisfies ToPool, [port2]);
    opener.onerror = () => worker.postMessage({ kind: "no-opener", number } satisfies ToPool);
    return opener;
}

/** Returns a URL for Trusted Types, which only allow code from these URLs. */
function trusted(url: string): string {
    const own = {
        createScriptURL: (
            asked: string,
        ) => ([workerUrl, openerUrl, searcherUrl].includes(asked) ? asked : ""),
    };
    rules ??= window.trustedTypes?.createPolicy("worker", own) ?? own;
    return rules.createScriptURL(url);
}
