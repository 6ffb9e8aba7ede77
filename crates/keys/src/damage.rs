//! What happens to a key's text on its way here: indentation, invisible characters and quotes, which
//! are removed, and other encodings, which errors name.

use super::{KeyError, NAMED, base64, der, line};

/// The beginning of a PEM block.
pub(super) const BEGIN: &str = "-----BEGIN ";

/// The size of the shortest private key, in bytes.
const SHORTEST: usize = 32;

/// Removes indentation, invisible characters and quotes around a key. The smallest build removes
/// only white space.
pub(crate) fn trim(text: &str) -> &str {
    if !NAMED {
        return text.trim();
    }
    let text = text.trim_matches(is_invisible);
    let quotes = [('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}')];
    (quotes.into_iter())
        .find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close))
        .map_or(text, |inside| inside.trim_matches(is_invisible))
}

/// White space, and characters that editors and chat programs insert without showing them.
pub(crate) fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Replaces the error of a text that is not base64, or does not have the size of a key, by one that
/// names its encoding. Returns `error` if it is of another kind, or the encoding is unknown.
pub(crate) fn explain(text: &str, error: KeyError) -> KeyError {
    match error {
        KeyError::Base64(_) | KeyError::Length { .. } if NAMED => {
            name(trim(text)).map_or(error, KeyError::Text)
        }
        _ => error,
    }
}

fn name(text: &str) -> Option<&'static str> {
    let is_hex = text.len() >= 2 * SHORTEST && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let bytes = base64::decode(text.as_bytes()).unwrap_or_default();
    let inner = std::str::from_utf8(&bytes).unwrap_or_default();
    Some(if is_hex {
        "it is hexadecimal; write it as base64"
    } else if is_key(inner) {
        "it is base64 twice; decode it once"
    } else if matches!(bytes.first(), Some(0x30)) && der::read_public(&bytes) != Err(KeyError::Der)
    {
        "it is DER in base64; put it between the lines -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----"
    } else if text.contains("\\n") {
        "its line breaks are written as \\n; replace these by line breaks"
    } else if (text.split_once(['=', ':']))
        .is_some_and(|(_, value)| is_key(value.trim().trim_end_matches([',', ';'])))
    {
        "it is a name and a key, like a line of a .env file or of YAML, or a member of JSON; give only the key"
    } else if text.strip_suffix('%').is_some_and(is_key) {
        "a % stands after it, by which zsh shows a missing line break; remove that"
    } else {
        return None;
    })
}

/// Reports whether a text seems to be a key.
fn is_key(text: &str) -> bool {
    let text = trim(text);
    line::is(text)
        || text.starts_with(BEGIN)
        || base64::decode(text.as_bytes()).is_ok_and(|bytes| bytes.len() >= SHORTEST)
}
