//! Private keys that are typed in place of a file name. A message must not repeat them.

use crate::error::Error;

/// Makes the error for a key in place of a key file's name.
pub fn key_as_argument() -> Error {
    Error::usage(
        "an argument looks like a key and not like the name of a file; other users can see private keys on a command line, so put \
         the key in a file and name that file",
    )
}
