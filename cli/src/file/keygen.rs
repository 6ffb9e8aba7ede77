//! `pqseal file keygen`: makes identities, like `age-keygen`.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use getrandom::SysRng;
use pqseal_age::{HpkeIdentity, MLKEM768X25519, PqsealIdentity, X25519Identity, keys};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{DynKem, Policy};
use pqseal_keys::{self as our_keys, caution};
use zeroize::Zeroizing;

use super::failure;
use crate::{
    binding::AllowExperimental,
    error::{Error, Exit, warn},
    input::Source,
    output::{FileMode, Target, to_reader, to_stdout},
    passphrase::Passphrase,
    suite,
};

/// Make an identity and its recipient, as age-keygen does
///
/// With -o the identity goes to a new file that only its owner can read, and the recipient to
/// standard error.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::FILE_KEYGEN))]
pub(super) struct Keygen {
    /// Make a post-quantum identity (ML-KEM-768 with X25519), which age 1.3 and later can use too
    #[arg(long)]
    pq: bool,
    /// Make an identity of this KEM, such as mlkem1024-p384, which age and rage can use with the
    /// plugin age-plugin-pqseal; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", value_parser = suite::kem, conflicts_with = "pq")]
    kem: Option<&'static DynKem>,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// Print the recipients of the identities in FILE, one per line, instead of making an identity
    #[arg(short = 'y', long = "recipients", conflicts_with_all = ["pq", "kem"])]
    convert: bool,
    /// Write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// With -y: the identity file; `-` or nothing for standard input
    #[arg(value_name = "FILE", requires = "convert")]
    input: Option<Source>,
}

/// A new identity and its recipient.
pub struct NewIdentity {
    identity: Zeroizing<String>,
    recipient: String,
}

/// Generates an identity of any KEM that the policy allows, for `age-plugin-pqseal`.
///
/// # Errors
/// If the policy does not allow it, or the random number generator fails.
pub fn new_identity(kem: &'static DynKem, policy: &Policy) -> Result<NewIdentity, Error> {
    let stopped = |code, error: &dyn std::fmt::Display| Error {
        exit: Exit::Stopped,
        code,
        message: format!("no identity was made: {error}"),
    };
    let (private, _) =
        our_keys::generate(kem, policy, &mut SysRng).map_err(|error| match error {
            pqseal_hpke::Error::UnsupportedSuite(unsupported) => Error::unsupported(&unsupported),
            error => stopped("rng", &error),
        })?;
    let info = kem.info();
    if let Some(caution) = caution(info) {
        let name = info.short_name;
        warn(
            "experimental",
            format_args!("{name} is experimental. {caution}"),
        );
    }
    let identity = PqsealIdentity::from_key(private).map_err(|error| stopped("bad_key", &error))?;
    let text = identity
        .to_text()
        .map_err(|error| stopped("bad_key", &error))?;
    Ok(NewIdentity {
        identity: text,
        recipient: identity.recipient().to_string(),
    })
}

impl NewIdentity {
    /// Writes the identity file, and the recipient to standard error unless the identity is on the
    /// screen.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(self, output: Option<Target>) -> Result<(), Error> {
        let recipient = &self.recipient;
        let text = keys::identity_file(&self.identity, recipient, &crate::date::now());
        match output {
            Some(file @ Target::File(_)) => {
                file.write(text.as_bytes(), FileMode::Owner, Overwrite::Refuse)?;
                let _ = writeln!(io::stderr(), "Public key: {recipient}");
                Ok(())
            }
            _ => {
                if !io::stdout().is_terminal() {
                    let _ = writeln!(io::stderr(), "Public key: {recipient}");
                }
                to_reader(text.as_bytes())
            }
        }
    }
}

impl Keygen {
    pub(super) fn run(self) -> Result<(), Error> {
        if self.convert {
            return self.recipients();
        }
        let made = match self.kem {
            Some(kem) => new_identity(kem, &self.experimental.policy()),
            None => self.made().map_err(|e| failure::of_recipients(&e)),
        };
        made?.write(self.output)
    }

    fn made(&self) -> Result<NewIdentity, pqseal_age::Error> {
        if self.pq {
            let identity = HpkeIdentity::generate(&MLKEM768X25519)?;
            return Ok(NewIdentity {
                identity: identity.to_text().expect("the kind has a text"),
                recipient: identity.recipient().to_string(),
            });
        }
        let identity = X25519Identity::generate()?;
        Ok(NewIdentity {
            identity: identity.to_text(),
            recipient: identity.recipient().to_string(),
        })
    }

    fn recipients(self) -> Result<(), Error> {
        let input = self.input.unwrap_or(Source::Stdin);
        let identities = super::identities::all_of(&input, &self.passphrase)?;
        let mut lines = String::new();
        for (identity, number) in identities.iter().zip(1..) {
            let recipient = identity.recipient_text();
            lines += &recipient.ok_or_else(|| without_recipient(&input, number))?;
            lines.push('\n');
        }
        match self.output {
            Some(file) => file.write(lines.as_bytes(), FileMode::Umask, Overwrite::Refuse),
            None => to_stdout(lines.as_bytes()),
        }
    }
}

fn without_recipient(file: &Source, number: usize) -> Error {
    Error {
        exit: Exit::Stopped,
        code: "no_recipient",
        message: format!(
            "{file}: identity number {number} belongs to a plugin, and only the plugin knows its recipient; use the recipient that the plugin printed when it made the identity, and move the identity to a separate file"
        ),
    }
}
