//! Checks for a complete blob in a line.

use pqseal_matched_data::{Blob, Error, Trailing};

/// The bytes of a blob, or the error in its text.
pub type Decoded = Result<Vec<u8>, Error>;

/// Returns the blob of a line that is a complete one, or the word that replaces one.
pub fn blob(line: &[u8]) -> Option<Decoded> {
    let blob = Blob::decode(line);
    let is_whole = match &blob {
        Ok(blob) => has_length(blob) || is_v4(blob),
        Err(error) => *error == Error::Truncated,
    };
    is_whole.then_some(blob)
}

/// Reports whether a line is a complete blob that contains its length (versions 1 to 3), or the
/// word `truncated`.
pub fn has_end(line: &[u8]) -> bool {
    match Blob::decode(line) {
        Ok(blob) => has_length(&blob),
        Err(error) => error == Error::Truncated,
    }
}

fn has_length(blob: &[u8]) -> bool {
    matches!(Blob::parse(blob, Trailing::Ignore), Ok(Blob::V1to3(_)))
}

/// Reports whether a blob is a complete one of version 4. Its supported suite distinguishes it
/// from the middle of another blob.
fn is_v4(blob: &[u8]) -> bool {
    Blob::describe(blob).is_ok_and(|found| found.version == 4 && found.problem.is_none())
}
