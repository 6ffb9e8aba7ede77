// Runs a user's regular expression over texts, and does nothing else. If it takes too long, the
// page ends this thread.
import type { Search, Searched } from "./store/expression.ts";

/** The maximum number of hits per text, enough for a person. */
const mostHits = 20;
/** The longest hit, in characters. */
const longestHit = 1000;

self.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
    port.onmessage = ({ data }: MessageEvent<Search>) => port.postMessage(answer(data));
    port.postMessage("ready");
};

function answer({ id, expression, texts, wanted }: Search): Searched {
    try {
        if (wanted === "hits")
            return {
                id,
                hits: texts.map((text) => hits(text, new RegExp(expression, "giu"))),
            };
        const search = new RegExp(expression, "iu");
        return { id, found: Uint8Array.from(texts, (text) => Number(search.test(text))) };
    } catch (error) {
        return {
            id,
            message: `This regular expression cannot be used: ${(error as Error).message}.`,
        };
    }
}

function hits(text: string, search: RegExp): string[] {
    const found = new Set<string>();
    for (const [hit] of text.matchAll(search)) {
        if (hit !== "" && hit.length <= longestHit) found.add(hit);
        if (found.size === mostHits) break;
    }
    return [...found];
}
