//! What later runs know of a file.

use std::collections::BTreeSet;

/// What an earlier run has to say of a file that is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many records failed.
    pub failed: u64,
    /// The fields that its records have, by the places of the rules; `None` if it has no record
    /// that could be looked into.
    pub found: Option<BTreeSet<usize>>,
    /// The fields for which it has no column.
    pub no_column: BTreeSet<usize>,
    /// True if it is a table that was to be sealed, and has no rows.
    pub no_rows: bool,
}
