//! The stanzas of a header (C2SP age.md, "Recipient stanza").

use base64ct::{Base64Unpadded, Encoding};
use zeroize::{Zeroize, Zeroizing};

use crate::HeaderError;

/// The number of characters per line of a body.
pub(crate) const COLUMNS: usize = 64;

/// A recipient stanza, which contains the file key wrapped for one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stanza {
    /// The kind, such as `X25519`.
    pub kind: String,
    /// The arguments after the kind. Each is at least one visible ASCII
    /// character.
    pub args: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Stanza {
    /// Creates a stanza.
    pub fn new(kind: &str, args: Vec<String>, body: Vec<u8>) -> Self {
        Self {
            kind: kind.to_owned(),
            args,
            body,
        }
    }

    /// Decodes an argument in base64.
    pub(crate) fn share(&self, arg: &str) -> Result<Vec<u8>, HeaderError> {
        Base64Unpadded::decode_vec(arg).map_err(|_| HeaderError::Base64)
    }

    pub(crate) fn is_scrypt(&self) -> bool {
        self.kind == "scrypt"
    }
}

impl Zeroize for Stanza {
    /// Wipes the contents, since stanzas to and from plugins contain file keys
    /// and identities.
    fn zeroize(&mut self) {
        self.args.zeroize();
        self.body.zeroize();
    }
}

/// Writes a stanza with these parts.
pub(crate) fn write<'a>(
    out: &mut Vec<u8>,
    kind: &str,
    args: impl Iterator<Item = &'a str>,
    body: &[u8],
) {
    out.extend(b"-> ");
    out.extend(kind.as_bytes());
    for arg in args {
        out.push(b' ');
        out.extend(arg.as_bytes());
    }
    out.push(b'\n');
    // The body may be a file key for a plugin.
    let text = Zeroizing::new(Base64Unpadded::encode_string(body));
    for line in text.as_bytes().chunks(COLUMNS) {
        out.extend(line);
        out.push(b'\n');
    }
    // The last line is short. It is empty if the text fills its lines.
    if text.len() % COLUMNS == 0 {
        out.push(b'\n');
    }
}
