//! The result of a file, which later runs read.

use std::collections::BTreeSet;

/// The result of a file that an earlier run finished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of records that failed.
    pub failed: u64,
    /// The fields that occur in its records, by the indexes of the rules. `None` if no record
    /// could be searched.
    pub found: Option<BTreeSet<usize>>,
    /// The fields for which it has no column.
    pub no_column: BTreeSet<usize>,
    /// Set if it is a table that was to be sealed, and has no rows.
    pub no_rows: bool,
}
