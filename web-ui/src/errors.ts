// Errors that the page handles.

/** Reports whether an algorithm is only in the library's module `full`. */
export const isNotLoaded = (error: unknown) => (error as { code?: string }).code === "not_loaded";
