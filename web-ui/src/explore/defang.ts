// Addresses in a text made harmless for mails and chats, which make links of them.

/** `hxxp` for `http`, and brackets about what makes a link of the rest. */
export const defanged = (text: string): string =>
    text
        .replace(/\b(h)tt(ps?)(?=:\/\/)/gi, "$1xx$2")
        .replace(/\b(f)t(ps?)(?=:\/\/)/gi, "$1x$2")
        .replace(/:\/\//g, "[://]")
        .replace(/@(?=[\w-]+\.)/g, "[@]")
        .replace(/(?<=[\p{L}\p{N}-])\.(?=[\p{L}\p{N}])/gu, "[.]");
