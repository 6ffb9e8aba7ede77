// The destination of a file: written to disk as it is made, through the browser's file picker, or a
// download at its end.
import { save } from "./dom.ts";

export interface Sink {
    write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
    /** Completes the file, which does not exist before. */
    close(): Promise<void>;
    /** Drops the file. Nothing is left. */
    abort(): Promise<void>;
}

/** The minimum size in bytes for the picker. A smaller file is a download, without a question. */
const large = 32 * 1024 * 1024;

/**
 * Returns a sink. Call it during the user's click, which the picker requires. Undefined if the user
 * chose no file.
 */
export async function sinkFor(name: string, size: number): Promise<Sink | undefined> {
    if (size <= large || !window.showSaveFilePicker) return download(name);
    try {
        const handle = await window.showSaveFilePicker({ suggestedName: name });
        // It writes to a temporary file, which replaces the chosen one when it is closed.
        return await handle.createWritable();
    } catch (error) {
        if ((error as Error).name === "AbortError") return undefined;
        throw error;
    }
}

/**
 * Collects a download. Browsers keep large Blobs on disk as far as they have room, so each part
 * becomes one at once.
 */
function download(name: string): Sink {
    let parts: Blob[] = [];
    return {
        async write(bytes) {
            parts.push(new Blob([bytes]));
        },
        async close() {
            save(name, parts);
        },
        async abort() {
            parts = [];
        },
    };
}
