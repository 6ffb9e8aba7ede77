//! `age-plugin-pqseal`: gives `age` and `rage` the KEMs that they have no recipients for.

use std::process::ExitCode;

use clap::Parser;
use pqseal_age::plugin;
use pqseal_hpke::DynKem;

use crate::{
    binding::AllowExperimental,
    error::Error,
    file::new_identity,
    input::stdin,
    output::{Target, stdout},
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
            None if self.keygen => self.generate(),
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

    fn generate(self) -> Result<(), Error> {
        let made = new_identity(self.kem, &self.experimental.policy())?;
        made.write(self.output)
    }
}

fn serve(state_machine: &str) -> Result<(), Error> {
    // A file key would stay in a buffer.
    let pipes = stdin().and_then(|input| Ok((input, stdout()?)));
    let (input, output) = pipes.map_err(|error| Error::io("speak with the client", &error))?;
    plugin::serve(state_machine, input, output).map_err(|error| Error::refused(error.to_string()))
}
