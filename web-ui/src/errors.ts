// Errors that the page handles.

/** Reports whether an algorithm is only in the library's module `full`. */
export const isNotLoaded = (error: unknown) => (error as { code?: string }).code === "not_loaded";

/** Returns the error that makes the worker load `full`. */
export const notLoaded = () => Object.assign(new Error(), { code: "not_loaded" });
