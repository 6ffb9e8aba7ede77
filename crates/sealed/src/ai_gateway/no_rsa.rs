//! An opener without RSA, for builds without AWS-LC.

use pqseal_keys::{KeyError, RsaPrivateKey};

use super::Object;
use crate::Error;

#[derive(Default)]
pub(crate) struct Opener;

impl Opener {
    pub(crate) fn add(&mut self, _place: usize, _key: &RsaPrivateKey) -> Result<(), KeyError> {
        Err(KeyError::Text(
            "it is an RSA key, and this program was built without the feature aws-lc",
        ))
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        std::iter::empty()
    }

    pub(crate) fn open(&self, _object: Object) -> Result<(usize, Vec<u8>), Error> {
        Err(Error::NotBuilt)
    }
}
