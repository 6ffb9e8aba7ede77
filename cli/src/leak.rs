//! Private keys that are typed where a file name belongs. A message must not repeat them.

use crate::error::Error;

/// The failure to be given the name of a key file.
pub fn key_as_argument() -> Error {
    Error::usage(
        "an argument looks like a key and not like the name of a file; other users can see private keys on a command line, so put \
         the key in a file and name that file",
    )
}
