// Engines collect unused buffers late. Without this, slices of the input and arrays that were replaced would take more memory than what is kept.

/** Gives an array's memory back at once. Engines before 2024 cannot. */
export const release = ({ buffer }: { readonly buffer: ArrayBuffer }): void => void buffer.transfer?.(0);
