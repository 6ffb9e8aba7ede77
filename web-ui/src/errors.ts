// Errors that the page handles.

/** Reports whether an algorithm is only in the library's module `full`. */
export const isNotLoaded = (error: unknown) => (error as { code?: string }).code === "not_loaded";

/** Returns the error that makes the worker load `full`. */
export const notLoaded = () => Object.assign(new Error(), { code: "not_loaded" });

/**
 * Makes a sentence of a message of the library, which is a part of a sentence with names in
 * backticks.
 */
export const sentence = (message: string) =>
    `${message.charAt(0).toUpperCase()}${message.slice(1).replaceAll("`", "")}${
        /[.?]$/.test(message) ? "" : "."
    }`;
