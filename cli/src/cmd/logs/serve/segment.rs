//! A segment: a file of events that is written to, and its completion.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use pqseal_atomic_file::{folder_of, sync_folder};

use super::config;
use crate::server::append::Appended;

/// The end of the name of a file that is still written to.
pub(super) const PART: &str = ".part";

/// The newest file of a folder.
pub(super) struct Segment {
    pub(super) file: Appended,
    pub(super) since: Instant,
    /// `true` if its name may not be on the disk yet. Then nothing in it was acknowledged.
    pub(super) is_new: bool,
    /// `true` after a failed write. The next segment may have room where this one has not.
    pub(super) is_full: bool,
}

impl Segment {
    /// Creates a file, named by the time and a number. If the clock was set back, or several are
    /// created in a second, it takes the next free number.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn create(config: &config::Output, time: &str) -> io::Result<Self> {
        let time = time.replace(['-', ':'], "");
        for number in 1_u32.. {
            let name = format!("{}-{time}-{number:04}.ndjson", config.prefix);
            let path = config.folder.join(name);
            if path.exists() {
                continue;
            }
            let mut part = path.into_os_string();
            part.push(PART);
            match Appended::open(Path::new(&part), true) {
                Ok(file) => {
                    return Ok(Self {
                        file,
                        since: Instant::now(),
                        is_new: true,
                        is_full: false,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// Completes a segment that is no longer written to: cuts off an unfinished line, waits for the
/// disk, and gives it its final name, or removes it if it is empty. Returns the final name.
///
/// # Errors
/// Those of the system.
pub(super) fn finish(file: &mut Appended) -> io::Result<Option<PathBuf>> {
    file.mend()?;
    file.sync()?;
    let path = complete(&file.path);
    if !file.has_name(&path) {
        if !file.has_its_name() {
            return Err(io::ErrorKind::NotFound.into());
        }
        if fs::metadata(&file.path)?.len() == 0 {
            return fs::remove_file(&file.path).map(|()| None);
        }
        fs::rename(&file.path, &path)?;
    }
    sync_folder(folder_of(&path))?;
    Ok(Some(path))
}

/// Returns whether a segment has neither of its names: it was moved or removed, or its folder was.
pub(super) fn is_lost(file: &Appended) -> bool {
    !file.has_its_name() && !file.has_name(&complete(&file.path))
}

/// Returns the final name of a segment.
fn complete(part: &Path) -> PathBuf {
    part.with_extension("")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::server::spool::Lines;

    #[test]
    fn a_clock_that_is_set_back_replaces_no_segment() {
        let dir = tempfile::tempdir().unwrap();
        let settings = config::Output {
            folder: dir.path().to_owned(),
            prefix: "e".to_owned(),
            rotate_size: 1,
            rotate_age: Duration::from_secs(3600),
        };
        let (late, early) = ("2026-11-24T15:00:00Z", "2026-11-24T14:00:00Z");
        let mut parts = Vec::new();
        for (time, text) in [(late, "1\n"), (early, "2\n"), (late, "3\n"), (late, "4\n")] {
            let mut segment = Segment::create(&settings, time).unwrap();
            let mut lines = Lines::from(text.as_bytes().to_vec());
            segment.file.add(&mut lines).unwrap();
            match text {
                "1\n" => _ = finish(&mut segment.file).unwrap(),
                _ => parts.push(segment.file),
            }
        }
        // None is a complete segment, and none is written to.
        for mut part in parts {
            finish(&mut part).unwrap();
        }
        let entries = fs::read_dir(dir.path()).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let texts: Vec<_> = paths
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        assert_eq!(texts, ["2\n", "1\n", "3\n", "4\n"]);
    }
}
