//! Files that a server may have open: connections are files too.

use serde_json::json;

use super::log::{Level, log};
use crate::process;

/// Asks the system for so many files for each connection, and so many others. If it gives fewer,
/// `connections` becomes what they are enough for.
pub(crate) fn fit_in_files(connections: &mut u32, each: u64, others: u64) {
    let wanted = each * u64::from(*connections) + others;
    let granted = process::open_files(wanted);
    if granted >= wanted {
        return;
    }
    let enough = u32::try_from(granted.saturating_sub(others) / each);
    *connections = enough.unwrap_or(u32::MAX).max(1);
    log(
        Level::Warning,
        "few_files",
        json!({
            "wanted": wanted,
            "granted": granted,
            "connections": *connections,
            "reason": "raise the limit of open files (ulimit -n), or lower connections",
        }),
    );
}
