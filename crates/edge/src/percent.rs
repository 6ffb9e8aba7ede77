//! Percent-decoding (RFC 3986, section 2.1) that can map positions back: a rule sees the decoded
//! text, and the original text is logged.

use std::borrow::Cow;

/// An iterator over the decoded bytes of a text, each with its encoded length.
struct Units<'r> {
    rest: &'r [u8],
    /// Set within a query, where `+` is a space, as HTML forms send it.
    is_query: bool,
}

impl Iterator for Units<'_> {
    type Item = (u8, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let (byte, length) = match *self.rest {
            [] => return None,
            [b'%', high, low, ..] => match (hex(high), hex(low)) {
                (Some(high), Some(low)) => (high << 4 | low, 3),
                _ => (b'%', 1),
            },
            [b'+', ..] if self.is_query => (b' ', 1),
            [byte, ..] => (byte, 1),
        };
        // A percent-encoded question mark does not begin a query.
        self.is_query |= self.rest[0] == b'?';
        self.rest = &self.rest[length..];
        Some((byte, length))
    }
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// Returns the text as a rule sees it, decoded once. A `%` without two hex digits is kept.
pub(crate) fn decode(raw: &[u8], is_query: bool) -> Cow<'_, [u8]> {
    if !raw.iter().any(|byte| matches!(byte, b'%' | b'+')) {
        return raw.into();
    }
    let mut decoded = Vec::with_capacity(raw.len());
    let rest = raw;
    decoded.extend(Units { rest, is_query }.map(|(byte, _)| byte));
    decoded.into()
}

/// Returns the position in the encoded text at which this decoded byte begins.
pub(crate) fn place(raw: &[u8], is_query: bool, decoded: usize) -> usize {
    let units = Units {
        rest: raw,
        is_query,
    };
    units.take(decoded).map(|(_, length)| length).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_decoded_is_found_again() {
        for (raw, is_query, decoded, at, place_of_it) in [
            (&b"/cms/%0Aadmin"[..], false, &b"/cms/\nadmin"[..], 6, 8),
            (b"a+b%2b", true, b"a b+", 3, 3),
            (b"/a+b?c+d%3f", false, b"/a+b?c d?", 8, 8),
            (b"%4", false, b"%4", 1, 1),
            (b"%zz%41", false, b"%zzA", 4, 6),
            (b"%3Fa+b", false, b"?a+b", 1, 3),
            (b"%2500", false, b"%00", 1, 3),
            (b"", true, b"", 0, 0),
        ] {
            assert_eq!(*decode(raw, is_query), *decoded);
            assert_eq!(place(raw, is_query, at), place_of_it, "{raw:?}");
        }
    }
}
