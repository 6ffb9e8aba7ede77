// Errors by which the page does something else.

/** An algorithm that only the library's module `full` has. */
export const isNotLoaded = (error: unknown) => (error as { code?: string }).code === "not_loaded";
