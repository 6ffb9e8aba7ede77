// Bytes in and out.
import { badArgument, failure } from "./attempt.js";
import { InvalidParamError } from "./errors.js";

/**
 * The longest psk, psk_id, exporter context and input keying material, in bytes, as in @hpke/core.
 */
const LONGEST = 8192;

/** A view of an ArrayBuffer, a SharedArrayBuffer or a view. Throws a `Failure` for anything else. */
export function view(value, name, Failure) {
    try {
        if (ArrayBuffer.isView(value))
            return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        if (/^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(value)))
            return new Uint8Array(value);
    } catch {
        throw badArgument(`${name} must be bytes whose buffer was not transferred`, Failure);
    }
    throw badArgument(
        `${name} must be an ArrayBuffer or a view (of text: new TextEncoder().encode(text))`,
        Failure,
    );
}

/**
 * A copy, for what is read after an `await`: by then the caller may have overwritten the original.
 */
export const copy = (value, name, Failure) => view(value, name, Failure).slice();

export function shortView(value, name, Failure) {
    const bytes = view(value, name, Failure);
    if (bytes.byteLength > LONGEST)
        throw new InvalidParamError(
            failure("input_too_long",
                `${name} is too long: ${bytes.byteLength} bytes, at most ${LONGEST}`),
        );
    return bytes;
}

/** The bytes as an ArrayBuffer that holds nothing else. */
export const buffer = (bytes) =>
    bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;

export const fromBase64 = (text) =>
    Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
