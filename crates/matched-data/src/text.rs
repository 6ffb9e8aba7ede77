//! Decoding of pasted text into the bytes of a blob.

use std::borrow::Cow;

use pqseal_keys::base64;

use crate::Blob;
use crate::Error;

/// The word that the edge logs instead of a payload that is too large.
pub const TRUNCATED: &str = "truncated";

/// The byte order mark that editors on Windows put before text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Blob<'_> {
    /// Decodes the text of a blob: base64 in either alphabet, with or without padding, in any
    /// number of lines.
    ///
    /// ```
    /// use pqseal_matched_data::{Blob, Error};
    ///
    /// assert_eq!(*Blob::decode(b" AwAB\r\n")?, [3, 0, 1]);
    /// assert_eq!(Blob::decode(b"truncated"), Err(Error::Truncated));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Empty`]; [`Error::Truncated`] for the word `truncated`, which the edge logs instead
    /// of a payload that was too large; [`Error::Base64`].
    pub fn decode(text: &[u8]) -> Result<Vec<u8>, Error> {
        match text.trim_ascii() {
            b"" => Err(Error::Empty),
            word if word == TRUNCATED.as_bytes() => Err(Error::Truncated),
            // Moved out of its wiping container: a blob is not secret.
            text => Ok(std::mem::take(&mut *base64::decode(text)?)),
        }
    }

    /// Decodes the text of a blob like [`Blob::decode`], or returns its bytes if they are given
    /// directly. A byte order mark before text is skipped.
    ///
    /// # Errors
    /// Same as [`Blob::decode`].
    pub fn decode_text_or_bytes(input: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
        if Self::is_binary(input) {
            return Ok(Cow::Borrowed(input));
        }
        let text = input.strip_prefix(BYTE_ORDER_MARK).unwrap_or(input);
        Self::decode(text).map(Cow::Owned)
    }

    /// Reports whether an input is the bytes of a blob: they begin with its version, a control
    /// character that no text begins with.
    #[must_use]
    pub fn is_binary(input: &[u8]) -> bool {
        matches!(input.first(), Some(0..=8))
    }
}
