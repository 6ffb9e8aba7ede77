// Spreadsheets run a cell that begins like a formula. Opened data is what an attacker sent, so an apostrophe makes text of it.

/** White space and control characters that end no line, the byte order mark, and quotes. */
const skipped = '[\\0-\\x08\\x0e-\\x20\\x7f-\\x84\\x86-\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff"]';

/**
 * Where a cell begins like a formula: at the text's beginning, and after what ends cells or lines in a spreadsheet that takes another
 * separator than the comma, and so sees no quotes around the text. What is skipped before a formula may stand between.
 */
const formula = new RegExp(`(^|[;\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029])(${skipped}*)(?=[=+\\-@＝＋－＠])`, "gu");

/** Some programs remove such a character, and then look for a formula. */
const beginsWithBreak = /^[\s\p{Cc}\ufeff]*[\t\r]/u;

/** The rule of `siem/src/formula.rs`, for a table with commas. `siem/tests/formulas.json` has the cases for both. */
export function harmless(text: string): string {
    // Quotes at the text's beginning are part of it, and doubled in its cell.
    const safe = text.replace(formula, (found, before: string, skipped: string) =>
        before === "" && skipped.includes('"') ? found : `${before}'${skipped}`);
    return beginsWithBreak.test(text) ? `'${safe}` : safe;
}
