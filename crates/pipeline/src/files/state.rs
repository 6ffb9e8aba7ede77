//! The list of files that are done: lines of JSON, appended after outputs have their final names.
//!
//! A line that a crash truncated is ignored, so its file is processed again. Lines for the same
//! file replace earlier ones.
//!
//! | line | meaning |
//! |---|---|
//! | `{"ring":R,"keys":[K,...]}` | the ids of the keys that `R` stands for from here on |
//! | `{"input":P,"size":N,"modified":"T","options":O}` | the file at `P`, of this size and time, is done under `O` |
//! | the same with `"etag":E` | it is an object, of this entity tag |
//! | the same with `"failed":N,"ring":R` | `N` of its records failed, with the keys of `R` |
//! | the same with `"found":[F,...]` | its records have these fields, by the places of the rules |
//! | the same with `"no_column":[F,...]` | it is a table without a column for these |
//! | the same with `"no_rows":true` | it is a table that was to be sealed, and has no rows |
//!
//! A path that is not UTF-8 is in `input_base64`.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
    fs::{File, OpenOptions},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use pqseal_keys::base64;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Job, Stamp, Task};

/// The files that earlier runs and the current run have finished.
#[derive(Debug)]
pub struct State {
    journal: Box<dyn Journal>,
    /// The options that the outputs depend on, besides their inputs and keys.
    options: String,
    /// The keys of this run. `ring` stands for them.
    keys: BTreeSet<String>,
    ring: String,
    rings: HashMap<String, BTreeSet<String>>,
    done: HashMap<InputPath, DoneFile>,
}

/// The storage of the lines of a state.
pub trait Journal: fmt::Debug {
    /// Returns its name for people.
    fn name(&self) -> &Path;

    /// Returns all lines that were added so far, in order.
    ///
    /// # Errors
    /// An error if they cannot be read. An empty journal is not an error.
    fn read(&self) -> io::Result<Box<dyn BufRead>>;

    /// Adds lines, which are durable when this returns.
    ///
    /// # Errors
    /// An error if they cannot be written.
    fn add(&mut self, lines: &str) -> io::Result<()>;
}

/// The result of a file that an earlier run finished.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOutcome {
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

/// A journal in a file.
#[derive(Debug)]
struct JournalFile(PathBuf);

/// The path of an input, as a member of a line.
#[derive(Debug, PartialEq, Eq, Hash)]
enum InputPath {
    Text(String),
    Base64(String),
}

#[derive(Clone, Debug)]
struct DoneFile {
    stamp: Stamp,
    outcome: FileOutcome,
    /// The keys that were available.
    ring: String,
}

impl State {
    /// Reads the state at `path`, if it exists. `options` identifies the options that affect
    /// outputs; lines with other options are ignored. `keys` are the ids of the keys for opening.
    /// Files in which records failed are processed again if there is a new key.
    ///
    /// # Errors
    /// An error if the file exists and cannot be read, or is not a regular file.
    pub fn load(
        path: &Path,
        options: &[u8],
        keys: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        Self::of(Box::new(JournalFile(path.to_owned())), options, keys)
    }

    /// Reads the state from a journal, which need not be a file.
    ///
    /// # Errors
    /// An error if it cannot be read.
    pub fn of(
        journal: Box<dyn Journal>,
        options: &[u8],
        keys: impl IntoIterator<Item = String>,
    ) -> io::Result<Self> {
        let keys: BTreeSet<_> = keys.into_iter().collect();
        let listed = keys
            .iter()
            .map(|key| format!("{key}\n"))
            .collect::<String>();
        let lines = journal.read()?;
        let mut state = Self {
            journal,
            options: hash(options),
            ring: hash(listed.as_bytes()),
            keys,
            rings: HashMap::new(),
            done: HashMap::new(),
        };
        state.read(lines)?;
        Ok(state)
    }

    /// Returns the path of the state.
    pub fn path(&self) -> &Path {
        self.journal.name()
    }

    /// Returns the recorded result of this file, or `None` if the file must be processed: it has
    /// changed, its output does not exist, or there are keys that were not tried.
    pub fn done(&self, task: &Task) -> Option<&FileOutcome> {
        let job = &task.job;
        let entry = self.done.get(&InputPath::of(&job.input))?;
        let is_current = job.stamp.as_ref() == Some(&entry.stamp)
            && match &task.to {
                None => task.output.is_file(),
                Some(store) => store.holds(&task.output),
            };
        let tried = self.rings.get(&entry.ring);
        let is_tried =
            entry.outcome.failed == 0 || tried.is_some_and(|tried| self.keys.is_subset(tried));
        (is_current && is_tried).then_some(&entry.outcome)
    }

