//! `pqseal logs generate`: events to try the rest with.

use std::io::{BufWriter, ErrorKind, Write};

use clap::Args;

use super::terminal::Output;
use crate::error::Error;

/// Make firewall events to test with
///
/// Writes NDJSON as log pushes have it, with Metadata.matched_data in the clear for `pqseal logs
/// seal`. Of a hundred events ten have none, and of one the edge logged `truncated`. The same seed
/// gives the same events.
#[derive(Args)]
pub(super) struct Generate {
    /// How many
    #[arg(default_value_t = 1000)]
    count: u64,
    /// Where the dice start
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Generate {
    pub(super) fn run(self) -> Result<(), Error> {
        let mut output = BufWriter::with_capacity(1 << 16, Output::new());
        let made = siem::generate::events(self.count, self.seed, &mut output)
            .and_then(|()| output.flush());
        match made {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::io("write to standard output", &error))
            }
            _ => Ok(()),
        }
    }
}
