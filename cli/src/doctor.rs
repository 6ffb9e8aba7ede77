//! `pqseal doctor`: checks this program on this machine, and explains why something does not open.

#[cfg(test)]
mod agreement;
mod blobs;
mod calendars;
mod case;
mod found;
mod ikm;
mod keys;
mod log;
mod machine;
mod permissions;
mod report;
mod table;

use clap::Args;
use pqseal_matched_data::OpenOptions;

use crate::{
    binding::{AllowExperimental, BindingArgs},
    error::{Error, Exit},
    input::{Source, one_stdin},
    passphrase::Passphrase,
};
use keys::Given;
use log::Input;
use report::Report;

/// The arguments of `pqseal doctor`.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::DOCTOR))]
pub struct Doctor {
    /// A file with private keys; repeat it to give several. Without keys, it still shows which key
    /// a blob names
    #[arg(short, long = "key", value_name = "KEYFILE")]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Input keying material (bytes, hexadecimal or base64); finds which of the key pairs that it
    /// can give opens FILE or has the public key of --public-key
    #[arg(long, value_name = "FILE")]
    ikm: Option<Source>,
    /// The public key that --ikm should give
    #[arg(long, value_name = "FILE", requires = "ikm")]
    public_key: Option<Source>,
    #[command(flatten)]
    binding: BindingArgs,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// What does not open: blobs, JSON records, or a log (compressed or not)
    #[arg(value_name = "FILE")]
    inputs: Vec<Source>,
}

impl Doctor {
    /// Runs the checks.
    ///
    /// # Errors
    /// See [`Error`]. Problems are reported and give [`Exit::Incomplete`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        if self.ikm.is_some() && self.public_key.is_none() && self.inputs.is_empty() {
            return Err(Error::usage(
                "--ikm derives many key pairs; add --public-key FILE, or a FILE with a blob, to say which one to find",
            ));
        }
        let others = self.binding.sources().chain(self.passphrase.source());
        let own = (self.keys.iter().chain(&self.ikm)).chain(&self.public_key);
        one_stdin(own.chain(&self.inputs).chain(others))?;
        let (info, aad) = self.binding.read()?;
        let options = OpenOptions {
            info: &info,
            aad: &aad,
            policy: self.experimental.policy(),
        };
        let mut report = Report::new(json);
        machine::examine(&mut report)?;
        let mut given = Given::read(&self.keys, &self.passphrase, &mut report)?;
        if let Some(source) = self.passphrase.source() {
            permissions::examine("keys", source, &mut report)?;
        }
        let inputs = self.read_inputs(&mut report)?;
        if let Some(source) = &self.ikm {
            let found = ikm::examine(source, self.public_key.as_ref(), &inputs, &mut report)?;
            found.into_iter().try_for_each(|pair| given.add(pair))?;
        }
        given.prepare()?;
        for input in &inputs {
            log::examine(input, &given, &options, &mut report)?;
        }
        report.end()
    }

    /// Reads the inputs, and reports those that cannot be read.
    fn read_inputs(&self, report: &mut Report) -> Result<Vec<Input<'_>>, Error> {
        let mut inputs = Vec::new();
        for source in &self.inputs {
            match Input::read(source) {
                Ok(input) => inputs.push(input),
                Err(error) => report.problem(&source.to_string(), "input", "io", &error)?,
            }
        }
        Ok(inputs)
    }
}
