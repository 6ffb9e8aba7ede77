//! The limit of the size of a file.

/// Returns the largest size in bytes of a file that this process writes, if it is limited (`ulimit
/// -f`).
#[cfg(unix)]
pub fn largest_file() -> Option<u64> {
    let limit = rlimit::Resource::FSIZE.get_soft().ok()?;
    (limit != rlimit::INFINITY).then_some(limit)
}

/// Returns `None`, because other systems have no such limit.
#[cfg(not(unix))]
pub const fn largest_file() -> Option<u64> {
    None
}
