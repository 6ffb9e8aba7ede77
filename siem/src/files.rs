//! Files and folders: one output for each input, whole or not at all, and none twice.

use std::{
    collections::HashMap,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::{
    Pipeline, Stats, Transform,
    input::{Compression, Compressor, decompress},
    pipeline::{self, Observer},
    temporary,
};

/// One file to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Where it is.
    pub input: PathBuf,
    /// Its path below the folder that was named, or its own name.
    pub name: PathBuf,
}

/// One part of the files of several machines: `number` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part.
    pub number: u64,
    /// Of how many.
    pub count: u64,
}

/// How an output is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// As its input.
    #[default]
    Same,
    /// In this way.
    As(Compression),
}

/// Why a file was not done. Then there is no output of it.
#[derive(Debug)]
pub enum Error {
    /// The file could not be opened.
    Open(io::Error),
    /// It changed while it was read: its writer is still at it.
    Changed,
    /// The output could not be made.
    Create(io::Error),
    /// The records could not be taken through.
    Run(pipeline::Error),
}

/// The files in `inputs`: themselves, and all in folders and the folders within, by name. Names
/// that begin with a dot are left out.
///
/// # Errors
/// If a folder cannot be read, with its path.
pub fn plan(inputs: &[PathBuf], shard: Option<Shard>) -> Result<Vec<Job>, (PathBuf, io::Error)> {
    let mut jobs = Vec::new();
    for input in inputs {
        if input.is_dir() {
            folder(input, Path::new(""), &mut jobs)?;
        } else {
            let name = input
                .file_name()
                .map_or_else(|| input.clone(), PathBuf::from);
            jobs.push(Job {
                input: input.clone(),
                name,
            });
        }
    }
    jobs.retain(|job| shard.is_none_or(|shard| shard.holds(&job.name)));
    Ok(jobs)
}

fn folder(root: &Path, below: &Path, jobs: &mut Vec<Job>) -> Result<(), (PathBuf, io::Error)> {
    let here = root.join(below);
    let unreadable = |error| (here.clone(), error);
    let names = fs::read_dir(&here)
        .map_err(unreadable)?
        .map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>().map_err(unreadable)?;
    names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
    names.sort();
    for name in names.iter().map(|name| below.join(name)) {
        let input = root.join(&name);
        if input.is_dir() {
            folder(root, &name, jobs)?;
        } else if input.is_file() {
            jobs.push(Job { input, name });
        }
    }
    Ok(())
}

impl Shard {
    /// Whether a file of this name is in it: by SHA-256, so that every machine says the same.
    pub fn holds(&self, name: &Path) -> bool {
        let hash = Sha256::digest(name.as_os_str().as_encoded_bytes());
        let number = u64::from_be_bytes(*hash.first_chunk().expect("32 bytes are more than 8"));
        number % self.count == self.number - 1
    }
}

/// What a log service drops beside its logs to prove who owns the place; copied as it is.
pub fn is_challenge(name: &Path) -> bool {
    let name = name.file_name().unwrap_or_default().as_encoded_bytes();
    name == b"test.txt.gz" || name.starts_with(b"ownership-challenge")
}

/// Does one file: its output appears at `output`, with who may read it as for any new file, or it
/// does not.
///
/// # Errors
/// See [`Error`].
pub fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    job: &Job,
    output: &Path,
    compression: Output,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    let file = File::open(&job.input).map_err(Error::Open)?;
    let before = file.metadata().map_err(Error::Open)?;
    // What was sealed and is now open is for its owner alone.
    let mut new = beside(output, 0o600).map_err(Error::Create)?;
    let stats = match is_challenge(&job.name) && !is_compressed(&file).map_err(Error::Open)? {
        true => copy(&file, &mut new)?,
        false if pipeline.framing().is_parquet(&file).map_err(Error::Open)? => {
            parquet(pipeline, &file, &mut new, job, observer)?
        }
        false => open(pipeline, &file, &mut new, job, compression, observer)?,
    };
    let after = fs::metadata(&job.input).map_err(Error::Open)?;
    if before.is_file()
        && (place(&before), Seen::from(&before)) != (place(&after), Seen::from(&after))
    {
        return Err(Error::Changed);
    }
    new.as_file().sync_all().map_err(Error::Create)?;
    new.persist(output)
        .map_err(|error| Error::Create(error.error))?;
    Ok(stats)
}

