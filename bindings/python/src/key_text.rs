//! Keys as text: what Python gives, and what it gets.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use pqseal_keys::{KeyFormat, pbes2};
use pyo3::prelude::*;
use zeroize::Zeroizing;

use crate::{buffer::TextOrBytes, error::Error};

/// A key as a Python object: the text of a key file, or its bytes.
#[derive(FromPyObject)]
pub(crate) struct KeyInput(TextOrBytes);

impl KeyInput {
    /// Reads a private key, decrypted if a passphrase is given.
    pub(crate) fn read(
        &self,
        kem: Option<&'static DynKem>,
        passphrase: Option<&str>,
    ) -> Result<AnyPrivateKey, Error> {
        refuse_age(self.as_ref())?;
        Ok(match passphrase {
            None => pqseal_keys::read_private(self, kem)?,
            Some(passphrase) => pqseal_keys::read_private(&*decrypt(self, passphrase)?, kem)?,
        })
    }
}

impl AsRef<[u8]> for KeyInput {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

/// Refuses a key file or calendar that is encrypted as an age file.
pub(crate) fn refuse_age(file: &[u8]) -> Result<(), Error> {
    let file = file.trim_ascii_start();
    let is_age = [
        "age-encryption.org/v1",
        "-----BEGIN AGE ENCRYPTED FILE-----",
    ]
    .iter()
    .any(|mark| file.starts_with(mark.as_bytes()));
    match is_age {
        true => Err(Error::of_code(
            "bad_key",
            "it is an age file; decrypt it first with `pqseal file decrypt`",
        )),
        false => Ok(()),
    }
}

/// Returns a key file with its keys in PKCS#8 decrypted. Takes as long as the file asks, up to
/// seconds.
pub(crate) fn decrypt(
    file: impl AsRef<[u8]>,
    passphrase: &str,
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let passphrase = || Ok::<_, pbes2::Error>(Zeroizing::new(passphrase.to_owned()));
    Ok(pbes2::decrypt(file, passphrase)?)
}

/// Returns a private key as PEM under a passphrase, which is not empty.
pub(crate) fn encrypt(key: &AnyPrivateKey, passphrase: &str) -> Result<String, Error> {
    if passphrase.is_empty() {
        return Err(Error::argument("the passphrase is empty"));
    }
    let der = pqseal_keys::write_private_der(key)?;
    Ok(pbes2::encrypt(&der, passphrase)?)
}

/// Returns the public key as one value. Only PEM, the content of a file, ends in a line break.
pub(crate) fn public_text(key: &AnyPublicKey, format: Option<KeyFormat>) -> Result<String, Error> {
    let format = format.unwrap_or_else(|| pqseal_keys::default_format(key));
    let text = pqseal_keys::write_public(key, format)?;
    Ok(match format {
        KeyFormat::Pem => text,
        _ => text.trim_end().to_owned(),
    })
}
