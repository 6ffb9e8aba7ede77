//! The limit of open files. Connections count as files too.

use serde_json::json;

use super::log::{Level, log};
use crate::process;

/// Asks the system for `each` files per connection, and `others`. If it grants fewer,
/// `connections` is reduced to what they suffice for.
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