fn open<T: Transform>(
    pipeline: &Pipeline<T>,
    file: &File,
    new: &mut NamedTempFile,
    job: &Job,
    compression: Output,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    let input = decompress(file).map_err(Error::Open)?;
    let wanted = if let Output::As(wanted) = compression {
        wanted
    } else {
        input.compression()
    };
    let mut writer =
        Compressor::new(wanted, BufWriter::new(new.as_file_mut())).map_err(Error::Create)?;
    let source = job.input.to_string_lossy();
    let framing = pipeline.framing().of(&job.name);
    let stats = pipeline
        .run_framed(input, framing, &mut writer, &source, observer)
        .map_err(Error::Run)?;
    writer
        .finish()
        .and_then(|mut buffer| buffer.flush())
        .map_err(Error::Create)?;
    Ok(stats)
}

fn parquet<T: Transform>(
    pipeline: &Pipeline<T>,
    file: &File,
    new: &mut NamedTempFile,
    job: &Job,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    let mut writer = BufWriter::new(new.as_file_mut());
    let stats = pipeline
        .run_parquet(file, &mut writer, &job.input.to_string_lossy(), observer)
        .map_err(Error::Run)?;
    writer.flush().map_err(Error::Create)?;
    Ok(stats)
}

fn is_compressed(file: &File) -> io::Result<bool> {
    use std::io::{Seek, SeekFrom};
    let compression = decompress(file)?.compression();
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    Ok(compression != Compression::None)
}

fn copy(mut file: &File, new: &mut NamedTempFile) -> Result<Stats, Error> {
    io::copy(&mut file, new).map_err(Error::Create)?;
    Ok(Stats::default())
}

fn beside(output: &Path, mode: u32) -> io::Result<NamedTempFile> {
    fs::create_dir_all(output.parent().unwrap_or(Path::new(".")))?;
    temporary::beside(output, mode)
}

/// What tells a file from the same one later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    size: u64,
    modified: u128,
}

impl Job {
    /// What the file is like now; to be taken before it is read, for [`State::done`].
    ///
    /// # Errors
    /// If it is not there.
    pub fn seen(&self) -> io::Result<Seen> {
        Ok(Seen::from(&fs::metadata(&self.input)?))
    }
}

impl From<&Metadata> for Seen {
    fn from(found: &Metadata) -> Self {
        let modified = found
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: found.len(),
            modified: modified.map_or(0, |since| since.as_nanos()),
        }
    }
}

/// What tells a file from another that took its place, where the system says so.
#[cfg(unix)]
fn place(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn place(_found: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Which files are done: a line of JSON each, added after the output is in its place. A line that
/// was cut short by a crash says nothing, and its file is done again.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    /// What the outputs depend on besides their inputs.
    options: String,
    done: HashMap<PathBuf, Seen>,
}

impl State {
    /// Reads the state at `path`, if there is one. `options` are whatever changes the outputs:
    /// lines of others do not count.
    ///
    /// # Errors
    /// If it is there and cannot be read, or is no file.
    pub fn load(path: &Path, options: &[u8]) -> io::Result<Self> {
        let hash = Sha256::digest(options);
        let options = hash
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut state = Self {
            path: path.to_owned(),
            options,
            done: HashMap::new(),
        };
        match File::open(path) {
            // A device may never end.
            Ok(file) if !file.metadata()?.is_file() => {
                return Err(io::Error::other("it is not a file"));
            }
            Ok(file) => BufReader::new(file)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| state.learn(&line)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(state)
    }

    /// Whether the output of this file is there, and the file has not changed since.
    pub fn is_done(&self, job: &Job, output: &Path) -> bool {
        output.is_file()
            && job
                .seen()
                .is_ok_and(|now| self.done.get(&job.input) == Some(&now))
    }

    /// Notes that it is, as it was `seen` before it was read.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn done(&mut self, job: &Job, seen: Seen) -> io::Result<()> {
        let Seen { size, modified } = seen;
        let input = job.input.to_string_lossy();
        let line = json!({ "input": input, "size": size, "modified": modified.to_string(), "options": self.options });
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)?;
        // A line break before as well: the last line may have been cut short.
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_data()?;
        self.done.insert(job.input.clone(), seen);
        Ok(())
    }

    fn learn(&mut self, line: &str) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            return;
        };
        let modified = entry["modified"]
            .as_str()
            .and_then(|text| text.parse().ok());
        if let (Some(input), Some(size), Some(modified)) =
            (entry["input"].as_str(), entry["size"].as_u64(), modified)
            && entry["options"].as_str() == Some(&self.options)
        {
            self.done.insert(input.into(), Seen { size, modified });
        }
    }
}
