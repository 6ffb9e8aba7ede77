//! Private keys that are typed where a file name belongs. A message must not repeat them.

use envelope::base64;

use crate::error::Error;

/// Whether a command-line argument seems to be a private key: then it must not be repeated in a
/// message.
pub fn looks_like_a_key(argument: &str) -> bool {
    let secret = [
        "pqseal-private-key:",
        "PRIVATE KEY",
        "\"private_key\"",
        "\"kty\"",
    ];
    secret.iter().any(|mark| argument.contains(mark))
        // The shortest private key has 32 bytes; one that was cut by a character is as secret.
        || base64::decode(argument.as_bytes()).is_ok_and(|bytes| bytes.len() >= 31)
}

/// The failure to be given the name of a key file.
pub fn key_as_argument() -> Error {
    Error::usage(
        "an argument looks like a key and not like the name of a file; other users can see private keys on a command line, so put \
         the key in a file and name that file",
    )
}
