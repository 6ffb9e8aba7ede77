//! `pqseal keygen`: makes a key pair.

use std::io::{self, Write};

use clap::Args;
use getrandom::SysRng;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{PrivateKey, jwe};
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{Fingerprint, caution};

use super::pubkey::{comment_and_line, public_json};
use crate::{
    binding::AllowExperimental,
    error::{Error, warn},
    form::{Encrypt, Form, KeyUse},
    output::{FileMode, Target, to_reader, to_stdout},
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal keygen`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A hybrid key pair, the private key in a file", "pqseal keygen -o key.pem > public.txt"),
    ("A key for today's matched data", "pqseal keygen --kem x25519 -o key.pem"),
    ("The private key under a passphrase", "pqseal keygen --encrypt -o key.age"),
]))]
pub struct Keygen {
    /// The key encapsulation mechanism; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", default_value = "mlkem768-x25519", value_parser = suite::kem)]
    kem: &'static DynKem,
    /// How to write the private key; if not given, pem, or line for a KEM that has no standard
    /// encoding
    #[arg(long, value_enum)]
    form: Option<Form>,
    #[command(flatten)]
    key_use: KeyUse,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    encrypt: Encrypt,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Write the private key to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
}

impl Keygen {
    /// Makes the key pair.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        if !self.encrypt.is_given() && self.passphrase.source().is_some() {
            return Err(Error::usage(
                "--passphrase-file needs --encrypt; add --encrypt, or leave --passphrase-file out",
            ));
        }
        self.key_use.check(self.form)?;
        let policy = self.experimental.policy();
        let made = pqseal_keys::generate(self.kem, &policy, &mut SysRng);
        let (private, public) = made.map_err(|error| match error {
            pqseal_hpke::Error::UnsupportedSuite(unsupported) => Error::unsupported(&unsupported),
            error => Error::stopped("rng", format!(
                    "no key was made: {error}; try again, and check that the system's random device works"
                )),
        })?;
        let info = self.kem.info();
        if let Some(caution) = caution(info) {
            warn(
                "experimental",
                format_args!("{} is experimental. {caution}", info.short_name),
            );
        }
        let private = self.key_use.of_private(PrivateKey::new(private))?;
        self.write(&private, &public, json)
    }

    fn write(self, private: &PrivateKey, public: &AnyPublicKey, json: bool) -> Result<(), Error> {
        let file = self
            .encrypt
            .write(private, self.form, &self.passphrase, "memory")?;
        let text = if json {
            public_json(public).map(|text| (String::new(), text))
        } else if private.alg().is_some() || private.kid().is_some() {
            // A JWK with the `alg` and `kid` of the private key.
            let jwk = private.public_key().and_then(|key| jwe::write_public(&key));
            let jwk = jwk.map_err(|error| Error::named_key("memory", &error))?;
            Ok((String::new(), jwk + "\n"))
        } else {
            comment_and_line(public)
        };
        let (comment, shown) = text.map_err(|error| Error::key("memory", &error))?;
        let key_id = if json {
            String::new()
        } else {
            format!("key id: {}\n", Fingerprint::of(public).key_id())
        };
        match self.output {
            Some(target @ Target::File(_)) => {
                target.write(&file, FileMode::Owner, Overwrite::Refuse)?;
                to_stdout((comment + &shown).as_bytes())?;
                let _ = write!(io::stderr(), "{key_id}");
                Ok(())
            }
            _ => {
                let label = if json { "" } else { "public key: " };
                let _ = write!(io::stderr(), "{comment}{label}{shown}{key_id}");
                to_reader(&file)
            }
        }
    }
}
