//! Processing of many files: small ones in parallel, large ones one after another. Complete outputs
//! get their final names together, with one wait for the disk.
//!
//! An output is on the disk before it gets its name, and the name is before
//! [`State`](super::State) records that the file is done. So neither a killed process nor a power
//! failure leaves half a file, or a record of a missing one. A store guarantees that an object
//! appears only when it is complete.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
    io::{self, BufWriter, Read as _, Write},
    ops::ControlFlow,
    path::Path,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use pqseal_atomic_file::{Temporary, folder_of, identity};
use rayon::prelude::*;
use tempfile::SpooledTempFile;

use super::{
    Content, Draft, Error, FinishedFile, Origin, OutputCompression, Settings, Stamp, StoreError,
    StoreFailure, Task,
};
use crate::{Observer, Pipeline, Stats, Warning, input::Compressor, opener::Transform};

/// The maximum size in bytes of a file that a single thread processes, since further threads would
/// cost more to start than they save. At a compression ratio of ten, this is about one batch of
/// records.
const SMALL: u64 = 256 * 1024;
/// The number of bytes of dead letters of a file that are held in memory. More are held on disk.
const LETTERS: usize = 64 * 1024;
/// The maximum number of files or folders that are synced one by one. For more, one call for the
/// whole file system takes less time.
const FEW: usize = 4;

/// A task that has ended, with its result.
pub type Ended<'t> = (&'t Task, Result<FinishedFile, Error>);

/// A receiver of the progress of files while they are processed, called from several threads at
/// once. It does not report whether a file succeeds: [`Ended`] does.
pub trait Live: Sync {
    /// Reports the counts of each batch of records.
    fn batch(&self, _stats: &Stats) {}

    /// Reports the number of further bytes that were read, before decompression. In the end the sum
    /// is the size of the file.
    fn progress(&self, _bytes: u64) {}
}

/// Ignores the progress.
impl Live for () {}

/// Processes all `tasks`. Each output appears completely, or not at all. `ended` receives the
/// results of the tasks in order, and may end the run.
///
/// # Errors
/// [`crate::Error::Start`] if a thread cannot be started. Nothing is processed then.
pub fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    tasks: &[Task],
    settings: &Settings,
    live: &impl Live,
    mut ended: impl FnMut(Vec<Ended<'_>>) -> ControlFlow<()>,
) -> Result<(), crate::Error> {
    let is_over = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(1);
    thread::scope(|scope| {
        let writer = OutputWriter {
            pipeline,
            settings,
            live,
            is_over: &is_over,
        };
        thread::Builder::new()
            .spawn_scoped(scope, move || writer.write_all(tasks, &sender))
            .map_err(crate::Error::Start)?;
        while let Ok(mut ready) = receiver.recv() {
            while ready.len() < settings.together
                && let Ok(more) = receiver.try_recv()
            {
                ready.extend(more);
            }
            let failed = ready.iter().position(|(_, written)| written.is_err());
            let failed = failed.filter(|_| settings.fail_fast);
            ready.truncate(failed.map_or(ready.len(), |failed| failed + 1));
            if ended(name_outputs(ready)).is_break() || failed.is_some() {
                is_over.store(true, Ordering::Relaxed);
                break;
            }
        }
        drop(receiver);
        Ok(())
    })
}

/// A complete output that does not have its final name yet, with the result of its file.
type CompleteOutput = (UnnamedOutput, FinishedFile);
/// A task with its result so far.
type WrittenTask<'t> = (&'t Task, Result<CompleteOutput, Error>);

