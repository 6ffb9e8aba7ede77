//! Key files under a passphrase: age files, as `age -p` and `pqseal keygen --encrypt` write them,
//! and PKCS#8, as `openssl pkcs8` writes it. Without the feature `passphrase`, such a file is
//! recognised and refused.

#[cfg(feature = "passphrase")]
mod age_file;
#[cfg(not(feature = "passphrase"))]
mod unsupported;

#[cfg(feature = "passphrase")]
pub use age_file::{Passphrase, decrypt, is_under_passphrase, wrong};
#[cfg(not(feature = "passphrase"))]
pub use unsupported::Passphrase;

/// The first bytes of an age file, binary and in ASCII armor.
const MARKS: [&[u8]; 2] = [
    b"age-encryption.org/v1",
    b"-----BEGIN AGE ENCRYPTED FILE-----",
];

/// Reports whether a file is an age file, with a passphrase or not.
pub fn is_encrypted(file: &[u8]) -> bool {
    let file = file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file);
    let file = file.trim_ascii_start();
    MARKS.iter().any(|mark| file.starts_with(mark))
}
