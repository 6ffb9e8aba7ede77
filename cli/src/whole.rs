//! Checks for a complete blob in a line.

use pqseal_matched_data::{Blob, Error, Trailing};

/// Reports whether a line is a complete blob, or the word that replaces one.
pub fn is_whole(line: &[u8]) -> bool {
    has_end(line) || Blob::decode(line).is_ok_and(|blob| is_v4(&blob))
}

/// Reports whether a line is a complete blob that contains its length (versions 1 to 3), or the
/// word `truncated`.
pub fn has_end(line: &[u8]) -> bool {
    match Blob::decode(line) {
        Ok(blob) => matches!(Blob::parse(&blob, Trailing::Ignore), Ok(Blob::V1to3(_))),
        Err(error) => error == Error::Truncated,
    }
}

/// Reports whether a blob is a complete one of version 4. Its supported suite distinguishes it
/// from the middle of another blob.
fn is_v4(blob: &[u8]) -> bool {
    Blob::describe(blob).is_ok_and(|found| found.version == 4 && found.problem.is_none())
}