/// Gives all outputs their names.
fn name_outputs(written: Vec<WrittenTask<'_>>) -> Vec<Ended<'_>> {
    // The files in one folder are on one file system.
    let mut folders = BTreeMap::new();
    for (task, written) in &written {
        if let Ok((UnnamedOutput::File(temporary), _)) = written {
            folders.insert(folder_of(&task.output), temporary.as_file());
        }
    }
    let are_synced = written.len() > FEW && sync_at_once(folders.into_values()).is_ok();
    // Objects are published concurrently.
    let begun = written.into_iter().map(|(task, written)| {
        let begun = written.map(|(output, done)| {
            let name: Box<dyn FnOnce() -> io::Result<()>> = match output {
                UnnamedOutput::File(temporary) => Box::new(move || {
                    if !are_synced {
                        temporary.as_file().sync_all()?;
                    }
                    temporary.persist(&task.output)
                }),
                UnnamedOutput::Object(draft) => draft.publish(),
            };
            (name, done)
        });
        (task, begun)
    });
    let begun: Vec<_> = begun.collect();
    let named = begun.into_iter().map(|(task, begun)| {
        let done = begun.and_then(|(name, done)| name().map(|()| done).map_err(Error::Create));
        (task, done)
    });
    let named: Vec<_> = named.collect();
    let files = named
        .iter()
        .filter(|(task, done)| task.to.is_none() && done.is_ok());
    let folders: BTreeSet<_> = files.map(|(task, _)| folder_of(&task.output)).collect();
    let folders: Vec<_> = folders.into_iter().flat_map(File::open).collect();
    if folders.len() <= FEW || sync_at_once(folders.iter()).is_err() {
        for folder in folders {
            // Errors are ignored, since some systems have no such call and do not need it.
            let _ = folder.sync_all();
        }
    }
    named
}

/// Syncs the file systems that contain these files, if there is a call for it.
#[cfg(target_os = "linux")]
fn sync_at_once<'f>(files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mut devices = BTreeMap::new();
    for file in files {
        devices.insert(file.metadata()?.dev(), file);
    }
    // Since Linux 5.8 `syncfs` reports write errors, as `fsync` does.
    devices.values().try_for_each(|file| {
        rustix::fs::syncfs(file)?;
        Ok(())
    })
}

#[cfg(not(target_os = "linux"))]
fn sync_at_once<'f>(_files: impl Iterator<Item = &'f File>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The thread that writes outputs.
struct OutputWriter<'w, T, L> {
    pipeline: &'w Pipeline<T>,
    settings: &'w Settings,
    live: &'w L,
    is_over: &'w AtomicBool,
}

/// The threads that process a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileThreads {
    /// Only this thread. Parquet files cannot be processed in this way.
    This,
    /// Separate threads for reading and writing, and the pipeline's threads for opening.
    Several,
}

