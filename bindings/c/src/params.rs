//! The parameters that both sides agree on.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, Mode, Psk};

use crate::{
    pqseal_private_key, pqseal_public_key,
    pqseal_status::{self, PQSEAL_ERROR_AUTH},
    raw::{given, slice},
};

/// The parameters that both sides must agree on, and the mode. If all are zero, or the pointer to
/// the struct is NULL, the mode is mode_base and info is empty.
#[repr(C)]
pub struct pqseal_params {
    /// The application's context of the messages.
    pub info: *const u8,
    /// Its length, in bytes.
    pub info_len: usize,
    /// A psk of at least 32 bytes. With psk and psk_id the mode is mode_psk. Each of the two is
    /// given if its pointer is not NULL: 0 bytes are PQSEAL_ERROR_PSK, and never the mode without a
    /// psk.
    pub psk: *const u8,
    /// Its length, in bytes.
    pub psk_len: usize,
    /// The id of the psk.
    pub psk_id: *const u8,
    /// Its length, in bytes.
    pub psk_id_len: usize,
    /// The sender's private key, which the sender gives to select mode_auth. NULL otherwise.
    pub sender_private_key: *const pqseal_private_key,
    /// The sender's public key, which the recipient gives to select mode_auth. NULL otherwise.
    pub sender_public_key: *const pqseal_public_key,
}

/// The parameters as references.
#[derive(Default)]
pub(crate) struct Params<'a> {
    pub(crate) info: &'a [u8],
    psk: Option<&'a [u8]>,
    psk_id: Option<&'a [u8]>,
    private: Option<&'a AnyPrivateKey>,
    public: Option<&'a AnyPublicKey>,
}

impl<'a> Params<'a> {
    /// Converts `params`, which must be NULL, or point to parameters whose pointers are valid by
    /// the header's rules.
    pub(crate) unsafe fn new(params: *const pqseal_params) -> Result<Self, pqseal_status> {
        // SAFETY: by the header's rules, for each pointer.
        unsafe {
            let Some(params) = params.as_ref() else {
                return Ok(Self::default());
            };
            Ok(Self {
                info: slice(params.info, params.info_len)?,
                psk: given(params.psk, params.psk_len)?,
                psk_id: given(params.psk_id, params.psk_id_len)?,
                private: params.sender_private_key.as_ref().map(|key| &key.0),
                public: params.sender_public_key.as_ref().map(|key| &key.0),
            })
        }
    }

    /// Returns the sender's mode.
    pub(crate) fn sender(&self) -> Result<Mode<'a, AnyPrivateKey>, pqseal_status> {
        match self.public {
            Some(_) => Err(PQSEAL_ERROR_AUTH),
            None => self.mode(self.private),
        }
    }

    /// Returns the recipient's mode.
    pub(crate) fn recipient(&self) -> Result<Mode<'a, AnyPublicKey>, pqseal_status> {
        match self.private {
            Some(_) => Err(PQSEAL_ERROR_AUTH),
            None => self.mode(self.public),
        }
    }

    fn mode<Key>(&self, key: Option<&'a Key>) -> Result<Mode<'a, Key>, pqseal_status> {
        let psk = match (self.psk, self.psk_id) {
            (None, None) => None,
            (psk, psk_id) => Some(Psk::new(
                psk.unwrap_or_default(),
                psk_id.unwrap_or_default(),
            )?),
        };
        Ok(match (psk, key) {
            (None, None) => Mode::Base,
            (Some(psk), None) => Mode::Psk(psk),
            (None, Some(key)) => Mode::Auth(key),
            (Some(psk), Some(key)) => Mode::AuthPsk(key, psk),
        })
    }
}
