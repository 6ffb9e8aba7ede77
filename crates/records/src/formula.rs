//! Protection against formulas in cells. Spreadsheets evaluate a cell that begins like a formula,
//! and opened data was written by the sender of the request. So opened data is written in such a
//! way that no cell that a reader may form from it begins like a formula.
//!
//! A reader may split cells at a delimiter other than that of the table: spreadsheets choose it by
//! the locale. Quotes in the middle of such a cell have no meaning, so a new cell may begin after
//! each comma, semicolon, tab or line break in the text that is written. The table's own delimiter
//! is the exception, since the quotes around that text apply to it.
//!
//! In a text, an apostrophe is inserted before each such cell that begins like a formula, and
//! before a text with a tab or a carriage return among its leading blanks. In JSON, the first
//! character of the formula is escaped instead (`\u003d`), which does not change the value.
//! `tests/formulas.json` has the cases that define the rule. The page is tested with them, too.

use alloc::{format, string::String, vec::Vec};
use core::ops::Range;

use crate::json::{Event, Scanner};

/// A position at which a reader may find a formula.
#[derive(Clone, Copy)]
struct Formula {
    /// The start of its cell.
    cell: usize,
    /// The position of its first character.
    sign: usize,
}

/// Returns the text, changed so that it is safe as a cell of a table with this delimiter.
pub fn harmless_text(text: &str, delimiter: u8) -> String {
    let mut cells = formulas(text, delimiter).map(|found| found.cell).peekable();
    // Some programs remove a tab or a carriage return among the leading blanks, and then look for a
    // formula.
    let mut blanks = text.chars().take_while(|c| is_blank(*c));
    let first = blanks.any(|c| matches!(c, '\t' | '\r')) && cells.peek() != Some(&0);
    let marks = first.then_some(0).into_iter().chain(cells);
    let (mut safe, mut from) = (String::with_capacity(text.len()), 0);
    for at in marks {
        safe.extend([&text[from..at], "'"]);
        from = at;
    }
    safe + &text[from..]
}

/// Returns the JSON, changed so that it is safe as a cell, or a part of one, of a table with this
/// delimiter. Its value is unchanged.
pub fn harmless_json(json: &[u8], delimiter: u8) -> Vec<u8> {
    let (mut safe, mut from) = (Vec::with_capacity(json.len()), 0);
    for string in strings(json) {
        let text = String::from_utf8_lossy(&json[string.clone()]);
        for Formula { sign, .. } in formulas(&text, delimiter) {
            let character = text[sign..].chars().next().unwrap_or_default();
            let at = string.start + sign;
            safe.extend_from_slice(&json[from..at]);
            safe.extend(format!("\\u{:04x}", u32::from(character)).into_bytes());
            from = at + character.len_utf8();
        }
    }
    safe.extend_from_slice(&json[from..]);
    safe
}

/// Returns the range between the quotes of each string.
fn strings(json: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let events = Scanner::new(json).map_while(Result::ok);
    events.filter_map(|event| match event {
        Event::Key(at) | Event::Scalar(at) if json[at.start] == b'"' => {
            Some(at.start + 1..at.end - 1)
        }
        _ => None,
    })
}

/// Returns all positions at which a cell of the text begins like a formula.
fn formulas(text: &str, delimiter: u8) -> impl Iterator<Item = Formula> {
    let mut cell = Some(0);
    text.char_indices().filter_map(move |(sign, c)| {
        let begun = cell.take();
        if ends_cell(c, delimiter) {
            cell = Some(sign + c.len_utf8());
            return None;
        }
        match begun {
            Some(cell) if matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => {
                return Some(Formula { cell, sign });
            }
            // Quotes around a cell are removed. At the start of our text they are part of the text.
            Some(at) if is_blank(c) || (c == '"' && at > 0) => cell = Some(at),
            _ => {}
        }
        None
    })
}

/// Reports whether a reader may end a cell with this character.
fn ends_cell(c: char, delimiter: u8) -> bool {
    c != char::from(delimiter)
        && matches!(
            c,
            ',' | ';' | '\t' | '\n' | '\x0b' | '\x0c' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
}

/// Reports whether programs skip this character before a formula.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}
