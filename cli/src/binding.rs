//! What seals and opens blobs besides the key: `--info`, `--aad`, `--allow-experimental` and
//! `--min-version`.

use clap::{Args, value_parser};
use envelope::{KeyRing, hpke::Policy};

use crate::{error::Error, input::Source, message::text_or_file};

/// What an application binds a blob to.
#[derive(Args)]
pub struct BindingArgs {
    /// Application context (HPKE info), such as `matched data of example.com`; the same value is
    /// required to open the blob (version 4 only)
    #[arg(long, value_name = "TEXT", conflicts_with = "info_file")]
    info: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    info_file: Option<Source>,
    /// What the blob is bound to (HPKE aad), such as the id of its log line; the same value is
    /// required to open the blob (version 4 only)
    #[arg(long, value_name = "TEXT", conflicts_with = "aad_file")]
    aad: Option<String>,
    /// The same, from a file, byte for byte
    #[arg(long, value_name = "FILE")]
    aad_file: Option<Source>,
}

/// Which versions of blobs are opened.
#[derive(Args)]
pub struct MinVersion {
    /// Refuse blobs of versions below N (1 to 4). Only version 4 can be bound to its record with an
    /// aad. If all your blobs are version 4, --min-version 4 prevents anyone from replacing one by
    /// an older blob
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=4))]
    min_version: Option<u8>,
}

/// Which algorithms may be used.
#[derive(Args)]
pub struct AllowExperimental {
    /// Allow algorithms that `pqseal suites` lists as experimental
    #[arg(long)]
    allow_experimental: bool,
}

impl BindingArgs {
    /// Whether there is any.
    pub fn is_given(&self) -> bool {
        self.info.is_some() || self.aad.is_some() || self.sources().next().is_some()
    }

    /// The files among them.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.info_file.iter().chain(&self.aad_file)
    }

    /// The bytes of info and aad; none if they are not given.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(&self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        Ok((
            text_or_file(self.info.as_ref(), self.info_file.as_ref())?,
            text_or_file(self.aad.as_ref(), self.aad_file.as_ref())?,
        ))
    }
}

impl MinVersion {
    /// Makes `ring` refuse what is below it.
    pub const fn apply(&self, ring: &mut KeyRing) {
        ring.require_version(self.get());
    }

    /// The lowest version that is opened.
    pub const fn get(&self) -> u8 {
        match self.min_version {
            Some(version) => version,
            None => 1,
        }
    }
}

impl AllowExperimental {
    /// Whether experimental algorithms are allowed.
    pub const fn is_experimental(&self) -> bool {
        self.allow_experimental
    }

    /// What a document defines, and the rest if that is wanted.
    pub const fn policy(&self) -> Policy {
        if self.allow_experimental {
            Policy::draft().with_experimental()
        } else {
            Policy::draft()
        }
    }
}

#[cfg(test)]
mod tests {
    use envelope::hpke::{Component, Status};

    use super::*;

    #[test]
    fn an_experimental_algorithm_needs_the_flag() {
        let check = |allow_experimental| {
            let policy = AllowExperimental { allow_experimental }.policy();
            policy.check(Component::Kem, 0xff11, Status::Experimental)
        };
        let refused = Error::unsupported(&check(false).unwrap_err());
        assert!(
            refused
                .message
                .contains("experimental; add --allow-experimental"),
            "{}",
            refused.message
        );
        assert_eq!(check(true), Ok(()));
    }
}
