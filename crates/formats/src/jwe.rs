//! JSON Web Encryption (RFC 7516) with HPKE: draft-ietf-jose-hpke-encrypt-22, and the post-quantum
//! algorithms of draft-ietf-jose-hpke-pq-pqt-01.
//!
//! | | Integrated Encryption (`HPKE-n`) | Key Encryption (`HPKE-n-KE`) |
//! |---|---|---|
//! | HPKE encrypts | the plaintext | a content encryption key (CEK) |
//! | recipients | one | one or several, also of other algorithms |
//! | `enc` | absent | A128GCM, A256GCM or A128CBC-HS256 |
//! | encapsulated key | the JWE Encrypted Key | the header parameter `ek` |
//! | HPKE info | [`Recipient::info`], by default empty | `"JOSE-HPKE rcpt" FF enc FF`, then [`Recipient::info`] |
//! | HPKE aad | the protected header and `aad` | empty |
//!
//! ```
//! use getrandom::SysRng;
//! use pqseal_formats::{PrivateKey, algorithm, jwe::{Opener, Recipient, Sealer, Serialization}};
//!
//! let alg = algorithm("HPKE-9").expect("an algorithm of the table");
//! let (private, _) = alg.suite()?.generate_key_pair(&mut SysRng)?;
//! let private = PrivateKey::new(private).with_kid("2026-11");
//!
//! let public = private.public_key()?;
//! let recipient = Recipient::new(alg, &public)?;
//! let token = Sealer::new(recipient).seal(Serialization::Compact, b"message", &mut SysRng)?;
//!
//! let opened = Opener::new(&[alg]).key(&private).open(&token)?;
//! assert_eq!(*opened.plaintext, b"message");
//! # Ok::<(), pqseal_formats::Error>(())
//! ```

mod content;
mod header;
mod jwk;
mod open;
mod seal;
mod serialization;

use std::fmt;

pub use content::Enc;
pub use header::{Header, MAX_HEADER, MAX_MEMBERS};
pub use jwk::{private_key, public_key, write_private, write_public};
pub use open::{Opened, Opener, Options, RecipientHeader, inspect};
pub use seal::{Recipient, Sealer};
pub use serialization::MAX_RECIPIENTS;

/// The serialization of a JWE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serialization {
    /// Five parts of base64url with dots between them (RFC 7516, section 3.1): one recipient, no
    /// `aad`.
    Compact,
    /// One JSON object for one recipient (section 7.2.2).
    Flattened,
    /// A JSON object with an array of recipients (section 7.2.1).
    General,
}

impl fmt::Display for Serialization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compact => "compact",
            Self::Flattened => "flattened JSON",
            Self::General => "general JSON",
        })
    }
}

/// Encodes the info of Key Encryption (`Recipient_structure`, section 6.1 of the draft).
fn recipient_structure(enc: Enc, extra: &[u8]) -> Vec<u8> {
    [b"JOSE-HPKE rcpt\xff", enc.name().as_bytes(), b"\xff", extra].concat()
}

/// Builds the additional authenticated data (step 15 of section 7.1): the protected header as it
/// was sent, and the `aad` if there is one.
fn authenticated(protected: &str, aad: Option<&str>) -> Vec<u8> {
    match aad {
        Some(aad) => [protected, aad].join(".").into_bytes(),
        None => protected.as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The draft's example in section 6.1.1.
    #[test]
    fn recipient_structure_of_the_draft() {
        let expected = "4a4f53452d48504b452072637074ff4131323847434dff";
        let found = data_encoding::HEXLOWER.encode(&recipient_structure(Enc::A128Gcm, b""));
        assert_eq!(found, expected);
    }
}
