// Detection of files in the age format, and of calendars, by their beginning.

/** The number of bytes that suffice to recognize a file. */
export const ageBeginning = 1100;

/** Reports whether a file begins like an age file, armored or not. */
export const isAge = (beginning: Uint8Array) =>
    /^\s*(?:age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/.test(
        String.fromCharCode(...beginning.subarray(0, ageBeginning)),
    );

/** Reports whether a file begins as calendars do, perhaps after a byte order mark. */
export const isCalendar = (beginning: Uint8Array) =>
    new TextDecoder().decode(beginning.subarray(0, 19)).startsWith("pqseal-calendar ");
