// The errors of @hpke/core, by name. What went wrong is `message`; `code` is that of `pqseal`,
// whose error is the `cause`.

export class HpkeError extends Error {
    constructor(reason) {
        super(reason?.message ?? String(reason ?? ""),
            reason instanceof Error ? { cause: reason } : undefined);
        this.name = new.target.name;
        // Errors of the engine may have codes too: numbers, or Node's.
        this.code = reason instanceof HpkeError || reason?.name === "PqsealError"
            ? reason.code
            : "failed";
    }
}
export class InvalidParamError extends HpkeError {}
export class ValidationError extends HpkeError {}
export class SerializeError extends HpkeError {}
export class DeserializeError extends HpkeError {}
export class EncapError extends HpkeError {}
export class DecapError extends HpkeError {}
export class ExportError extends HpkeError {}
export class SealError extends HpkeError {}
export class OpenError extends HpkeError {}
export class MessageLimitReachedError extends HpkeError {}
export class DeriveKeyPairError extends HpkeError {}
export class NotSupportedError extends HpkeError {}
