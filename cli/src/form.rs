//! The formats of keys, as they are typed and written, and the encryption of a new key file.

use std::fmt::Display;

use clap::{Args, ValueEnum};
use pqseal_formats::{Algorithm, PrivateKey, PublicKey, cose_key, jwe};
use pqseal_keys::{KeyError, KeyFormat};
use zeroize::Zeroizing;

use crate::{error::Error, message, passphrase::Passphrase};

/// A key format on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// PKCS#8 and SPKI, as OpenSSL reads and writes them
    Pem,
    /// JSON Web Key
    Jwk,
    /// COSE_Key: CBOR, not text. A key of a post-quantum KEM needs --alg
    CoseKey,
    /// The key-pair file of matched-data-cli (x25519)
    Json,
    /// The bare key in base64, which dashboards take for x25519 public keys
    Raw,
    /// pqseal's own line with a checksum, for every KEM
    Line,
}

/// The `alg` and `kid` of a JWK or a COSE_Key.
#[derive(Args)]
pub struct KeyUse {
    /// The algorithm of JOSE or COSE that the key is for, such as HPKE-9 (for --form jwk and
    /// cose-key)
    #[arg(long, value_name = "NAME", value_parser = message::by_name)]
    alg: Option<Algorithm>,
    /// The id by which messages name the key (for --form jwk and cose-key)
    #[arg(long, value_name = "TEXT")]
    kid: Option<String>,
}

impl KeyUse {
    /// Checks that `form` can hold the given members.
    ///
    /// # Errors
    /// If it cannot.
    pub fn check(&self, form: Option<Form>) -> Result<(), Error> {
        let given = self.alg.is_some() || self.kid.is_some();
        match form {
            Some(Form::Jwk | Form::CoseKey) => Ok(()),
            _ if given => Err(Error::usage(
                "--alg and --kid need --form jwk or --form cose-key; add one of them",
            )),
            _ => Ok(()),
        }
    }

    /// Returns the key with the given members; others of its file stay.
    ///
    /// # Errors
    /// If the algorithm is for another KEM.
    pub fn of_private(&self, key: PrivateKey) -> Result<PrivateKey, Error> {
        let key = match &self.kid {
            Some(kid) => key.with_kid(kid.as_bytes()),
            None => key,
        };
        match self.alg {
            Some(alg) => key.with_alg(alg).map_err(|_| other_kem(alg)),
            None => Ok(key),
        }
    }

    /// Like [`KeyUse::of_private`].
    ///
    /// # Errors
    /// As [`KeyUse::of_private`].
    pub fn of_public(&self, key: PublicKey) -> Result<PublicKey, Error> {
        let key = match &self.kid {
            Some(kid) => key.with_kid(kid.as_bytes()),
            None => key,
        };
        match self.alg {
            Some(alg) => key.with_alg(alg).map_err(|_| other_kem(alg)),
            None => Ok(key),
        }
    }
}

/// Writes a private key in `form`, or in the format of [`KeyFormat::or_pem`].
///
/// # Errors
/// If the format cannot hold such keys.
pub fn write_private(
    key: &PrivateKey,
    form: Option<Form>,
) -> Result<Zeroizing<Vec<u8>>, pqseal_formats::Error> {
    let text = match form {
        Some(Form::CoseKey) => return Ok(cose_key::write_private(key)?),
        Some(Form::Jwk) if key.kid().is_some() || key.alg().is_some() => {
            jwe::write_private(key).map(|jwk| Zeroizing::new([jwk.as_str(), "\n"].concat()))?
        }
        form => in_text(form, |form| pqseal_keys::write_private(key.key(), form))?,
    };
    Ok(Zeroizing::new(text.as_bytes().to_vec()))
}

/// Writes a public key in `form`, or in the format of [`KeyFormat::or_pem`].
///
/// # Errors
/// If the format cannot hold such keys.
pub fn write_public(key: &PublicKey, form: Option<Form>) -> Result<Vec<u8>, pqseal_formats::Error> {
    let text = match form {
        Some(Form::CoseKey) => return Ok(cose_key::write_public(key)?),
        Some(Form::Jwk) if key.kid().is_some() || key.alg().is_some() => {
            jwe::write_public(key)? + "\n"
        }
        form => in_text(form, |form| pqseal_keys::write_public(key.key(), form))?,
    };
    Ok(text.into_bytes())
}

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
        name: impl Display + Copy,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        match self.encrypt {
            None | Some(Encryption::Age) => {
                let plain = write_private(key, form);
                let plain = plain.map_err(|error| Error::named_key(name, &error))?;
                match self.is_given() {
                    true => passphrase.seal(&plain),
                    false => Ok(plain),
                }
            }
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

fn other_kem(alg: Algorithm) -> Error {
    let kem = alg.kem().map_or("another KEM", |kem| kem.info().short_name);
    Error::usage(format!(
        "--alg {alg} is for keys of {kem}, and the key is of another KEM"
    ))
}

fn in_text<T>(
    form: Option<Form>,
    write: impl Fn(KeyFormat) -> Result<T, KeyError>,
) -> Result<T, KeyError> {
    let format = form.map(|form| match form {
        Form::Pem => KeyFormat::Pem,
        Form::Jwk => KeyFormat::Jwk,
        Form::Json => KeyFormat::Json,
        Form::Raw => KeyFormat::Raw,
        Form::Line | Form::CoseKey => KeyFormat::Line,
    });
    KeyFormat::or_pem(format, write)
}
