//! The options of sealing and opening besides the key: `--info`, `--aad`, `--allow-experimental`
//! and `--min-version`.

use clap::{Args, value_parser};
use pqseal_hpke::Policy;
use pqseal_matched_data::KeyRing;

use crate::{error::Error, input::Source, message::text_or_file};

/// The context that an application binds a blob to.
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

/// The lowest version of blobs that is opened.
#[derive(Args)]
pub struct MinVersion {
    /// Refuse blobs of versions below N (1 to 4). Only version 4 can be bound to its record with an
    /// aad. If all your blobs are version 4, --min-version 4 prevents anyone from replacing one by
    /// an older blob
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=4))]
    min_version: Option<u8>,
}

/// The choice of algorithms that may be used.
#[derive(Args)]
pub struct AllowExperimental {
    /// Allow algorithms that `pqseal suites` lists as experimental
    #[arg(long)]
    allow_experimental: bool,
}

impl BindingArgs {
    /// Reports whether info or aad is given.
    pub fn is_given(&self) -> bool {
        self.info.is_some() || self.aad.is_some() || self.sources().next().is_some()
    }

    /// Lists the files that info and aad are read from.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.info_file.iter().chain(&self.aad_file)
    }

    /// Reads info and aad; each is empty if it is not given.
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
    /// Makes `ring` refuse blobs below this version.
    pub const fn apply(&self, ring: &mut KeyRing) {
        ring.require_version(self.get());
    }

    /// Returns the lowest version that is opened.
    pub const fn get(&self) -> u8 {
        match self.min_version {
            Some(version) => version,
            None => 1,
        }
    }
}

impl AllowExperimental {
    /// Reports whether experimental algorithms are allowed.
    pub const fn is_experimental(&self) -> bool {
        self.allow_experimental
    }

    /// Returns the policy: algorithms that a document defines, and experimental ones if they are
    /// allowed.
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
    use pqseal_hpke::{Component, Status};

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
