//! Escapes text for terminals. Attackers write decrypted data, so it must not reach a terminal as
//! control characters.

use std::{fmt::Write, path::Path};

/// Escapes bytes for a terminal: C0, DEL, C1, bidirectional controls and line separators become
/// `\n`, `\x1b` or `\u{202e}`, bytes that are not UTF-8 become `\xff`. A backslash is not escaped,
/// so that JSON can be copied from the screen.
pub fn bytes(input: &[u8]) -> String {
    let mut shown = String::with_capacity(input.len());
    for chunk in input.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push(&mut shown, c));
        chunk
            .invalid()
            .iter()
            .for_each(|byte| hex(&mut shown, u32::from(*byte)));
    }
    shown
}

/// Returns a file name as messages show it.
pub fn path(path: &Path) -> String {
    bytes(path.as_os_str().as_encoded_bytes())
}

/// Escapes DEL, C1 and the rest of [`bytes`]' list in JSON; serde_json escapes only C0. Such
/// characters occur only in strings, so the result is the same JSON.
pub fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if dangerous(c) => _ = write!(shown, "\\u{:04x}", u32::from(c)),
            _ => shown.push(c),
        }
    }
    shown
}

fn push(shown: &mut String, c: char) {
    match c {
        '\n' => shown.push_str("\\n"),
        '\r' => shown.push_str("\\r"),
        '\t' => shown.push_str("\\t"),
        _ if !dangerous(c) => shown.push(c),
        '\0'..='\u{7f}' => hex(shown, u32::from(c)),
        _ => _ = write!(shown, "\\u{{{:x}}}", u32::from(c)),
    }
}

fn hex(shown: &mut String, byte: u32) {
    let _ = write!(shown, "\\x{byte:02x}");
}

/// Reports whether a character moves the cursor, changes its meaning or reorders text. All are
/// below U+10000.
fn dangerous(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_is_shown_and_not_obeyed() {
        let raw = "a\x1b]0;t\x07\u{9b}31m\x7f\r\n\t\u{202e}\u{2066}é\\n".as_bytes();
        let shown = bytes(&[raw, b"\xff\xc3"].concat());
        assert_eq!(
            shown,
            r"a\x1b]0;t\x07\u{9b}31m\x7f\r\n\t\u{202e}\u{2066}é\n\xff\xc3"
        );
        assert!(!shown.chars().any(dangerous));
    }

    #[test]
    fn json_stays_the_same_json() {
        let text = "\x1b\u{9b}\x7f\u{202e}é\"\\";
        let shown = json(&serde_json::to_string(text).unwrap());
        assert!(!shown.chars().any(dangerous));
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
