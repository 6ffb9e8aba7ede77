//! Whether a line is a whole blob.

use envelope::{Blob, Error, Trailing};

/// Whether one line is a whole blob, or the word that replaces one.
pub fn is_whole(line: &[u8]) -> bool {
    has_end(line) || Blob::decode(line).is_ok_and(|blob| is_v4(&blob))
}

/// The same of what says itself where it ends: versions 1 to 3, and the word `truncated`.
pub fn has_end(line: &[u8]) -> bool {
    match Blob::decode(line) {
        Ok(blob) => matches!(Blob::parse(&blob, Trailing::Ignore), Ok(Blob::V1to3(_))),
        Err(error) => error == Error::Truncated,
    }
}

/// A version 4 blob is distinguished from the middle of another by its suite, which is supported.
fn is_v4(blob: &[u8]) -> bool {
    Blob::describe(blob).is_ok_and(|found| found.version == 4 && found.problem.is_none())
}
