// Files in the age format by their beginning.

/** In bytes: more than enough of a file. */
export const ageBeginning = 1100;

/** Whether a file begins as one of age's does, armored or not. */
export const isAge = (beginning: Uint8Array) =>
    /^\s*(?:age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/.test(String.fromCharCode(...beginning.subarray(0, ageBeginning)));
