// From the errors of `pqseal` to the classes of errors.js.
import { DeserializeError, HpkeError, InvalidParamError, MessageLimitReachedError,
    NotSupportedError, OpenError } from "./errors.js";

/** Codes that have a class of their own, whatever was being done. */
const CLASSES = {
    bad_argument: InvalidParamError,
    invalid_psk: InvalidParamError,
    input_too_long: InvalidParamError,
    deserialize: DeserializeError,
    open: OpenError,
    message_limit_reached: MessageLimitReachedError,
    unsupported_suite: NotSupportedError,
    refused_kem: NotSupportedError,
    auth_unsupported: NotSupportedError,
    export_only: NotSupportedError,
    rng: NotSupportedError,
};

/** An error as `pqseal` throws it, for what is checked here. */
export const failure = (code, message) =>
    Object.assign(new Error(message), { name: "PqsealError", code });

/** For an argument of the wrong type, and a parameter that does not exist. */
export const badArgument = (message, Failure = InvalidParamError) =>
    new Failure(failure("bad_argument", message));

/**
 * Does it, and throws what fails as an error of errors.js: of class `Otherwise`, unless the code
 * has its own.
 */
export function attempt(Otherwise, action) {
    try {
        return action();
    } catch (error) {
        if (error instanceof HpkeError || error.code === "not_loaded") throw error;
        throw new (CLASSES[error.code] ?? Otherwise)(error);
    }
}