impl<T: Transform, L: Live> OutputWriter<'_, T, L> {
    /// Writes the outputs of all tasks. Ends early if no more outputs are wanted.
    fn write_all<'t>(&self, mut tasks: &'t [Task], written: &SyncSender<Vec<WrittenTask<'t>>>) {
        while let Some(first) = tasks.first()
            && !self.is_over.load(Ordering::Relaxed)
        {
            let together = tasks.iter().take(self.settings.together);
            let small = together.take_while(|task| task.job.size() <= SMALL).count();
            let outputs = match small {
                0 => vec![(first, self.write_large(first))],
                _ => self.write_small(&tasks[..small]),
            };
            tasks = &tasks[small.max(1)..];
            if written.send(outputs).is_err() {
                return;
            }
        }
    }

    fn write_small<'t>(&self, tasks: &'t [Task]) -> Vec<WrittenTask<'t>> {
        // Objects are opened concurrently, since a store answers many requests faster than one
        // after another.
        let begun = tasks.iter().map(|task| match &task.from {
            Origin::Store(store) => Some(Content::Object(store.open(&task.job))),
            Origin::Path | Origin::Opened(_) => None,
        });
        let begun: Vec<_> = begun.collect();
        let written: Vec<_> = self.pipeline.pool.install(|| {
            let begun = tasks.par_iter().zip(begun);
            let written = begun.map(|(task, begun)| {
                let content = begun.map_or_else(|| task.open(), Ok)?;
                self.write(task, &content, FileThreads::This)
            });
            written.collect()
        });
        // The remaining files cannot be processed by a single thread.
        let written = tasks.iter().zip(written).map(|(task, written)| {
            let written = written.transpose();
            (task, written.unwrap_or_else(|| self.write_large(task)))
        });
        written.collect()
    }

    fn write_large(&self, task: &Task) -> Result<CompleteOutput, Error> {
        let written = self.write(task, &task.open()?, FileThreads::Several);
        written.map(|written| written.expect("threads do all files"))
    }

    /// Writes the output of a file with this content. Returns `None` if other threads have to
    /// process it.
    fn write(
        &self,
        task: &Task,
        content: &Content,
        threads: FileThreads,
    ) -> Result<Option<CompleteOutput>, Error> {
        let before = content.before().map_err(opening)?;
        let is_parquet = content
            .is_parquet(self.pipeline.framing())
            .map_err(opening)?;
        // A pipeline that seals treats files of any name as records.
        let is_copied = !self.pipeline.transform.seals()
            && before.is_some()
            && task.job.is_challenge()
            && !content.is_compressed().map_err(opening)?;
        if is_parquet && !is_copied && threads == FileThreads::This {
            return Ok(None);
        }
        let mut output = UnnamedOutput::new(task, self.settings).map_err(Error::Create)?;
        let mut observer = FileObserver::new(self.settings, self.live);
        let mut damage = None;
        if is_copied {
            copy(content, &mut output)?;
        } else if is_parquet {
            let (pipeline, source) = (self.pipeline, task.job.input.to_string_lossy());
            let mut writer = BufWriter::new(&mut output);
            parquet(pipeline, content, &mut writer, &source, &mut observer).map_err(running)?;
            writer.flush().map_err(Error::Create)?;
        } else {
            damage = self.write_records(task, content, threads, &mut output, &mut observer)?;
        }
        if let UnnamedOutput::Object(draft) = &mut output {
            draft.finish().map_err(Error::Create)?;
        }
        if let (Some(before), Content::File(file), Origin::Path) = (&before, content, &task.from)
            && has_changed(&task.job.input, file, before).map_err(Error::Open)?
        {
            return Err(Error::Changed);
        }
        let stamp = before.unwrap_or_default();
        self.live.progress(stamp.size.saturating_sub(observer.read));
        let done = FinishedFile {
            stats: observer.total,
            stamp,
            letters: observer.letters,
            warnings: observer.warnings,
            damage,
        };
        Ok(Some((output, done)))
    }

    /// Returns the error of the run, if the output before it is kept.
    fn write_records(
        &self,
        task: &Task,
        content: &Content,
        threads: FileThreads,
        output: &mut UnnamedOutput,
        observer: &mut FileObserver<'_, L>,
    ) -> Result<Option<crate::Error>, Error> {
        let input = content.input().map_err(opening)?;
        let compression = match self.settings.compression {
            OutputCompression::Same => input.compression(),
            OutputCompression::As(compression) => compression,
        };
        let mut writer =
            Compressor::new(compression, BufWriter::new(output)).map_err(Error::Create)?;
        let (pipeline, source) = (self.pipeline, task.job.input.to_string_lossy());
        let framing = pipeline.framing().of(&task.job.name);
        let ran = match threads {
            FileThreads::This => {
                pipeline.run_on_this_thread(input, framing, &mut writer, &source, observer)
            }
            FileThreads::Several => {
                pipeline.run_framed(input, framing, &mut writer, &source, observer)
            }
        };
        let damage = match ran {
            Ok(_) => None,
            Err(crate::Error::Write(error)) => return Err(Error::Create(error)),
            // An error of a store is no damage to the input.
            Err(crate::Error::Read(error)) if StoreError::of(&error).is_some() => {
                return Err(running(crate::Error::Read(error)));
            }
            Err(error @ (crate::Error::Read(_) | crate::Error::Input(_)))
                if self.settings.keep_partial =>
            {
                Some(error)
            }
            Err(error) => return Err(running(error)),
        };
        let finished = writer.finish().and_then(|mut buffer| buffer.flush());
        finished.map_err(Error::Create)?;
        Ok(damage)
    }
}

