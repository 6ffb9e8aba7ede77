//! `pqseal key convert`: writes a key in another format. `pqseal key serve`: decapsulation for
//! another process. `pqseal key inspect`: which keys a file holds.

mod inspect;

use std::io;

use clap::{Args, Subcommand};
use inspect::Inspect;
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{AnyPrivateKey, DynKem};
use pqseal_keys::{Fingerprint, LabelledKey, RawHalf, decap_command::serve};
use zeroize::Zeroizing;

use crate::{
    error::Error,
    form::{Form, KeyUse, write_public},
    input::{Source, one_stdin},
    key_output::Encrypt,
    keyfile::{self, Raw},
    named_key::KeyMaterial,
    output::{FileMode, Target},
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal key`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEY))]
pub struct Key {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Convert(Convert),
    Inspect(Inspect),
    Serve(Serve),
}

/// Decapsulate with a private key for another process
///
/// The other process is `pqseal open --decap-command`, which never sees the private key: it sends
/// encapsulated keys to this command's standard input, and reads shared secrets from its standard
/// output. Anyone who can write to standard input can open what was sealed to the key.
/// docs/hardware-keys.md describes the protocol. The command ends when its standard input does.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEY_SERVE))]
struct Serve {
    /// The file with the private key; if it holds several, name one with --key-id
    #[arg(short, long, value_name = "KEYFILE")]
    key: Source,
    /// The key to use, by its id or its label
    #[arg(long, value_name = "ID")]
    key_id: Option<String>,
    #[command(flatten)]
    passphrase: Passphrase,
}

/// Write a key in another format
///
/// Detects the format of the key. `alg` and `kid` are kept when a JWK is written as a COSE_Key or
/// the other way round. A private key is written as a private key unless --public is given. A raw
/// key does not say which half it is: it is taken as a private key of --kem, and where its public
/// half would be written (--public; --form jwk, json and cose-key), --raw-private or --raw-public
/// is needed.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEY))]
struct Convert {
    /// The KEM of a raw key; a key in any other format names its KEM, which must be the same
    #[arg(long, value_name = "NAME", value_parser = suite::kem)]
    kem: Option<&'static DynKem>,
    /// How to write the key; if not given, pem, or line for a KEM that has no standard encoding
    #[arg(long, value_enum)]
    form: Option<Form>,
    /// Write the public half
    #[arg(long)]
    public: bool,
    #[command(flatten)]
    raw: Raw,
    #[command(flatten)]
    key_use: KeyUse,
    #[command(flatten)]
    encrypt: Encrypt,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// The key file
    #[arg(value_name = "KEYFILE")]
    key: Source,
}

impl Key {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        match self.action {
            Action::Convert(convert) => convert.run(),
            Action::Inspect(inspect) => inspect.run(json),
            Action::Serve(serve) => serve.run(),
        }
    }
}

impl Serve {
    fn run(self) -> Result<(), Error> {
        if self.key == Source::Stdin {
            return Err(Error::usage(
                "requests come from standard input, so the key cannot; name a key file",
            ));
        }
        one_stdin([&self.key].into_iter().chain(self.passphrase.source()))?;
        let keys = keyfile::single_privates(&self.key, &self.passphrase).map_err(Error::stops)?;
        let key = self.choose(&keys)?;
        serve(key, io::stdin().lock(), io::stdout().lock())
            .map_err(|error| Error::io("answer requests", &error))
    }

    fn choose<'k>(&self, keys: &'k [LabelledKey]) -> Result<&'k AnyPrivateKey, Error> {
        let is_named = |key: &&LabelledKey| match &self.key_id {
            None => true,
            Some(name) => {
                let id = pqseal_keys::public_key(&key.key)
                    .map(|public| Fingerprint::of(&public).key_id());
                key.label.as_ref() == Some(name) || id.is_ok_and(|id| id.to_string() == *name)
            }
        };
        let named: Vec<_> = keys.iter().filter(is_named).collect();
        match named[..] {
            [key] => Ok(&key.key),
            [] => Err(Error::usage(format!(
                "{} holds no key with that id or label",
                self.key
            ))),
            _ => Err(Error::usage(format!(
                "{} holds several keys; name one with --key-id",
                self.key
            ))),
        }
    }
}

impl Convert {
    fn run(self) -> Result<(), Error> {
        one_stdin([&self.key].into_iter().chain(self.passphrase.source()))?;
        self.key_use.check(self.form)?;
        let key = keyfile::either(&self.key, self.kem, self.raw_half(), &self.passphrase)?;
        let (file, mode) = self.write(key)?;
        let target = self.output.unwrap_or(Target::Stdout);
        if self.form == Some(Form::CoseKey) && target.is_terminal() {
            return Err(Error::usage(
                "a terminal cannot show a COSE_Key, which is CBOR; add -o FILE",
            ));
        }
        target.write(&file, mode, Overwrite::Refuse)
    }

    /// Returns the half that a raw key is. The user has to name it where the public half is
    /// written: a public key that is taken for a private one yields the public key of a private key
    /// that everybody has.
    fn raw_half(&self) -> Option<RawHalf> {
        match self.form {
            Some(Form::Jwk | Form::Json | Form::CoseKey) => self.raw.half(),
            _ if self.public => self.raw.half(),
            _ => self.raw.half().or(Some(RawHalf::Private)),
        }
    }

    fn write(&self, key: KeyMaterial) -> Result<(Zeroizing<Vec<u8>>, FileMode), Error> {
        let bad_key = |error: pqseal_formats::Error| Error::named_key(&self.key, &error);
        match key {
            KeyMaterial::Private(key)
                if !self.public && self.raw.half() != Some(RawHalf::Public) =>
            {
                let key = self.key_use.of_private(key)?;
                let file = self
                    .encrypt
                    .write(&key, self.form, &self.passphrase, &self.key)?;
                Ok((file, FileMode::Owner))
            }
            _ if self.encrypt.is_given() => Err(Error::usage(
                "--encrypt is only for private keys, and this is a public key; leave --encrypt out",
            )),
            key => {
                let key = self
                    .key_use
                    .of_public(key.into_public().map_err(bad_key)?)?;
                let file = write_public(&key, self.form).map_err(bad_key)?;
                Ok((Zeroizing::new(file), FileMode::Umask))
            }
        }
    }
}
