//! The options for files that grow: `--follow` and `--watch`.

use clap::Args;
use pqseal_pipeline::Framing;

use crate::{error::Error, input::Source};

/// The options for reading files as they grow.
#[derive(Args)]
pub(super) struct Growing {
    /// Keep reading the files as they grow, as `tail -F` does, until Ctrl-C or SIGTERM. Each line
    /// is processed as soon as it is complete. Rotated and truncated files are recognised, and a
    /// file that does not exist yet is waited for. Only for NDJSON that is not compressed. With
    /// --state, the next run continues from there. The file of -o may be rotated too; SIGHUP opens
    /// it again
    #[arg(long, requires = "inputs", conflicts_with_all = ["watch", "shard", "min_age", "follow_links", "fail_fast", "keep_partial", "failed_list", "delimiter"])]
    pub(super) follow: bool,
    /// Like --follow, for all files in the folders, including those that appear later. Hidden files
    /// are skipped. A copy of a file is a new file: keep those of logrotate's copytruncate outside
    /// the folders, or their records are written twice
    #[arg(long, requires = "inputs", conflicts_with_all = ["shard", "min_age", "follow_links", "fail_fast", "keep_partial", "failed_list", "delimiter"])]
    pub(super) watch: bool,
    /// With --follow or --watch: skip what is already in files that --state does not list, and read
    /// only what is added. With a topic that --group has never read: read only new messages
    #[arg(long)]
    pub(super) from_end: bool,
}

impl Growing {
    /// Reports whether files are followed.
    ///
    /// # Errors
    /// If an option is given that needs it, and files are not followed.
    pub(super) fn is_asked(&self, reads_topic: bool) -> Result<bool, Error> {
        let is_asked = self.follow || self.watch;
        match (is_asked, reads_topic) {
            (true, true) => Err(Error::usage(
                "--follow and --watch are for files; a topic is followed anyway, so leave them out",
            )),
            (false, false) if self.from_end => Err(Error::usage(
                "--from-end is for --follow, --watch and topics; add one of them",
            )),
            _ => Ok(is_asked),
        }
    }

    /// Returns where reading starts in a topic that --group has never read.
    #[cfg(feature = "kafka")]
    pub(super) const fn start(&self) -> pqseal_kafka::Start {
        match self.from_end {
            true => pqseal_kafka::Start::End,
            false => pqseal_kafka::Start::First,
        }
    }

    /// Refuses records that are not lines.
    ///
    /// # Errors
    /// If files are followed, and records are separated in another way.
    pub(super) fn check_framing(&self, framing: Framing) -> Result<(), Error> {
        let is_asked = self.follow || self.watch;
        match framing {
            Framing::Auto | Framing::Lines => Ok(()),
            _ if !is_asked => Ok(()),
            _ => Err(Error::usage(
                "files that grow are followed as lines (NDJSON); leave --input-format out",
            )),
        }
    }

    /// Refuses inputs that cannot be followed.
    ///
    /// # Errors
    /// If there is one.
    pub(super) fn check(&self, inputs: &[Source]) -> Result<(), Error> {
        for input in inputs {
            let Some(path) = input.path() else {
                return Err(Error::usage(
                    "--follow is only for files; standard input is read until it ends anyway, so leave --follow out",
                ));
            };
            match (self.watch, path.is_dir()) {
                (true, false) => {
                    return Err(Error::usage(format!(
                        "{input} is not a folder; --watch takes folders, and --follow files"
                    )));
                }
                (false, true) => {
                    return Err(Error::usage(format!(
                        "{input} is a folder; use --watch to follow the files in it"
                    )));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
