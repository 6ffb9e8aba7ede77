//! `age-plugin-pqseal`: gives `age` and `rage` the KEMs that they have no recipients for.

use std::{
    fmt,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

use clap::Parser;
use getrandom::SysRng;
use pqseal_age::{PqsealIdentity, keys::identity_file, plugin};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::{DynKem, Policy};
use pqseal_keys::caution;
use zeroize::Zeroizing;

use crate::{
    binding::AllowExperimental,
    date,
    error::{Error, warn},
    input::stdin,
    output::{FileMode, Target, stdout, to_reader},
    suite,
};

/// Gives age and rage recipients of every KEM that pqseal has, such as MLKEM1024-P384
///
/// Put it into a folder of PATH: age and rage start it for recipients age1pqseal1... and identities
/// AGE-PLUGIN-PQSEAL-1... `pqseal file` opens and makes such files without it.
#[derive(Parser)]
#[command(
    name = "age-plugin-pqseal",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub struct Options {
    /// Make an identity, with its recipient in a comment
    #[arg(long)]
    keygen: bool,
    /// With --keygen: the key encapsulation mechanism; `pqseal suites` lists them
    #[arg(long, value_name = "NAME", default_value = "mlkem1024-p384", value_parser = suite::kem)]
    kem: &'static DynKem,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// With --keygen: write to this new file; an existing file is never overwritten
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// Speak this state machine of the plugin protocol; age and rage pass this option
    #[arg(long, value_name = "NAME", conflicts_with_all = ["keygen", "output"])]
    age_plugin: Option<String>,
}

impl Options {
    /// Serves the plugin protocol, or makes an identity with `--keygen`.
    pub fn run(self) -> ExitCode {
        let done = match &self.age_plugin {
            Some(state_machine) => serve(state_machine),
            None if self.keygen => new_identity(self.kem, &self.experimental.policy())
                .and_then(|made| made.write(self.output)),
            None => Err(Error::usage("give --keygen; --help shows the options")),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                error.report(false);
                error.exit.into()
            }
        }
    }
}

/// A new identity and its recipient.
pub struct NewIdentity {
    /// The text of the identity.
    pub(crate) identity: Zeroizing<String>,
    /// The text of the recipient.
    pub(crate) recipient: String,
}

/// Generates an identity of any KEM that the policy allows, which age and rage use with this
/// plugin.
///
/// # Errors
/// If the policy does not allow it, or the random number generator fails.
pub fn new_identity(kem: &'static DynKem, policy: &Policy) -> Result<NewIdentity, Error> {
    let (private, _) =
        pqseal_keys::generate(kem, policy, &mut SysRng).map_err(|error| match error {
            pqseal_hpke::Error::UnsupportedSuite(unsupported) => Error::unsupported(&unsupported),
            error => not_made("rng", &error),
        })?;
    let info = kem.info();
    if let Some(caution) = caution(info) {
        let name = info.short_name;
        warn(
            "experimental",
            format_args!("{name} is experimental. {caution}"),
        );
    }
    let identity =
        PqsealIdentity::from_key(private).map_err(|error| not_made("bad_key", &error))?;
    let text = identity
        .to_text()
        .map_err(|error| not_made("bad_key", &error))?;
    Ok(NewIdentity {
        identity: text,
        recipient: identity.recipient().to_string(),
    })
}

fn not_made(code: &'static str, error: &dyn fmt::Display) -> Error {
    Error::stopped(code, format!("no identity was made: {error}"))
}

impl NewIdentity {
    /// Writes the identity file, and the recipient to standard error unless the identity is on the
    /// screen.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(self, output: Option<Target>) -> Result<(), Error> {
        let recipient = &self.recipient;
        let text = identity_file(&self.identity, recipient, &date::now());
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

fn serve(state_machine: &str) -> Result<(), Error> {
    // A file key would stay in a buffer.
    let pipes = stdin().and_then(|input| Ok((input, stdout()?)));
    let (input, output) = pipes.map_err(|error| Error::io("speak with the client", &error))?;
    plugin::serve(state_machine, input, output).map_err(|error| Error::refused(error.to_string()))
}