fn copy(content: &Content, output: &mut UnnamedOutput) -> Result<(), Error> {
    let (mut from, mut buffer) = (content.bytes(), [0; 8192]);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => output.write_all(&buffer[..length]).map_err(Error::Create)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(opening(error)),
        }
    }
}

/// Reports whether the file at `path` is no longer the one that was read. A changed object is
/// detected while it is read.
fn has_changed(path: &Path, file: &File, before: &Stamp) -> io::Result<bool> {
    let now = fs::metadata(path)?;
    let is_other = identity(path, &file.metadata()?)? != identity(path, &now)?;
    Ok(is_other || *before != Stamp::from(&now))
}

/// Wraps an error of reading the beginning of a file.
fn opening(error: io::Error) -> Error {
    match reports_change(&error) {
        true => Error::Changed,
        false => Error::Open(error),
    }
}

/// Wraps an error of a run.
fn running(error: crate::Error) -> Error {
    match error {
        crate::Error::Read(error) if reports_change(&error) => Error::Changed,
        error => Error::Run(error),
    }
}

fn reports_change(error: &io::Error) -> bool {
    StoreError::of(error).is_some_and(|error| error.kind == StoreFailure::Changed)
}

#[cfg(feature = "parquet")]
use crate::parquet::run_content as parquet;

/// Returns an error, since this build does not support Parquet.
#[cfg(not(feature = "parquet"))]
fn parquet<T: Transform>(
    _pipeline: &Pipeline<T>,
    _content: &Content,
    _writer: &mut (impl Write + Send),
    _source: &str,
    _observer: &mut impl Observer,
) -> Result<Stats, crate::Error> {
    Err(crate::InputError::NotInThisBuild(crate::Feature::Parquet).into())
}

/// An output while it is written: a temporary file beside the final one, or a draft of an object.
enum UnnamedOutput {
    File(Temporary),
    Object(Box<dyn Draft>),
}

impl UnnamedOutput {
    fn new(task: &Task, settings: &Settings) -> io::Result<Self> {
        if let Some(store) = &task.to {
            return store.create(&task.output).map(Self::Object);
        }
        let output = &task.output;
        let temporary = match pqseal_atomic_file::beside(output, settings.mode) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(output.parent().unwrap_or(Path::new(".")))?;
                pqseal_atomic_file::beside(output, settings.mode)?
            }
            temporary => temporary?,
        };
        #[cfg(unix)]
        if settings.is_exact_mode {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(settings.mode);
            temporary.as_file().set_permissions(mode)?;
        }
        Ok(Self::File(temporary))
    }
}

impl Write for UnnamedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(temporary) => temporary.as_file().write(bytes),
            Self::Object(draft) => draft.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(temporary) => temporary.as_file().flush(),
            Self::Object(draft) => draft.flush(),
        }
    }
}

/// The counts, warnings and dead letters of a file while it is processed.
struct FileObserver<'n, L> {
    total: Stats,
    read: u64,
    letters: Option<SpooledTempFile>,
    warnings: Vec<Warning>,
    live: &'n L,
}

impl<'n, L: Live> FileObserver<'n, L> {
    fn new(settings: &Settings, live: &'n L) -> Self {
        Self {
            total: Stats::default(),
            read: 0,
            letters: settings
                .wants_letters
                .then(|| SpooledTempFile::new(LETTERS)),
            warnings: Vec::new(),
            live,
        }
    }
}

impl<L: Live> Observer for FileObserver<'_, L> {
    fn batch(&mut self, stats: &Stats) {
        self.total.add(stats);
        self.live.batch(stats);
    }

    fn progress(&mut self, bytes: u64) {
        self.read += bytes;
        self.live.progress(bytes);
    }

    fn warning(&mut self, _source: &str, warning: &Warning) {
        self.warnings.push(warning.clone());
    }

    fn dead_letter(&mut self, letter: &[u8]) -> io::Result<()> {
        match &mut self.letters {
            Some(letters) => letters.write_all(letter),
            None => Ok(()),
        }
    }

    fn wants_letters(&self) -> bool {
        self.letters.is_some()
    }
}
