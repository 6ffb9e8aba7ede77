// Engines collect unused buffers late. Without this, slices of the input and arrays that were replaced would take more memory than what is kept.

/**
 * Gives the arrays' memory back at once. Engines before 2024 cannot. Not for what came in a message, from a Blob or from an encoder: there
 * Chromium keeps the memory until it collects an object of its own, and would do that later still, since for the engine the memory is gone.
 */
export function release(...arrays: { readonly buffer: ArrayBuffer }[]): void {
    for (const { buffer } of arrays) buffer.transfer?.(0);
}
