//! SSH public keys in the wire format: `ssh-ed25519` (RFC 8709, section 4) and `ssh-rsa` (RFC
//! 4253, section 6.6).

use super::{ed25519, rsa, wire::Reader};
use crate::SshError;

#[derive(Clone, Debug)]
pub(super) enum PublicKey {
    Ed25519(ed25519::PublicKey),
    Rsa(rsa::PublicKey),
}

pub(super) fn read(wire: &[u8]) -> Result<PublicKey, SshError> {
    let mut reader = Reader::new(wire);
    let key = match reader.string()? {
        b"ssh-ed25519" => PublicKey::Ed25519(ed25519::PublicKey::new(reader.string()?)?),
        b"ssh-rsa" => {
            let exponent = reader.positive()?;
            PublicKey::Rsa(rsa::PublicKey::new(reader.positive()?, exponent)?)
        }
        _ => return Err(SshError::Kind),
    };
    reader.end()?;
    Ok(key)
}
