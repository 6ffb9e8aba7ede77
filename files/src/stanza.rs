//! One stanza of a header (C2SP age.md, "Recipient stanza").

use base64ct::{Base64Unpadded, Encoding};
use zeroize::{Zeroize, Zeroizing};

use crate::HeaderError;

/// Characters per line of a body.
pub(crate) const COLUMNS: usize = 64;

/// A recipient stanza: the file key, wrapped for one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stanza {
    /// The kind, such as `X25519`.
    pub kind: String,
    /// The arguments after it. Each is at least one visible ASCII character.
    pub args: Vec<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Stanza {
    /// A stanza of a kind.
    pub fn new(kind: &str, args: Vec<String>, body: Vec<u8>) -> Self {
        Self {
            kind: kind.to_owned(),
            args,
            body,
        }
    }

    /// The one argument, `N` bytes of base64.
    pub(crate) fn only_share<const N: usize>(&self) -> Result<[u8; N], HeaderError> {
        match &self.args[..] {
            [share] => self.share(share)?.try_into(),
            _ => return Err(HeaderError::Arguments),
        }
        .map_err(|_| HeaderError::Arguments)
    }

    /// The bytes of an argument in base64.
    pub(crate) fn share(&self, arg: &str) -> Result<Vec<u8>, HeaderError> {
        Base64Unpadded::decode_vec(arg).map_err(|_| HeaderError::Base64)
    }

    pub(crate) fn is_scrypt(&self) -> bool {
        self.kind == "scrypt"
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let args = self.args.iter().map(String::as_str);
        write(out, &self.kind, args, &self.body);
    }
}

impl Zeroize for Stanza {
    /// Stanzas to and from plugins contain file keys and identities.
    fn zeroize(&mut self) {
        self.args.zeroize();
        self.body.zeroize();
    }
}

/// Writes a stanza of these parts.
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
    // Plugins are sent file keys.
    let text = Zeroizing::new(Base64Unpadded::encode_string(body));
    for line in text.as_bytes().chunks(COLUMNS) {
        out.extend(line);
        out.push(b'\n');
    }
    // The last line is short; it is empty where the text fills its lines.
    if text.len() % COLUMNS == 0 {
        out.push(b'\n');
    }
}
