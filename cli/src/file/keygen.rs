//! `pqseal file keygen`: as `age-keygen`.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use files::{HpkeIdentity, MLKEM768X25519, X25519Identity, keys};
use zeroize::Zeroizing;

use super::{date, failure};
use crate::{
    error::Error,
    input::Source,
    output::{FileMode, Overwrite, Target, to_stdout},
    passphrase::Passphrase,
};

/// Make an identity and its recipient, as age-keygen does
///
/// With -o the identity goes to a new file that its owner alone can read, and the recipient to
/// standard error.
#[derive(Args)]
pub(super) struct Keygen {
    /// Make a post-quantum identity (ML-KEM-768 with X25519), which age 1.3 and later can use too
    #[arg(long)]
    pq: bool,
    /// Print the recipients of the identities in FILE, one per line, and make none
    #[arg(short = 'y', long = "recipients", conflicts_with = "pq")]
    convert: bool,
    /// Write to this new file; a file that is there is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// With -y: the identity file; `-` or nothing for standard input
    #[arg(value_name = "FILE", requires = "convert")]
    input: Option<Source>,
}

impl Keygen {
    pub(super) fn run(self) -> Result<(), Error> {
        if self.convert {
            return self.recipients();
        }
        let (identity, recipient) = self.made().map_err(|e| failure::of_recipients(&e))?;
        let text = keys::identity_file(&identity, &recipient, &date::now());
        match self.output {
            Some(file @ Target::File(_)) => {
                file.write(text.as_bytes(), FileMode::Owner, Overwrite::Refuse)?;
                let _ = writeln!(io::stderr(), "Public key: {recipient}");
                Ok(())
            }
            _ => {
                if !io::stdout().is_terminal() {
                    let _ = writeln!(io::stderr(), "Public key: {recipient}");
                }
                to_stdout(text.as_bytes())
            }
        }
    }

    fn made(&self) -> Result<(Zeroizing<String>, String), files::Error> {
        if self.pq {
            let identity = HpkeIdentity::generate(&MLKEM768X25519)?;
            let text = identity.to_text().expect("the kind has a text");
            return Ok((text, identity.recipient().to_string()));
        }
        let identity = X25519Identity::generate()?;
        Ok((identity.to_text(), identity.recipient().to_string()))
    }

    fn recipients(self) -> Result<(), Error> {
        let input = self.input.unwrap_or(Source::Stdin);
        let text = super::keys::opened(&input, &self.passphrase)?;
        let identities = keys::read_identities(&text);
        let identities = identities.map_err(|e| super::keys::on_line(&input, &e))?;
        let lines: String = identities
            .iter()
            .filter_map(|identity| Some(format!("{}\n", identity.recipient_text()?)))
            .collect();
        match self.output {
            Some(file) => file.write(lines.as_bytes(), FileMode::Umask, Overwrite::Refuse),
            None => to_stdout(lines.as_bytes()),
        }
    }
}
