//! One half of a hybrid: a way to agree on a secret by one share from each side.

mod bike_level;
mod dh;
mod kem;

use std::fmt;

use getrandom::{SysRng, rand_core::TryRng};
use hpke::{Error, Secret};

#[cfg(feature = "bike")]
pub(crate) use bike_level::BikeLevel;
pub(crate) use dh::Dh;
pub(crate) use kem::Raw;

/// A key agreement with one share from each side. The client starts, the server answers, the client
/// finishes: for a KEM that is KeyGen, Encaps and Decaps, for Diffie-Hellman it is symmetric.
pub(crate) trait Half: fmt::Debug + Send + Sync {
    /// The lengths of the shares.
    fn sizes(&self) -> Sizes;

    /// The code point of this half as a group of its own, if a client may offer it beside the
    /// hybrid with the same share. Only Diffie-Hellman has one.
    fn alone(&self) -> Option<u16> {
        None
    }

    /// Client: an ephemeral key.
    fn start(&'static self) -> Result<Box<dyn Started>, Error>;

    /// Server: the answer to the client's share.
    fn answer(&self, client: &[u8]) -> Result<Answer, Error>;
}

/// A client's ephemeral key. Wiped on drop.
pub(crate) trait Started: Send + Sync {
    /// What the client sends.
    fn share(&self) -> &[u8];

    /// The secret, from the server's share.
    fn finish(&self, server: &[u8]) -> Result<Secret, Error>;
}

/// What a server sends, and the secret.
pub(crate) struct Answer {
    pub(crate) share: Vec<u8>,
    pub(crate) secret: Secret,
}

/// The lengths of the shares, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) client: usize,
    pub(crate) server: usize,
}

/// `len` random bytes of the operating system.
fn random(len: usize) -> Result<Secret, Error> {
    let mut bytes = Secret::new(vec![0; len]);
    SysRng
        .try_fill_bytes(bytes.as_mut())
        .map_err(|_| Error::Rng)?;
    Ok(bytes)
}
