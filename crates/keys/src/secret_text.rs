//! A JSON string that is a private key, all copies of which are wiped.
//!
//! serde_json copies a string with escapes into its own buffer, and leaves a `String` behind if a
//! later member is wrong. So the raw string is borrowed and unescaped here.

use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

/// The string, empty if the member is missing.
#[derive(Default)]
pub(super) struct SecretText(Zeroizing<String>);

impl SecretText {
    pub(super) fn new(text: Zeroizing<String>) -> Self {
        Self(text)
    }

    /// Parses a JSON string that JSON's own parser has accepted. Returns `None` if [`unescape`]
    /// refuses it.
    pub(super) fn parse(json: &str) -> Option<Self> {
        unescape(json).map(Self)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Unescapes a JSON string (RFC 8259, section 7) that JSON's own parser has accepted. Returns
/// `None` for another value, and for escapes of characters beyond ASCII, which no key contains.
fn unescape(json: &str) -> Option<Zeroizing<String>> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?;
    // Never grows: an escape is at least as long as its character.
    let mut text = Zeroizing::new(String::with_capacity(rest.len()));
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let (character, length) = match escape.as_bytes().first()? {
            b'u' => (
                u8::from_str_radix(escape.get(1..5)?, 16)
                    .ok()
                    .filter(u8::is_ascii)?,
                5,
            ),
            b'b' => (8, 1),
            b'f' => (12, 1),
            b'n' => (b'\n', 1),
            b'r' => (b'\r', 1),
            b't' => (b'\t', 1),
            itself => (*itself, 1),
        };
        text.push(char::from(character));
        rest = escape.get(length..)?;
    }
    text.push_str(rest);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn strings_are_read_as_json_reads_them() {
        for json in [
            r#""""#,
            r#""abc""#,
            r#""a\/b\\c\"d\u002fe\u0041""#,
            r#""\b\f\n\r\t""#,
            r#""\\u0041""#,
            r#""ä""#,
        ] {
            let expected: String = serde_json::from_str(json).unwrap();
            assert_eq!(unescape(json).unwrap().as_str(), expected, "{json}");
        }
        for other in ["null", "7", r#""\u00e4""#, r#""\ud83d\ude00""#, r#"["a"]"#] {
            assert!(unescape(other).is_none(), "{other}");
        }
    }
}
