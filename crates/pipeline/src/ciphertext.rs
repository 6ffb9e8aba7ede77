//! Base64 of sealed fields (RFC 4648, section 4), decoded and encoded with SIMD. Addresses and
//! branches depend on the characters, so nothing secret is passed through here.

use std::{ops::Range, sync::LazyLock};

use base64::engine::{Engine, general_purpose};
use pqseal_matched_data::{Blob, Error};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
type Standard = base64::engine::Simd;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
type Standard = base64::engine::GeneralPurpose;

static STANDARD: LazyLock<Standard> = LazyLock::new(standard);

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn standard() -> Standard {
    Standard::standard(general_purpose::PAD)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const fn standard() -> Standard {
    general_purpose::STANDARD
}

/// Appends the decoded bytes of a sealed field and returns their range, or `None` if there is no
/// text or it is empty.
///
/// # Errors
/// The errors of [`Blob::decode`].
pub(crate) fn decode(
    text: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<Option<Range<usize>>, Error> {
    let Some(text) = text else { return Ok(None) };
    let start = out.len();
    if STANDARD.decode_vec(text, out).is_err() || out.len() == start {
        // The text is invalid, or in a less common variant of base64.
        out.truncate(start);
        match Blob::decode(text) {
            Err(Error::Empty) => return Ok(None),
            decoded => out.extend(decoded?),
        }
    }
    Ok(Some(start..out.len()))
}

/// Returns the text of a sealed field.
pub(crate) fn encode(blob: &[u8]) -> String {
    STANDARD.encode(blob)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the result of [`decode`], which must keep the bytes of the field before it.
    fn fast(text: Option<&[u8]>) -> Result<Option<Vec<u8>>, Error> {
        let mut out = b"others".to_vec();
        let decoded = decode(text, &mut out);
        let place = decoded.as_ref().ok().cloned().flatten().unwrap_or(6..6);
        assert!(out.starts_with(b"others") && place == (6..out.len()));
        decoded.map(|place| place.map(|place| out[place].to_vec()))
    }

    /// Decodes without SIMD.
    fn slow(text: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        match Blob::decode(text) {
            Err(Error::Empty) => Ok(None),
            decoded => decoded.map(Some),
        }
    }

    #[test]
    fn what_is_no_plain_base64_is_decoded_or_refused_as_before() {
        assert_eq!(fast(None), Ok(None));
        for text in [
            "",
            " ",
            "=",
            "====",
            "truncated",
            "AwAB",
            "Aw==",
            "Aw",
            "Ax==",
            "Aw=",
            "A",
            "A===",
            "-_-_",
            "+/+/",
            " AwAB\r\n",
            "AwAB AwAB",
            "Aw==AwAB",
            "AwAB\0",
            "AwA\u{e9}",
        ] {
            assert_eq!(fast(Some(text.as_bytes())), slow(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn vectors_decode_what_constant_time_code_does(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            at in any::<prop::sample::Index>(),
            byte in any::<u8>(),
        ) {
            let text = encode(&bytes);
            prop_assert_eq!(&text, &pqseal_keys::base64::encode(&bytes));
            prop_assert_eq!(fast(Some(text.as_bytes())), slow(text.as_bytes()));
            let mut damaged = text.into_bytes();
            if !damaged.is_empty() {
                let at = at.index(damaged.len());
                damaged[at] = byte;
            }
            prop_assert_eq!(fast(Some(&damaged)), slow(&damaged));
        }
    }
}
