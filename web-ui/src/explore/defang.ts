// Addresses made harmless for mails and chats, which turn them into links.

/** Replaces `http` by `hxxp`, and puts brackets around the marks of other addresses. */
export const defanged = (text: string): string =>
    text
        .replace(/\b(h)tt(ps?)(?=:\/\/)/gi, "$1xx$2")
        .replace(/\b(f)t(ps?)(?=:\/\/)/gi, "$1x$2")
        .replace(/:\/\//g, "[://]")
        .replace(/@(?=[\w-]+\.)/g, "[@]")
        .replace(/(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}])/gu, "[.]");
