// Protection against formulas. Spreadsheets run a cell that begins like a formula, and opened data
// is an attacker's, so an apostrophe marks such cells as text.

/** White space and control characters that end no line, the byte order mark, and quotes. */
const skipped =
    "[\\0-\\x08\\x0e-\\x20\\x7f-\\x84\\x86-\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff\"]";

/**
 * Matches where a cell begins like a formula: at the text's beginning, and after the end of a cell
 * or line in a spreadsheet that uses another separator than the comma, and so ignores the quotes
 * around the text. Skipped characters may precede the formula.
 */
const formula = new RegExp(
    `(^|[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029])(${skipped}*)(?=[=+\\-@＝＋－＠])`,
    "gu",
);

/** Matches characters that some programs remove before they look for a formula. */
const beginsWithBreak = /^[\s\p{Cc}\ufeff]*[\t\r]/u;

/**
 * Applies the rule of `crates/records/src/formula.rs`, for a table with commas.
 * `crates/pipeline/tests/formulas.json` has cases for both.
 */
export function harmless(text: string): string {
    // Quotes at the text's beginning are part of it, and doubled in its cell.
    const safe = text.replace(formula,
        (found, before: string, skipped: string) =>
            before === "" && skipped.includes("\"") ? found : `${before}'${skipped}`);
    return beginsWithBreak.test(text) ? `'${safe}` : safe;
}