    /// Records files that are done, each with its state before it was read and its result.
    ///
    /// # Errors
    /// An error if that cannot be written.
    pub fn note<'j>(
        &mut self,
        files: impl IntoIterator<Item = (&'j Job, Stamp, FileOutcome)>,
    ) -> io::Result<()> {
        let mut lines = String::new();
        for (job, stamp, outcome) in files {
            if outcome.failed > 0 && !self.rings.contains_key(&self.ring) {
                lines += &format!("{}\n", json!({ "ring": self.ring, "keys": self.keys }));
                self.rings.insert(self.ring.clone(), self.keys.clone());
            }
            let (name, ring) = (InputPath::of(&job.input), self.ring.clone());
            let entry = DoneFile {
                stamp,
                outcome,
                ring,
            };
            lines += &format!("{}\n", self.line(&name, &entry));
            self.done.insert(name, entry);
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.journal.add(&lines)
    }

    fn line(&self, name: &InputPath, entry: &DoneFile) -> Value {
        let (member, name) = match name {
            InputPath::Text(text) => ("input", text),
            InputPath::Base64(text) => ("input_base64", text),
        };
        let mut line = Map::new();
        line.insert(member.to_owned(), json!(name));
        line.insert("size".to_owned(), json!(entry.stamp.size));
        let modified = entry.stamp.modified.to_string();
        line.insert("modified".to_owned(), json!(modified));
        if let Some(tag) = entry.stamp.tag() {
            line.insert("etag".to_owned(), json!(tag));
        }
        line.insert("options".to_owned(), json!(self.options));
        let outcome = &entry.outcome;
        if outcome.failed > 0 {
            line.insert("failed".to_owned(), json!(outcome.failed));
            line.insert("ring".to_owned(), json!(entry.ring));
        }
        if let Some(found) = &outcome.found {
            line.insert("found".to_owned(), json!(found));
        }
        if !outcome.no_column.is_empty() {
            line.insert("no_column".to_owned(), json!(outcome.no_column));
        }
        if outcome.no_rows {
            line.insert("no_rows".to_owned(), json!(true));
        }
        Value::Object(line)
    }

    fn read(&mut self, mut lines: impl BufRead) -> io::Result<()> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if lines.read_until(b'\n', &mut bytes)? == 0 {
                return Ok(());
            }
            let Ok(line) = serde_json::from_slice::<Value>(&bytes) else {
                continue;
            };
            if let (Some(ring), Some(keys)) = (text(&line, "ring"), line["keys"].as_array()) {
                let keys = keys.iter().filter_map(Value::as_str).map(str::to_owned);
                self.rings.insert(ring, keys.collect());
                continue;
            }
            let name = match (text(&line, "input"), text(&line, "input_base64")) {
                (Some(name), _) => InputPath::Text(name),
                (None, Some(name)) => InputPath::Base64(name),
                (None, None) => continue,
            };
            let modified = text(&line, "modified").and_then(|text| text.parse().ok());
            // With other options the output was replaced.
            self.done.remove(&name);
            if let (Some(size), Some(modified)) = (line["size"].as_u64(), modified)
                && line["options"].as_str() == Some(&self.options)
            {
                let entry = DoneFile {
                    stamp: Stamp {
                        size,
                        modified,
                        tag: line["etag"].as_str().map(Into::into),
                    },
                    outcome: FileOutcome {
                        failed: line["failed"].as_u64().unwrap_or_default(),
                        found: rule_indexes(&line["found"]),
                        no_column: rule_indexes(&line["no_column"]).unwrap_or_default(),
                        no_rows: line["no_rows"].as_bool().unwrap_or(false),
                    },
                    ring: text(&line, "ring").unwrap_or_default(),
                };
                self.done.insert(name, entry);
            }
        }
    }
}

impl InputPath {
    fn of(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Base64(base64::encode(path.as_os_str().as_encoded_bytes())),
        }
    }
}

impl Journal for JournalFile {
    fn name(&self) -> &Path {
        &self.0
    }

    fn read(&self) -> io::Result<Box<dyn BufRead>> {
        match File::open(&self.0) {
            // Reading a device may never end.
            Ok(file) if !file.metadata()?.is_file() => Err(io::Error::other("it is not a file")),
            Ok(file) => Ok(Box::new(BufReader::new(file))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Box::new(io::empty())),
            Err(error) => Err(error),
        }
    }

    fn add(&mut self, lines: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0)?;
        // A line break comes first, since the last line may be incomplete.
        file.write_all(format!("\n{lines}").as_bytes())?;
        file.sync_data()
    }
}

fn text(line: &Value, member: &str) -> Option<String> {
    line[member].as_str().map(str::to_owned)
}

/// Reads a list of indexes of rules.
fn rule_indexes(list: &Value) -> Option<BTreeSet<usize>> {
    let indexes = list.as_array()?.iter().filter_map(Value::as_u64);
    Some(indexes.filter_map(|at| usize::try_from(at).ok()).collect())
}

/// Returns the first 8 bytes of the SHA-256, in hexadecimal.
fn hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
