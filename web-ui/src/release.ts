// Early release of memory. Engines collect unused buffers late, so slices of the input and replaced
// arrays would take more memory than the data.

/**
 * Releases the arrays' memory at once, if the engine can (since 2024). Not for buffers from a
 * message, a Blob or an encoder: Chromium keeps that memory until it collects an object of its own,
 * and would do so even later, since the engine would not count the memory any more.
 */
export function release(...arrays: { readonly buffer: ArrayBuffer }[]): void {
    for (const { buffer } of arrays) buffer.transfer?.(0);
}
