//! The output of a private key: in a format, or under a new passphrase.

use clap::{Args, ValueEnum};

use pqseal_formats::PrivateKey;
use zeroize::Zeroizing;

use crate::{
    error::Error,
    form::{Form, write_private},
    passphrase::Passphrase,
};

/// The choice to encrypt a new key file.
#[derive(Args)]
pub struct Encrypt {
    /// Encrypt the private key with a new passphrase, as an armored age file unless AS says
    /// otherwise; -k reads both
    #[arg(
        long,
        value_enum,
        value_name = "AS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "age"
    )]
    encrypt: Option<Encryption>,
}

/// The encryption of a key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Encryption {
    /// As `age -p` does
    Age,
    /// PKCS#8 in PEM, as `openssl pkcs8 -topk8 -scrypt` does
    Pkcs8,
}

impl Encrypt {
    /// Reports whether the key file is encrypted.
    pub const fn is_given(&self) -> bool {
        self.encrypt.is_some()
    }

    /// Returns the bytes of a key file.
    ///
    /// # Errors
    /// If the format cannot hold the key, or no passphrase is available.
    pub fn write(
        &self,
        key: &PrivateKey,
        form: Option<Form>,
        passphrase: &Passphrase,
        name: impl std::fmt::Display + Copy,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let plain = || write_private(key, form).map_err(|error| Error::named_key(name, &error));
        match self.encrypt {
            None => plain(),
            Some(Encryption::Age) => passphrase.seal(&plain()?),
            Some(Encryption::Pkcs8) if form.is_some_and(|form| form != Form::Pem) => Err(
                Error::usage("--encrypt=pkcs8 writes PEM; leave --form out, or use --encrypt=age"),
            ),
            Some(Encryption::Pkcs8) => {
                let der = pqseal_keys::write_private_der(key.key());
                passphrase.seal_pkcs8(&der.map_err(|error| Error::key(name, &error))?)
            }
        }
    }
}
