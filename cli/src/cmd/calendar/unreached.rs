//! The copies of a shredded file that this program cannot reach.

use std::{fs, path::Path};

use crate::{error::warn, escape};

/// File systems that write new data elsewhere, so that old data stays until its place is used
/// again.
const COPY_ON_WRITE: [&str; 10] = [
    "apfs", "bcachefs", "btrfs", "f2fs", "fuse", "nfs", "nfs4", "nilfs2", "overlay", "zfs",
];

/// Warns of copies of old keys.
pub(super) fn warn_of(path: &Path) {
    let copies = file_system(path)
        .filter(|kind| COPY_ON_WRITE.iter().any(|known| kind.starts_with(known)))
        .map_or_else(String::new, |kind| {
            format!(
                "{} is on {kind}, which keeps old data; ",
                escape::path(path)
            )
        });
    warn(
        "unreached",
        format_args!(
            "{copies}old keys may remain in SSDs, snapshots, backups, swap and lent calendars; a passphrase or an age identity that changes at each shredding makes such copies useless (docs/calendar.md)"
        ),
    );
}

/// Returns the type of the file system of a path, on Linux.
fn file_system(path: &Path) -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    let mount = |line: &str| {
        let mut parts = line.split(' ').skip(1);
        // Spaces in names are escaped as in octal.
        let at = parts.next()?.replace("\\040", " ");
        let kind = parts.next()?.to_owned();
        path.starts_with(&at).then_some((at.len(), kind))
    };
    // The last mount at a path hides those before it.
    let found = mounts.lines().filter_map(mount);
    found
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}
