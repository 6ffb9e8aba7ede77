//! The state file of followed files, which consists of lines of JSON. The last complete line
//! counts.
//!
//! `{"follow":[{"input":P,"inode":I,"offset":O,"line":L,"mark":[S,"H"],"in_line":B,"doubt":D,"size":Z,
//! "gone":G},...],"output":{"file":P,"inode":I,"offset":O,"mark":[S,"H"]}}`, in one line: of the
//! file at `P`, `O` of `Z` bytes were processed, the next line has the number `L`, and the SHA-256
//! of the `S` bytes before that position begins with `H`. `D` is the damage of the line before:
//! `none`, `damaged`, or `line` if the damage may be a line of a document over several lines. `O`
//! of `output` is its size then. It is null if the output is not a file, and a number, its size, in
//! states of earlier versions. A path that is not UTF-8 is in `input_base64` or `file_base64`.
//!
//! Before more is written to an output file,
//! `{"read":{"input":P,"inode":I,"offset":O,"mark":[S,"H"]}}` records how far the file at `P` was
//! read for it. Earlier versions skip such lines.
//!
//! A line that a crash truncated is ignored. Lines are appended, and a large file is replaced by
//! its last line. It is locked while a run uses it.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use pqseal_atomic_file::{beside, is_file_at};
use serde_json::{Value, json};

use super::{known::Entry, lines, output::Noted, place::Place};

/// The size in bytes beyond which the file is replaced by its last line, if that is much smaller.
const LARGE: u64 = 4 << 20;

/// The state file, which records the progress of runs.
pub(super) struct Checkpoints {
    path: PathBuf,
    /// The locked file. `None` only while it is replaced.
    file: Option<File>,
}

/// The progress of earlier runs.
#[derive(Default)]
pub(super) struct Earlier {
    pub(super) entries: Vec<Entry>,
    pub(super) output: Noted,
    /// The places up to which files were read for data that was written after `output`.
    pub(super) read: Vec<Place>,
}

impl Checkpoints {
    /// Locks the state at `path`, creating it if it does not exist, and reads it.
    ///
    /// # Errors
    /// An error if the file cannot be read or written, is not a state, or is used by another run.
    pub(super) fn load(path: &Path) -> io::Result<(Self, Earlier)> {
        let mut file = locked(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let state = Self {
            path: path.to_owned(),
            file: Some(file),
        };
        Ok((state, earlier(&text)?))
    }

    /// Records how far files were read, and the output.
    ///
    /// # Errors
    /// An error if that cannot be written.
    pub(super) fn note<'e>(
        &mut self,
        output: Option<&Place>,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> io::Result<()> {
        let entries: Vec<_> = entries.map(lines::of_entry).collect();
        let output = output.map(|place| lines::of_place(place, "file"));
        let line = format!("\n{}\n", json!({ "follow": entries, "output": output }));
        let mut file = self.file()?;
        if file.metadata()?.len() > LARGE.max(8 * line.len() as u64) {
            return self.replace(&line);
        }
        // A line break comes first, since the last line may be incomplete.
        file.write_all(line.as_bytes())?;
        file.sync_data()
    }

    /// Records that a file was read this far for the data that is written next. It is not synced,
    /// since it only has to survive the end of the process.
    ///
    /// # Errors
    /// An error if that cannot be written.
    pub(super) fn note_read(&mut self, place: &Place) -> io::Result<()> {
        let line = json!({ "read": lines::of_place(place, "input") });
        self.file()?.write_all(format!("{line}\n").as_bytes())
    }

    /// Returns the file, which is created again if it was removed.
    fn file(&mut self) -> io::Result<&File> {
        let file = match self.file.take() {
            Some(file) if is_file_at(&self.path, &file) => file,
            _ => locked(&self.path)?,
        };
        Ok(self.file.insert(file))
    }

    fn replace(&mut self, line: &str) -> io::Result<()> {
        // The new file is locked from the start.
        let file = beside(&self.path, 0o666)?;
        let mut writer: &File = file.as_file();
        writer.write_all(line.as_bytes())?;
        writer.sync_all()?;
        // Windows cannot replace an open file.
        if cfg!(windows) {
            self.file = None;
        }
        self.file = Some(file.persist_open(&self.path)?);
        Ok(())
    }
}

/// Opens and locks the file at `path`. Two runs with one state would truncate each other's records.
fn locked(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    loop {
        let file = options.open(path)?;
        // Systems without locks lock nothing.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(io::Error::other(
                "another run uses this state; name another file with --state",
            ));
        }
        // Another run may have replaced the file before it was locked.
        if is_file_at(path, &file) {
            return Ok(file);
        }
    }
}

/// Returns the last complete line, and the places that were recorded after it.
fn earlier(text: &[u8]) -> io::Result<Earlier> {
    let mut earlier = Earlier::default();
    let values = text
        .rsplit(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    for value in values {
        if let Some(entries) = value["follow"].as_array() {
            earlier.entries = entries.iter().filter_map(lines::entry).collect();
            earlier.output = Noted::of(&value["output"]);
            return Ok(earlier);
        }
        earlier.read.extend(lines::place(&value["read"], "input"));
    }
    // A state that was removed during a run begins with `read` lines.
    match text.trim_ascii().is_empty() || !earlier.read.is_empty() {
        true => Ok(earlier),
        false => Err(io::Error::other(
            "it is not a state of files that are followed; name another file with --state",
        )),
    }
}
