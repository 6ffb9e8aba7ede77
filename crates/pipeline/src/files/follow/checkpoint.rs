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
use pqseal_keys::base64;
use serde_json::{Value, json};

use super::{EarlierRuns, FilePosition, FileProgress, Mark, RecordedOutput};
use crate::pipeline::DoubtLevel;

/// The size in bytes beyond which the file is replaced by its last line, if that is much smaller.
const LARGE: u64 = 4 << 20;

/// The state file, which records the progress of runs.
pub(super) struct Checkpoints {
    path: PathBuf,
    /// The locked file. `None` only while it is replaced.
    file: Option<File>,
}

impl Checkpoints {
    /// Locks the state at `path`, creating it if it does not exist, and reads it.
    ///
    /// # Errors
    /// An error if the file cannot be read or written, is not a state, or is used by another run.
    pub(super) fn load(path: &Path) -> io::Result<(Self, EarlierRuns)> {
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
        output: Option<&FilePosition>,
        files: impl Iterator<Item = &'e FileProgress>,
    ) -> io::Result<()> {
        let files: Vec<_> = files.map(progress_json).collect();
        let output = output.map(|end| position_json(end, "file"));
        let line = format!("\n{}\n", json!({ "follow": files, "output": output }));
        let mut file = self.file()?;
        if file.metadata()?.len() > LARGE.max(8 * line.len() as u64) {
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
            return Ok(());
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
    pub(super) fn note_read(&mut self, position: &FilePosition) -> io::Result<()> {
        let line = json!({ "read": position_json(position, "input") });
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

/// Returns the last complete line, and the positions that were recorded after it.
fn earlier(text: &[u8]) -> io::Result<EarlierRuns> {
    let mut earlier = EarlierRuns::default();
    let values = text
        .rsplit(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    for value in values {
        if let Some(files) = value["follow"].as_array() {
            earlier.files = files.iter().filter_map(progress_of_json).collect();
            let output = &value["output"];
            earlier.output = match (position_of_json(output, "file"), output.as_u64()) {
                (Some(end), _) => RecordedOutput::End(end),
                (None, Some(size)) => RecordedOutput::Size(size),
                (None, None) => RecordedOutput::NoFile,
            };
            return Ok(earlier);
        }
        earlier
            .read
            .extend(position_of_json(&value["read"], "input"));
    }
    // A state that was removed during a run begins with `read` lines.
    match text.trim_ascii().is_empty() || !earlier.read.is_empty() {
        true => Ok(earlier),
        false => Err(io::Error::other(
            "it is not a state of files that are followed; name another file with --state",
        )),
    }
}

/// Returns the JSON for a file that is read.
fn progress_json(file: &FileProgress) -> Value {
    let mut value = position_json(&file.position, "input");
    value["line"] = json!(file.number);
    value["in_line"] = json!(file.in_line);
    value["doubt"] = json!(file.doubt.name());
    value["size"] = json!(file.size);
    value["gone"] = json!(file.is_gone);
    value
}

/// Returns the JSON for a position in a file, whose path is in the member `name`.
fn position_json(position: &FilePosition, name: &str) -> Value {
    let mut value = json!({
        "inode": position.inode,
        "offset": position.offset,
        "mark": [position.mark.size, format!("{:016x}", position.mark.hash)],
    });
    match position.path.to_str() {
        Some(path) => value[name] = json!(path),
        None => {
            let path = base64::encode(position.path.as_os_str().as_encoded_bytes());
            value[in_base64(name)] = json!(path);
        }
    }
    value
}

/// Reads the JSON of a file. States of earlier versions lack its size and its doubt, and have
/// no files that are gone.
fn progress_of_json(value: &Value) -> Option<FileProgress> {
    let position = position_of_json(value, "input")?;
    Some(FileProgress {
        number: value["line"].as_u64()?,
        in_line: value["in_line"].as_bool()?,
        doubt: value["doubt"]
            .as_str()
            .and_then(DoubtLevel::of_name)
            .unwrap_or(DoubtLevel::Damaged),
        size: value["size"].as_u64().unwrap_or(position.offset),
        is_gone: value["gone"].as_bool().unwrap_or(false),
        position,
    })
}

/// Reads a position in a file, whose path is in the member `name`.
fn position_of_json(value: &Value, name: &str) -> Option<FilePosition> {
    let path = match value[name].as_str() {
        Some(path) => PathBuf::from(path),
        None => {
            let path = value[in_base64(name)].as_str()?;
            of_bytes(&base64::decode(path.as_bytes()).ok()?)?
        }
    };
    let hash = value["mark"][1].as_str()?;
    Some(FilePosition {
        path,
        inode: value["inode"].as_u64()?,
        offset: value["offset"].as_u64()?,
        mark: Mark {
            size: value["mark"][0].as_u64()?,
            hash: u64::from_str_radix(hash, 16).ok()?,
        },
    })
}

fn in_base64(name: &str) -> String {
    format!("{name}_base64")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_says_nothing_of_doubt_is_in_doubt() {
        let mut line = json!({
            "input": "a.log", "inode": 7, "offset": 3, "mark": [3, "00000000000000ff"],
            "line": 2, "in_line": false,
        });
        let read = |line: &Value| progress_of_json(line).unwrap().doubt;
        assert_eq!(read(&line), DoubtLevel::Damaged);
        for level in [DoubtLevel::None, DoubtLevel::Damaged, DoubtLevel::Line] {
            line["doubt"] = json!(level.name());
            assert_eq!(read(&line), level);
            assert_eq!(
                read(&progress_json(&progress_of_json(&line).unwrap())),
                level
            );
        }
    }
}
