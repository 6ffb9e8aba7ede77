//! `pqseal key convert`: writes a key in another format. `pqseal key serve`: decapsulation for
//! another process. `pqseal key inspect`: which keys a file holds.

use std::io;

use clap::{Args, Subcommand};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, DynKem};
use pqseal_keys::{Entry, Fingerprint, KeyText, LabelledKey, RawHalf, decap_command::serve};
use pqseal_sealed::Kind;
use serde_json::json;
use zeroize::Zeroizing;

use crate::{
    error::{Error, warn},
    escape,
    form::{Encrypt, Form, KeyUse, write_public},
    input::{Source, one_stdin},
    keyfile::{self, KeyMaterial, Privates, Raw},
    output::{FileMode, Target, to_stdout},
    parse::Example,
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal key`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&EXAMPLES))]
pub struct Key {
    #[command(subcommand)]
    action: Action,
}

/// The examples of `pqseal key` and `pqseal key convert`.
const EXAMPLES: [Example; 3] = [
    (
        "A raw key as PEM",
        "pqseal key convert --kem x25519 --form pem -o key.pem key.txt",
    ),
    (
        "A PEM file as JWK",
        "pqseal key convert --form jwk -o key.jwk key.pem",
    ),
    ("The public half", "pqseal key convert --public key.pem"),
];

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
#[command(after_long_help = crate::parse::help(&[
    ("With a key of another user", "pqseal open --decap-command 'sudo -u keys pqseal key serve -k /home/keys/key.pem' blob.txt"),
    ("With a key on another machine", "pqseal open --decap-command 'ssh vault pqseal key serve -k key.pem' blob.txt"),
    ("One key of several", "pqseal key serve -k keys.txt --key-id 2024"),
]))]
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
#[command(after_long_help = crate::parse::help(&EXAMPLES))]
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
        let named = keys.iter().filter(|key| match &self.key_id {
            None => true,
            Some(name) => {
                let id = pqseal_keys::public_key(&key.key)
                    .map(|public| Fingerprint::of(&public).key_id());
                key.label.as_ref() == Some(name) || id.is_ok_and(|id| id.to_string() == *name)
            }
        });
        let named: Vec<_> = named.collect();
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
                let key = key.into_public();
                let key = key.map_err(|error| Error::named_key(&self.key, &error))?;
                let file = write_public(&self.key_use.of_public(key)?, self.form);
                let file = file.map_err(|error| Error::named_key(&self.key, &error))?;
                Ok((Zeroizing::new(file), FileMode::Umask))
            }
        }
    }
}

/// Show which keys a file holds, without a secret
///
/// Prints the half, the KEM, the key id and the fingerprint of each key, and its label. A raw key
/// does not say which half it is: --raw-private or --raw-public does.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("The KEM of a key", "pqseal key inspect key.pem"),
    ("A public key in base64", "pqseal key inspect --raw-public key.pub"),
    ("As JSON, one object per key", "pqseal key inspect --json keys.txt"),
]))]
struct Inspect {
    /// The key file
    #[arg(value_name = "KEYFILE")]
    key: Source,
    /// The KEM of a raw key, x25519 if not given
    #[arg(long, value_name = "NAME", value_parser = suite::kem)]
    kem: Option<&'static DynKem>,
    #[command(flatten)]
    raw: Raw,
    #[command(flatten)]
    passphrase: Passphrase,
}

/// A key of a file.
struct Shown {
    half: &'static str,
    key: AnyPublicKey,
    label: Option<String>,
}

impl Inspect {
    fn run(self, json: bool) -> Result<(), Error> {
        let keys = self.keys()?;
        let keys = keys
            .iter()
            .map(|key| if json { key.json() } else { key.text() });
        let keys: Vec<_> = keys.collect();
        to_stdout(keys.join(if json { "" } else { "\n" }).as_bytes())
    }

    fn keys(&self) -> Result<Vec<Shown>, Error> {
        let bytes = keyfile::read_secret_bytes(&self.key, &self.passphrase)?;
        let text = KeyText::new(&bytes).ok();
        let entries: Vec<_> = (text.iter().flat_map(KeyText::entries).take(2)).collect();
        if entries.len() == 2
            && let Privates::Keys(found) =
                keyfile::privates_in(&self.key, bytes.clone(), &self.passphrase)?
        {
            found.skipped.warn(&self.key);
            let [rsa, age] = [Kind::AiGateway, Kind::Age]
                .map(|kind| found.others.iter().filter(|key| key.kind() == kind).count());
            if rsa > 0 {
                let why = "not shown, since RSA is no KEM of HPKE";
                warn("rsa", format_args!("{}, RSA keys: {rsa}, {why}", self.key));
            }
            if age > 0 {
                let why = "not shown; `pqseal file keygen -y` prints their recipients";
                warn(
                    "age_identity",
                    format_args!("{}, age identities: {age}, {why}", self.key),
                );
            }
            let found = found.keys.into_iter().map(|found| {
                let key = KeyMaterial::Private(pqseal_formats::PrivateKey::new(found.key));
                self.shown(key, found.label)
            });
            return found.collect();
        }
        let key = keyfile::either_in(&self.key, &bytes, self.kem, self.raw.half())?;
        let label = entries.first().and_then(Entry::label);
        Ok(vec![self.shown(key, label)?])
    }

    fn shown(&self, key: KeyMaterial, label: Option<String>) -> Result<Shown, Error> {
        let half = match &key {
            KeyMaterial::Private(_) => "private",
            KeyMaterial::Public(_) => "public",
        };
        let key = key.into_public();
        let key = key.map_err(|error| Error::named_key(&self.key, &error))?;
        Ok(Shown {
            half,
            key: key.key().clone(),
            label,
        })
    }
}

impl Shown {
    fn text(&self) -> String {
        let (kem, fingerprint) = (self.key.kem(), Fingerprint::of(&self.key));
        let label = self
            .label
            .as_ref()
            .map(|label| format!("label:       {}\n", escape::bytes(label.as_bytes())));
        format!(
            "half:        {}\nkem:         {} ({}, {:#06x})\nkey id:      {}\nfingerprint: {fingerprint}\n{}",
            self.half,
            kem.short_name,
            kem.name,
            kem.id,
            fingerprint.key_id(),
            label.unwrap_or_default(),
        )
    }

    fn json(&self) -> String {
        let (kem, fingerprint) = (self.key.kem(), Fingerprint::of(&self.key));
        let shown = json!({
            "half": self.half,
            "kem": kem.short_name,
            "kem_id": format!("{:#06x}", kem.id),
            "key_id": fingerprint.key_id().to_string(),
            "fingerprint": fingerprint.to_string(),
            "label": self.label,
        });
        escape::json(&shown.to_string()) + "\n"
    }
}
