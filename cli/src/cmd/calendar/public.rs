//! `pqseal calendar public`.

use clap::Args;

use super::{file, period};
use crate::{
    error::Error,
    file::Identities,
    input::{Source, one_stdin},
    output::to_stdout,
};

/// Print the public calendar
///
/// With --from or --to only the keys of these periods are written; all other lines stay without
/// their keys.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::CALENDAR))]
pub(super) struct Public {
    /// The first period whose key is written, by its start
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    from: Option<u64>,
    /// The last period whose key is written, by its start
    #[arg(long, value_name = "DATE", value_parser = period::parse)]
    to: Option<u64>,
    #[command(flatten)]
    identities: Identities,
    /// The calendar
    #[arg(value_name = "FILE")]
    file: Source,
}

impl Public {
    pub(super) fn run(self) -> Result<(), Error> {
        one_stdin([&self.file].into_iter().chain(self.identities.sources()))?;
        let (calendar, _) = file::read(&self.file, &self.identities)?;
        let periods = period::range(&calendar, self.from, self.to)?;
        let public = calendar.public(periods);
        let public = public.map_err(|error| Error::calendar(&self.file, &error))?;
        to_stdout(public.as_str().as_bytes())
    }
}
