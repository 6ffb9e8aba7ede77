//! HPKE (RFC 9180) for Python: the module `pqseal.hpke`.

mod batch;
mod context;
mod key;
mod public_key;
mod suite;

use pqseal_hpke::{AnyAead, Component, DynKdf, DynKem, Mode, Psk, aead_by_id, kdf_by_id};
use pqseal_keys::{NameError, aead_by_name, kdf_by_name, kem_by_id, kem_by_name};
use pyo3::{prelude::*, pybacked::PyBackedStr};

pub(crate) use context::{RecipientContext, SenderContext};
pub(crate) use key::PrivateKey;
pub(crate) use public_key::{PublicInput, PublicKey};
pub(crate) use suite::Suite;

use crate::{
    buffer::{Buffer, bytes},
    error::Error,
};

/// An algorithm, by its name or its id.
#[derive(FromPyObject)]
pub(crate) enum Algorithm {
    #[pyo3(annotation = "str")]
    Name(PyBackedStr),
    #[pyo3(annotation = "int")]
    Id(u16),
}

impl Algorithm {
    fn kem(&self) -> Result<&'static DynKem, Error> {
        Ok(match self {
            Self::Id(id) => kem_by_id(*id).ok_or_else(|| NameError::of_id(Component::Kem, *id)),
            Self::Name(name) => kem_by_name(name),
        }?)
    }

    fn kdf(&self) -> Result<&'static DynKdf, Error> {
        Ok(match self {
            Self::Id(id) => kdf_by_id(*id).ok_or_else(|| NameError::of_id(Component::Kdf, *id)),
            Self::Name(name) => kdf_by_name(name),
        }?)
    }

    fn aead(&self) -> Result<&'static AnyAead, Error> {
        Ok(match self {
            Self::Id(id) => aead_by_id(*id).ok_or_else(|| NameError::of_id(Component::Aead, *id)),
            Self::Name(name) => aead_by_name(name),
        }?)
    }
}

/// The inputs that both sides must agree on: info and pre-shared key.
struct Inputs {
    info: Option<Buffer>,
    psk: Option<Buffer>,
    psk_id: Option<Buffer>,
}

impl Inputs {
    fn info(&self) -> &[u8] {
        bytes(self.info.as_ref())
    }

    /// Returns the mode that follows from the given arguments. A psk without its id, or an id
    /// without its psk, is an error, and never the mode without a psk.
    fn mode<'a, Key>(&'a self, sender: Option<&'a Key>) -> Result<Mode<'a, Key>, Error> {
        let psk = match (&self.psk, &self.psk_id) {
            (None, None) => None,
            (psk, psk_id) => Some(Psk::new(bytes(psk.as_ref()), bytes(psk_id.as_ref()))?),
        };
        Ok(match (psk, sender) {
            (None, None) => Mode::Base,
            (Some(psk), None) => Mode::Psk(psk),
            (None, Some(key)) => Mode::Auth(key),
            (Some(psk), Some(key)) => Mode::AuthPsk(key, psk),
        })
    }
}
