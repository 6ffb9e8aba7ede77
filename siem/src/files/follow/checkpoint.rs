//! How far files were read: lines of JSON. The last one that is whole counts.
//!
//! `{"follow":[{"input":P,"inode":I,"offset":O,"line":L,"mark":[S,"H"],"in_line":B},...],"output":N}`:
//! of the file at `P`, `O` bytes were taken, the next line has the number `L`, and the SHA-256 of
//! the `S` bytes before that place begins with `H`. The output has `N` bytes then, or null if it is
//! not a file. A path that is not UTF-8 is in `input_base64`.
//!
//! A line that a crash cut short says nothing. Lines are added, and the file is replaced by its last
//! line when it is large.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use envelope::base64;
use serde_json::{Value, json};

use super::{
    entry::{Entry, Seen},
    mark::Mark,
};
use crate::files::temporary;

/// Beyond this many bytes the file is replaced by its last line, if that is much smaller.
const LARGE: u64 = 4 << 20;

/// What earlier runs have done, and where it is noted.
pub(super) struct Checkpoints {
    path: PathBuf,
    /// Those of files that have not appeared in this run.
    entries: Vec<Entry>,
    output: Option<u64>,
}

impl Checkpoints {
    /// Reads the state at `path`, if it exists.
    ///
    /// # Errors
    /// If it exists and cannot be read, or is something else.
    pub(super) fn load(path: &Path) -> io::Result<Self> {
        let mut state = Self {
            path: path.to_owned(),
            entries: Vec::new(),
            output: None,
        };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(state),
            Err(error) => return Err(error),
        };
        let lines = text.split(|byte| *byte == b'\n');
        let mut values = lines
            .rev()
            .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
        let last = values.find(|value| value["follow"].is_array());
        match last {
            Some(last) => {
                let entries = last["follow"].as_array().into_iter().flatten();
                state.entries = entries.filter_map(read).collect();
                state.output = last["output"].as_u64();
            }
            None if text.trim_ascii().is_empty() => {}
            None => {
                return Err(io::Error::other(
                    "it is not a state of files that are followed; name another file with --state",
                ));
            }
        }
        Ok(state)
    }

    /// How large the output was when the state was written.
    pub(super) const fn output(&self) -> Option<u64> {
        self.output
    }

    /// How far this file was read, which is known by its number, or else by its name.
    pub(super) fn take(&mut self, file: &Seen) -> Option<Entry> {
        let by_number = |entry: &Entry| entry.has_number(file.inode, &file.path);
        // Another file of this name says nothing where nothing was read.
        let by_name = |entry: &Entry| {
            let is_told = entry.inode == 0 || entry.mark.size > 0;
            is_told && entry.path == file.path && entry.is_at(&file.path)
        };
        let place = self.entries.iter().position(by_number);
        let place = place.or_else(|| self.entries.iter().position(by_name))?;
        Some(self.entries.swap_remove(place))
    }

    /// The files that have not appeared.
    pub(super) fn take_rest(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// Forgets files that were removed while nothing followed them.
    pub(super) fn forget_removed(&mut self) {
        let is_removed = |path: &Path| !path.exists() && path.parent().is_some_and(Path::exists);
        self.entries.retain(|entry| !is_removed(&entry.path));
    }

    /// Notes how far files were read, and how large the output is.
    ///
    /// # Errors
    /// If that cannot be written.
    pub(super) fn note(
        &mut self,
        output: Option<u64>,
        entries: impl Iterator<Item = Entry>,
    ) -> io::Result<()> {
        // Files that have not appeared may do so later.
        let waiting = self.entries.iter().cloned();
        let entries: Vec<_> = entries.chain(waiting).map(|entry| line(&entry)).collect();
        let line = format!("\n{}\n", json!({ "follow": entries, "output": output }));
        let size = fs::metadata(&self.path).map_or(0, |found| found.len());
        if size > LARGE.max(8 * line.len() as u64) {
            return self.replace(&line);
        }
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).open(&self.path)?;
        // A line break before as well: the last line may have been cut short.
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    fn replace(&self, line: &str) -> io::Result<()> {
        let file = temporary::beside(&self.path, 0o666)?;
        let mut writer: &File = file.as_file();
        writer.write_all(line.as_bytes())?;
        writer.sync_all()?;
        file.persist(&self.path)
    }
}

fn line(entry: &Entry) -> Value {
    let mut line = json!({
        "inode": entry.inode,
        "offset": entry.offset,
        "line": entry.number,
        "mark": [entry.mark.size, format!("{:016x}", entry.mark.hash)],
        "in_line": entry.in_line,
    });
    match entry.path.to_str() {
        Some(path) => line["input"] = json!(path),
        None => {
            let path = base64::encode(entry.path.as_os_str().as_encoded_bytes());
            line["input_base64"] = json!(path);
        }
    }
    line
}

fn read(line: &Value) -> Option<Entry> {
    let path = match line["input"].as_str() {
        Some(path) => PathBuf::from(path),
        None => of_bytes(&base64::decode(line["input_base64"].as_str()?.as_bytes()).ok()?)?,
    };
    let hash = line["mark"][1].as_str()?;
    Some(Entry {
        path,
        inode: line["inode"].as_u64()?,
        offset: line["offset"].as_u64()?,
        number: line["line"].as_u64()?,
        mark: Mark {
            size: line["mark"][0].as_u64()?,
            hash: u64::from_str_radix(hash, 16).ok()?,
        },
        in_line: line["in_line"].as_bool()?,
    })
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems have paths in Unicode"
)]
fn of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    let name: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
    Some(name.into())
}

#[cfg(not(unix))]
fn of_bytes(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}
