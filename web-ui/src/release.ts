// Engines collect buffers late: what an input's slices took, and arrays that were replaced by longer ones, would add up to more than what is kept.

/** Gives an array's memory back at once. Engines before 2024 cannot. */
export const release = ({ buffer }: { readonly buffer: ArrayBuffer }): void => void buffer.transfer?.(0);
