//! The copies of a shredded file that this program cannot reach.

use std::{fs, path::Path};

use crate::{error::warn, escape};

/// Linux file systems that write new data elsewhere, or may do so behind a server or program, so
/// that old data stays until its place is reused.
const COPY_ON_WRITE: [&str; 10] = [
    "bcachefs", "btrfs", "cifs", "f2fs", "fuse", "nfs", "nfs4", "nilfs2", "overlay", "zfs",
];

/// Warns of copies of old keys.
pub(super) fn warn_of(path: &Path) {
    let copies = file_system(path)
        .filter(|kind| keeps_old_data(kind))
        .map_or_else(String::new, |kind| {
            format!(
                "{} is on {kind}, which may keep old data; ",
                escape::path(path)
            )
        });
    warn(
        "unreached",
        format_args!(
            "{copies}old keys may remain in SSDs, snapshots, backups, swap, lent calendars, and .pqseal-*.tmp files of killed runs in other folders; a passphrase or an age identity that changes at each shredding makes such copies useless, and an identity on a token makes them useless without it (docs/calendar.md)"
        ),
    );
}

/// Reports whether a file system may keep old data. A type such as `fuse.sshfs` names its program.
fn keeps_old_data(kind: &str) -> bool {
    let kind = kind.split('.').next().unwrap_or(kind);
    COPY_ON_WRITE.contains(&kind)
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

#[cfg(test)]
mod tests {
    use super::keeps_old_data;

    #[test]
    fn file_systems_are_known_by_their_whole_type() {
        let known = ["btrfs", "zfs", "nfs4", "overlay", "fuse.sshfs", "fuse"];
        assert!(known.into_iter().all(keeps_old_data));
        let others = ["ext4", "xfs", "fuseblk", "nfsd", "vfat"];
        assert!(!others.into_iter().any(keeps_old_data));
    }
}
