//! `pqseal key convert`: one form of a key into another.

use clap::{Args, Subcommand};
use envelope::{
    hpke::DynKem,
    keys::{self, KeyError},
};
use zeroize::Zeroizing;

use crate::{
    error::Error,
    form::{Form, in_form},
    input::{Source, one_stdin},
    keyfile::{self, KeyMaterial},
    output::{FileMode, Overwrite, Target},
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
}

/// Write a key in another form
///
/// Reads every form by itself. What goes in private comes out private, unless --public is given. A
/// raw key does not say what it is: it is taken as a private key of --kem, or as a public one with
/// --raw-public.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::KEY))]
struct Convert {
    /// The KEM that the key is of; other forms than raw say it themselves, and must agree
    #[arg(long, value_name = "NAME", value_parser = suite::kem)]
    kem: Option<&'static DynKem>,
    /// How to write the key; if not given, pem, or line for a KEM that has no standard encoding
    #[arg(long, value_enum)]
    form: Option<Form>,
    /// Write the public half
    #[arg(long)]
    public: bool,
    /// Take a raw key as a public one
    #[arg(long)]
    raw_public: bool,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Write to this new file; a file that is there is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// The key file
    #[arg(value_name = "KEYFILE")]
    key: Source,
}

impl Key {
    /// Runs it.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self) -> Result<(), Error> {
        let Action::Convert(convert) = self.action;
        convert.run()
    }
}

impl Convert {
    fn run(self) -> Result<(), Error> {
        one_stdin([&self.key].into_iter().chain(self.passphrase.source()))?;
        let key = if self.raw_public {
            KeyMaterial::Public(keyfile::public(&self.key, self.kem)?)
        } else {
            keyfile::either(&self.key, self.kem, &self.passphrase)?
        };
        let (text, mode) = self
            .write(key)
            .map_err(|error| Error::key(&self.key, &error))?;
        self.output
            .unwrap_or(Target::Stdout)
            .write(text.as_bytes(), mode, Overwrite::Refuse)
    }

    fn write(&self, key: KeyMaterial) -> Result<(Zeroizing<String>, FileMode), KeyError> {
        match key {
            KeyMaterial::Private(key) if !self.public => Ok((
                in_form(self.form, |form| keys::write_private(&key, form))?,
                FileMode::Owner,
            )),
            key => {
                let key = key.into_public()?;
                let text = in_form(self.form, |form| keys::write_public(&key, form))?;
                Ok((Zeroizing::new(text), FileMode::Umask))
            }
        }
    }
}
