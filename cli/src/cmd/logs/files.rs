//! The options that select the files of a folder.

use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;
use pqseal_pipeline::files::{Selection, Shard, is_address};

use super::stores::{self, Stores};
use crate::{
    error::Error,
    output::Target,
    parse::{duration, time},
};

/// The options that select files, and those for files that fail.
#[derive(Args)]
pub(super) struct Files {
    /// Where to record which files are done; if not given, .pqseal-logs in the output folder. With
    /// --follow or --watch: how far each file was read, and which output that is in. One run at a
    /// time can use it
    #[arg(long, value_name = "FILE", value_parser = state)]
    pub(super) state: Option<PathBuf>,
    /// Process a share of the files, such as 2/3 on the second of three machines; files are
    /// assigned by their names
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Leave files that were modified less than this long ago to a later run, since something may
    /// still be writing them; such as 60s, 5m or 1h
    #[arg(long, value_name = "AGE", value_parser = duration)]
    min_age: Option<Duration>,
    /// Take only files that were modified at this time or later, such as 2026-11-23,
    /// 2026-11-23T08:00:00Z, or 24h for that long ago
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<SystemTime>,
    /// Take only files that were modified before this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<SystemTime>,
    /// How long to retry a request to an object store or a Kafka broker after a temporary failure
    #[cfg(any(feature = "stores", feature = "kafka"))]
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "3m")]
    retry_max_time: Duration,
    /// Follow links to folders within a folder, and visit each folder once; links to files are
    /// always followed
    #[arg(long)]
    follow_links: bool,
    /// Stop at the first file that fails; if not given, the other files are still processed
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Keep the records before the damage in a damaged file; the file still counts as failed
    #[arg(long)]
    pub(super) keep_partial: bool,
    /// Write a line of JSON for each file that failed: file, code and reason
    #[arg(long, value_name = "FILE")]
    pub(super) failed_list: Option<Target>,
}

impl Files {
    /// Refuses options that are for the files of a folder.
    ///
    /// # Errors
    /// If one is given.
    pub(super) fn expect_none(&self) -> Result<(), Error> {
        match self.given() {
            Some(option) => Err(Error::usage(format!(
                "{option} needs an output folder; name one with -o FOLDER/"
            ))),
            None => Ok(()),
        }
    }

    /// Refuses options that are for files, when a topic is read.
    ///
    /// # Errors
    /// If one is given.
    pub(super) fn expect_none_of_topics(&self) -> Result<(), Error> {
        let others = [
            ("--fail-fast", self.fail_fast),
            ("--keep-partial", self.keep_partial),
            ("--failed-list", self.failed_list.is_some()),
        ];
        let other = others.iter().find(|(_, is_given)| *is_given);
        match self.given().or(other.map(|(option, _)| *option)) {
            Some(option) => Err(Error::usage(format!(
                "{option} is for files; the consumer group records how far a topic was read, so leave it out"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the first given option that is for the files of a folder.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--state", self.state.is_some()),
            ("--shard", self.shard.is_some()),
            ("--min-age", self.min_age.is_some()),
            ("--since", self.since.is_some()),
            ("--until", self.until.is_some()),
            ("--follow-links", self.follow_links),
        ];
        let found = given.iter().find(|(_, is_given)| *is_given);
        found.map(|(option, _)| *option)
    }

    /// Returns the file of `--state`, if it is given.
    pub(super) fn state_file(&self) -> Option<Target> {
        self.state.clone().map(Target::File)
    }

    /// Returns the selection of files among the inputs.
    pub(super) fn selection(&self) -> Selection {
        Selection {
            follow_links: self.follow_links,
            min_age: self.min_age,
            since: self.since,
            until: self.until,
            shard: self.shard,
        }
    }

    /// Returns the object stores that inputs and outputs may be in.
    pub(super) fn stores(&self) -> Stores {
        stores::stores(self.retry())
    }

    /// Returns how long a request over the network is retried.
    pub(super) const fn retry(&self) -> Duration {
        #[cfg(any(feature = "stores", feature = "kafka"))]
        let retry = self.retry_max_time;
        #[cfg(not(any(feature = "stores", feature = "kafka")))]
        let retry = Duration::ZERO;
        retry
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text
        .split_once('/')
        .and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
    match parsed {
        Some((number, count)) if (1..=count).contains(&number) => Ok(Shard { number, count }),
        _ => Err("a share must be K/N, such as 1/3, 2/3 and 3/3".to_owned()),
    }
}

/// Parses the path of a state. It must be a file, since it is read and appended to.
fn state(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("later runs read the state, so it cannot be `-`; name a file".to_owned()),
        path if is_address(Path::new(path)) => Err(
            "with --state the state is a file; leave it out to keep the state with the outputs"
                .to_owned(),
        ),
        path => Ok(path.into()),
    }
}
