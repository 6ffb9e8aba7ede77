//! `--on-refused`: the treatment of records that cannot be sealed.

use std::ffi::OsString;

use clap::Args;
use pqseal_records::{Rules, audit_log::WHOLE};

use crate::{error::Error, output::Target};

/// The treatment of records that cannot be sealed.
#[derive(Args)]
pub(super) struct Refused {
    /// Continue after a record that cannot be sealed. `seal` seals it as a whole, in its place:
    /// {"encrypted_record":".."}. A FILE gets a line of JSON with its source, line, code and
    /// encrypted_record, and the output does without it. Rows of tables need a FILE; give both to
    /// seal other records in their places. If not given, the run ends before such a record, except
    /// that a firewall's preset seals it in its place unless it is too large
    #[arg(long = "on-refused", value_name = "seal|FILE")]
    asked: Vec<OnRefused>,
}

#[derive(Clone)]
enum OnRefused {
    Seal,
    Apart(Target),
}

impl Refused {
    /// Returns the file for refused records.
    ///
    /// # Errors
    /// If several files are named.
    pub(super) fn file(&self) -> Result<Option<&Target>, Error> {
        let mut files = self.asked.iter().filter_map(|asked| match asked {
            OnRefused::Seal => None,
            OnRefused::Apart(target) => Some(target),
        });
        match (files.next(), files.next()) {
            (file, None) => Ok(file),
            _ => Err(Error::usage(
                "--on-refused takes one file; name only one, or the file and `seal`",
            )),
        }
    }

    /// Returns whether the run goes on after refused records.
    pub(super) const fn is_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Returns `rules` with the treatment of refused records.
    pub(super) fn apply(&self, rules: Rules) -> Rules {
        let is_in_place = |asked: &OnRefused| matches!(asked, OnRefused::Seal);
        let whole = match self.asked.is_empty() {
            true => rules.whole,
            false => self.asked.iter().any(is_in_place).then_some(WHOLE),
        };
        Rules { whole, ..rules }
    }
}

impl From<OsString> for OnRefused {
    fn from(asked: OsString) -> Self {
        match asked == *"seal" {
            true => Self::Seal,
            false => Self::Apart(asked.into()),
        }
    }
}
