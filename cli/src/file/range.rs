//! `--range`: a part of the plaintext, as in HTTP (RFC 9110, section 14.1.2).

use std::str::FromStr;

/// Bytes of the plaintext, the last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Range {
    /// `FIRST-LAST`, or `FIRST-` to the end.
    From(u64, Option<u64>),
    /// `-COUNT`: the last bytes.
    Last(u64),
}

impl Range {
    /// Returns its beginning in a plaintext of `len` bytes, and its number of bytes there; `None`
    /// if it is empty.
    pub(super) fn within(self, len: u64) -> Option<(u64, u64)> {
        let (first, end) = match self {
            Self::From(first, last) => (
                first,
                last.map_or(len, |last| len.min(last.saturating_add(1))),
            ),
            Self::Last(count) => (len.saturating_sub(count), len),
        };
        (first < end).then(|| (first, end - first))
    }
}

impl FromStr for Range {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "give FIRST-LAST, FIRST- or -COUNT, in bytes of the plaintext from 0";
        let number = |text: &str| text.parse::<u64>().map_err(|_| WRONG);
        match text.split_once('-').ok_or(WRONG)? {
            ("", count) => number(count).map(Self::Last),
            (first, "") => Ok(Self::From(number(first)?, None)),
            (first, last) => match (number(first)?, number(last)?) {
                (first, last) if first <= last => Ok(Self::From(first, Some(last))),
                _ => Err("the first byte of the range is after its last"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_http() {
        let within = |text: &str, len| text.parse::<Range>().unwrap().within(len);
        assert_eq!(within("0-0", 10), Some((0, 1)));
        assert_eq!(within("3-5", 10), Some((3, 3)));
        assert_eq!(within("3-", 10), Some((3, 7)));
        assert_eq!(within("3-99", 10), Some((3, 7)));
        assert_eq!(within("-4", 10), Some((6, 4)));
        assert_eq!(within("-40", 10), Some((0, 10)));
        assert_eq!(within("10-", 10), None);
        assert_eq!(within("0-18446744073709551615", 10), Some((0, 10)));
        for text in ["", "-", "5", "5-3", "a-b", "1-2-3", "+1-2 "] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
    }
}
