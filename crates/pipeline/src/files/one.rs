//! Processing of a file into an output that does not have its final name yet.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Read as _, Write},
    path::Path,
};

use pqseal_atomic_file::identity;
use tempfile::SpooledTempFile;

use super::{
    Content, Error, Job, Stamp, StoreError, is_challenge,
    output::Output,
    task::{Done, Settings, Task},
};
use crate::{Pipeline, Stats, Warning, batch::Transform, input::Compressor, pipeline::Observer};

/// The number of bytes of dead letters of a file that are held in memory. More are held on disk.
const LETTERS: usize = 64 * 1024;

/// The threads that process a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// Only this thread. Parquet files cannot be processed in this way.
    This,
    /// Separate threads for reading and writing, and the pipeline's threads for opening.
    Threads,
}

/// A finished file that does not have its final name yet.
pub(super) struct Written {
    pub(super) output: Output,
    pub(super) done: Done,
}

/// A receiver of the progress of files while they are processed, called from several threads at
/// once. It does not report whether a file succeeds: [`Ended`](super::Ended) does.
pub trait Live: Sync {
    /// Reports the counts of each batch of records.
    fn batch(&self, _stats: &Stats) {}

    /// Reports the number of further bytes that were read, before decompression. In the end the sum
    /// is the size of the file.
    fn progress(&self, _bytes: u64) {}
}

/// Ignores the progress.
impl Live for () {}

/// Writes the output of a file with this content. Returns `None` if other threads have to process
/// it.
pub(super) fn write<T: Transform>(
    pipeline: &Pipeline<T>,
    task: &Task,
    content: &Content,
    settings: &Settings,
    on: On,
    live: &impl Live,
) -> Result<Option<Written>, Error> {
    let job = &task.job;
    let before = content.before().map_err(Error::opening)?;
    let is_parquet = content.is_parquet(pipeline.framing());
    let is_parquet = is_parquet.map_err(Error::opening)?;
    // A pipeline that seals treats files of any name as records.
    let is_copied = !pipeline.transform.seals() && before.is_some() && is_challenge(&job.name);
    let is_copied = is_copied && !content.is_compressed().map_err(Error::opening)?;
    if is_parquet && !is_copied && on == On::This {
        return Ok(None);
    }
    let mut output = Output::new(task, settings).map_err(Error::Create)?;
    let mut run = Run {
        pipeline,
        job,
        settings,
        on,
        news: News::new(settings, live),
    };
    let damage = match (is_copied, is_parquet) {
        (true, _) => run.copy(content, &mut output),
        (_, true) => run.parquet(content, &mut output),
        _ => run.records(content, &mut output),
    }?;
    output.finish().map_err(Error::Create)?;
    if let Some(before) = before.as_ref().filter(|_| task.is_named())
        && let Content::File(file) = content
        && has_changed(&job.input, file, before).map_err(Error::Open)?
    {
        return Err(Error::Changed);
    }
    let stamp = before.unwrap_or_default();
    live.progress(stamp.size.saturating_sub(run.news.read));
    let done = Done {
        stats: run.news.total,
        stamp,
        letters: run.news.letters,
        warnings: run.news.warnings,
        damage,
    };
    Ok(Some(Written { output, done }))
}

/// Reports whether the file at `path` is no longer the one that was read. A changed object is
/// detected while it is read.
fn has_changed(path: &Path, file: &File, before: &Stamp) -> io::Result<bool> {
    let now = fs::metadata(path)?;
    let is_other = identity(path, &file.metadata()?)? != identity(path, &now)?;
    Ok(is_other || *before != Stamp::from(&now))
}

struct Run<'r, T, L> {
    pipeline: &'r Pipeline<T>,
    job: &'r Job,
    settings: &'r Settings,
    on: On,
    news: News<'r, L>,
}

impl<T: Transform, L: Live> Run<'_, T, L> {
    fn records(
        &mut self,
        content: &Content,
        out: &mut Output,
    ) -> Result<Option<crate::Error>, Error> {
        let input = content.input().map_err(Error::opening)?;
        let compression = self.settings.compression.of(input.compression());
        let mut writer =
            Compressor::new(compression, BufWriter::new(out)).map_err(Error::Create)?;
        let source = self.job.input.to_string_lossy();
        let framing = self.pipeline.framing().of(&self.job.name);
        let (pipeline, news) = (self.pipeline, &mut self.news);
        let ran = match self.on {
            On::This => pipeline.run_here(input, framing, &mut writer, &source, news),
            On::Threads => pipeline.run_framed(input, framing, &mut writer, &source, news),
        };
        let damage = self.kept(ran)?;
        let finished = writer.finish().and_then(|mut buffer| buffer.flush());
        finished.map_err(Error::Create)?;
        Ok(damage)
    }

    fn parquet(
        &mut self,
        content: &Content,
        out: &mut Output,
    ) -> Result<Option<crate::Error>, Error> {
        let mut writer = BufWriter::new(out);
        let source = self.job.input.to_string_lossy();
        parquet(self.pipeline, content, &mut writer, &source, &mut self.news)
            .map_err(Error::running)?;
        writer.flush().map_err(Error::Create)?;
        Ok(None)
    }

    fn copy(&self, content: &Content, out: &mut Output) -> Result<Option<crate::Error>, Error> {
        let (mut from, mut buffer) = (content.bytes(), [0; 8192]);
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(None),
                Ok(length) => out.write_all(&buffer[..length]).map_err(Error::Create)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::opening(error)),
            }
        }
    }

    /// Returns the error of a run, if the output before it is kept. An error of a store is no
    /// damage to the input, so nothing is kept then.
    fn kept(&self, ran: Result<Stats, crate::Error>) -> Result<Option<crate::Error>, Error> {
        let error = match ran.map_err(Error::running) {
            Ok(_) => return Ok(None),
            Err(error) => error,
        };
        match error {
            Error::Run(crate::Error::Read(error)) if StoreError::of(&error).is_some() => {
                Err(Error::Run(crate::Error::Read(error)))
            }
            Error::Run(error @ (crate::Error::Read(_) | crate::Error::Input(_)))
                if self.settings.keep_partial =>
            {
                Ok(Some(error))
            }
            Error::Run(crate::Error::Write(error)) => Err(Error::Create(error)),
            error => Err(error),
        }
    }
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

/// The counts, warnings and dead letters of a file while it is processed.
struct News<'n, L> {
    total: Stats,
    read: u64,
    letters: Option<SpooledTempFile>,
    warnings: Vec<Warning>,
    live: &'n L,
}

impl<'n, L: Live> News<'n, L> {
    fn new(settings: &Settings, live: &'n L) -> Self {
        let letters = settings
            .wants_letters
            .then(|| SpooledTempFile::new(LETTERS));
        Self {
            total: Stats::default(),
            read: 0,
            letters,
            warnings: Vec::new(),
            live,
        }
    }
}

impl<L: Live> Observer for News<'_, L> {
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
