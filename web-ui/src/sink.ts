// Where a file goes: through the browser's file picker to the disk as it is made, or as a download at its end.
import { save } from "./dom.ts";

export interface Sink {
    write(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
    /** Only now there is a file. */
    close(): Promise<void>;
    /** Nothing is left. */
    abort(): Promise<void>;
}

/** In bytes: a smaller file is a download, without a question. */
const large = 32 * 1024 * 1024;

/** Call it while the user's click counts: the picker asks for one. Undefined if the user chose no file. */
export async function sinkFor(name: string, size: number): Promise<Sink | undefined> {
    if (size <= large || !window.showSaveFilePicker) return download(name);
    try {
        const handle = await window.showSaveFilePicker({ suggestedName: name });
        // It writes to a temporary file, which takes the place of the chosen one when it is closed.
        return await handle.createWritable();
    } catch (error) {
        if ((error as Error).name === "AbortError") return undefined;
        throw error;
    }
}

/** Browsers keep large Blobs on disk, as far as they have room: each part becomes one at once. */
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
