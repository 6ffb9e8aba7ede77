//! `pqseal logs seal`: the edge's side.

use std::io::{self, IsTerminal};

use clap::Args;
use envelope::{DEFAULT_SUITE, SealerV4, hpke::SuiteId};
use siem::{Mode, Path, Pipeline, Rules, Sealer, Stats, Warning, pipeline::Observer};

use super::{fields, report::warn_of, sources, to_stdout};
use crate::{
    binding::Standing,
    cmd::seal::{recipient, unusable},
    error::Error,
    suite::Choice,
};

/// Seal fields of log records to a public key
///
/// Each field's value gives way to a blob, under a name of its own. Each blob has its own
/// encapsulated key. To an x25519 key blobs are version 3, else, or with --suite, --info or
/// --aad-from, version 4. A record that cannot be sealed, or that has a field of the blob's
/// name already, ends the run before it is written: nothing passes in the clear but what has no
/// such field. In a table blobs go into new columns, and the cells that were sealed are empty.
#[derive(Args)]
pub(super) struct Seal {
    /// The recipient's public key, or a file with it, as in `pqseal seal`
    #[arg(long, value_name = "PUBLIC-KEY-OR-FILE")]
    to: String,
    /// A field to seal; if none is given, .Metadata.matched_data. A string's characters are
    /// sealed, any other value's JSON
    #[arg(long = "field", value_name = "PATH")]
    fields: Vec<Path>,
    /// The name of the sealed field, one for each --field; if not given, encrypted_ and the
    /// field's name
    #[arg(long, value_name = "NAME")]
    into: Vec<String>,
    /// The field that each blob is bound to, such as an event's id (version 4)
    #[arg(long, value_name = "PATH")]
    aad_from: Option<Path>,
    /// What the blobs are for; they open with the same alone (version 4)
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    /// KDF and AEAD, as in `pqseal seal` (version 4)
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<Choice>,
    #[command(flatten)]
    standing: Standing,
    #[command(flatten)]
    frame: fields::Frame,
    #[command(flatten)]
    inputs: fields::Inputs,
}

/// Sealing has nothing to tell: all is sealed, or it ends.
struct Quiet;

impl Observer for Quiet {
    fn batch(&mut self, _stats: &Stats) {}

    fn warning(&mut self, source: &str, warning: &Warning) {
        warn_of(source, warning);
    }
}

impl Seal {
    pub(super) fn run(self) -> Result<(), Error> {
        let (framing, limits) = self.frame.framing(io::stdout().is_terminal())?;
        let pipeline = Pipeline::new(self.sealer()?.for_many(), self.rules()?, self.frame.jobs)
            .map_err(|error| Error::io("start the threads", &error))?
            .framed(framing, limits);
        to_stdout(&pipeline, &sources(&self.inputs.inputs), &mut Quiet).map(drop)
    }

    fn rules(&self) -> Result<Rules, Error> {
        let default = ["/Metadata/matched_data".parse().expect("this is a path")];
        let fields = if self.fields.is_empty() {
            &default[..]
        } else {
            &self.fields
        };
        let mut rules = fields::named(fields, &self.into)?;
        if self.into.is_empty() {
            for (rule, field) in rules.iter_mut().zip(fields) {
                let name = field
                    .name()
                    .ok_or_else(|| Error::usage("a field to seal ends in a name; give its path"))?;
                rule.into = format!("encrypted_{name}");
            }
        }
        Ok(Rules {
            rules,
            named: true,
            mode: Mode::Drop,
            aad_from: self.aad_from.clone(),
            ..Rules::default()
        })
    }

    fn sealer(&self) -> Result<Sealer, Error> {
        let key = recipient(&self.to)?;
        if self.suite.is_none() && self.info.is_none() && self.aad_from.is_none() {
            match envelope::Sealer::new(&key) {
                Err(envelope::Error::WrongKem(_)) => {}
                sealer => return sealer.map(Sealer::V3).map_err(|error| Error::blob(&error)),
            }
        }
        let default = SuiteId {
            kem: key.kem().id,
            ..DEFAULT_SUITE
        };
        let suite = self
            .suite
            .map_or(Ok(default), |suite| suite.of_key(key.kem()))?;
        let info = self.info.as_deref().unwrap_or_default();
        let sealer = SealerV4::new(
            &key,
            suite.kdf,
            suite.aead,
            info.as_bytes(),
            &self.standing.policy(),
        );
        sealer.map(Sealer::V4).map_err(|error| unusable(&error))
    }
}
