//! `pqseal keygen`: makes a key pair.

use clap::Args;
use getrandom::SysRng;
use pqseal_atomic_file::Overwrite;
use pqseal_formats::{PrivateKey, jwe};
use pqseal_hpke::{AnyPublicKey, DynKem};
use pqseal_keys::{Fingerprint, KeyError, caution};
use std::io::{self, Write};

use super::public;
use crate::{
    binding::AllowExperimental,
    error::{Error, Exit, warn},
    form::{Form, KeyUse},
    key_output::Encrypt,
    output::{FileMode, Target, to_reader, to_stdout},
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal keygen`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEYGEN))]
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
        let (private, public) =
            pqseal_keys::generate(self.kem, &policy, &mut SysRng).map_err(not_made)?;
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
        let named = |error: KeyError| Error::key("memory", &error);
        let of_memory = |error: pqseal_formats::Error| Error::named_key("memory", &error);
        let file = self
            .encrypt
            .write(private, self.form, &self.passphrase, "memory")?;
        let (comment, shown) = if json {
            (String::new(), public::json(public).map_err(named)?)
        } else if private.alg().is_some() || private.kid().is_some() {
            (String::new(), public_of(private).map_err(of_memory)?)
        } else {
            public::comment_and_line(public).map_err(named)?
        };
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

/// Returns the public key as a JWK with the `alg` and `kid` of the private key.
fn public_of(private: &PrivateKey) -> Result<String, pqseal_formats::Error> {
    Ok(jwe::write_public(&private.public_key()?)? + "\n")
}

fn not_made(error: pqseal_hpke::Error) -> Error {
    if let pqseal_hpke::Error::UnsupportedSuite(unsupported) = error {
        return Error::unsupported(&unsupported);
    }
    let message = format!(
        "no key was made: {error}; try again, and check that the system's random device works"
    );
    Error {
        exit: Exit::Stopped,
        code: "rng",
        message,
    }
}
