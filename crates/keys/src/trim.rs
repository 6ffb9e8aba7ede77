//! Removal of indentation, invisible characters and quotes around a key.

use super::NAMED;

/// Removes indentation, invisible characters and quotes around a key. The smallest build removes
/// only white space.
pub(crate) fn undo(text: &str) -> &str {
    if !NAMED {
        return text.trim();
    }
    let text = text.trim_matches(is_invisible);
    let quotes = [('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}')];
    let inside = |(open, close)| text.strip_prefix(open)?.strip_suffix(close);
    let inside = quotes.into_iter().find_map(inside);
    inside.map_or(text, |inside| inside.trim_matches(is_invisible))
}

/// White space, and characters that editors and chat programs insert without showing them.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}
