// Inputs that the page does not open, with advice for each.

const key =
    /^\s*(?:-----BEGIN [A-Z0-9 ]*KEY-----|AGE-SECRET-KEY-|pqseal-(?:private|public)-key:|\{\s*"(?:private|public)_key")/;

/**
 * Reports whether a text looks like a key. Sealed data is longer than the 32 bytes of an X25519
 * key.
 */
export const looksLikeKey = (text: string) => key.test(text) || /^[\w+/-]{43}=$/.test(text.trim());

/**
 * Reports whether a value may be sealed in another way than as matched data: a JSON object, an
 * armored age file, or a JWE, whose five parts have dots between them. Only the module `full` knows.
 */
export function mayBeOther(value: Uint8Array): boolean {
    const first = String.fromCharCode(value.find((byte) => byte > 0x20) ?? 0);
    return "{-".includes(first)
        || ("eICD".includes(first) && value.filter((byte) => byte === 0x2e).length === 4);
}

/** Throws if the beginning of the input shows that it is neither records nor sealed data. */
export function refuseOthers(beginning: string): void {
    const [first = ""] = beginning.trimStart().split("\n", 1);
    if (/^-----BEGIN AGE|^age-encryption\.org/.test(first))
        throw new Error(
            "This is a file that age encrypted. Choose it under Files, or, if it holds a private key, under Private key.",
        );
    if (
        /^\s*-----BEGIN [A-Z0-9 ]*KEY-----/.test(beginning)
        || (key.test(beginning) && beginning.trimStart().startsWith("{"))
    )
        throw new Error("This is a key and not sealed data. Add it under Private key.");
}
