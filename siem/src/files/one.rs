//! One file, into a temporary one beside its output.

use std::{
    fs::{self, File, Metadata},
    io::{self, BufWriter, Seek, Write},
    path::Path,
};

use tempfile::SpooledTempFile;

use super::{
    Error, Job, Stamp, identity, is_challenge,
    task::{Done, Settings, Task},
    temporary::{self, Temporary},
};
use crate::{
    Pipeline, Stats, Warning,
    batch::Transform,
    input::{Compression, Compressor, Input},
    pipeline::Observer,
};

/// How many bytes of dead letters of a file are held in memory; more are held on disk.
const LETTERS: usize = 64 * 1024;

/// Where a file is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    /// On this thread. Parquet is not done so.
    This,
    /// Read and written by threads of its own, and opened by those of the pipeline.
    Threads,
}

/// A finished file that does not have its final name yet.
pub(super) struct Written {
    pub(super) temporary: Temporary,
    pub(super) done: Done,
}

/// What is heard of files while they are done, on any thread, and before it is known whether they
/// will be done.
pub trait Live: Sync {
    /// After each batch of records: what it counted.
    fn batch(&self, _stats: &Stats) {}

    /// How many more bytes of files were read, before decompression; in the end as many as the
    /// file has.
    fn progress(&self, _bytes: u64) {}
}

/// For those who do not listen.
impl Live for () {}

/// The output of a file; `None` if it has to be done on other threads.
pub(super) fn write<T: Transform>(
    pipeline: &Pipeline<T>,
    task: &Task,
    settings: &Settings,
    on: On,
    live: &impl Live,
) -> Result<Option<Written>, Error> {
    let Task { job, output, .. } = task;
    let file = open(task).map_err(Error::Open)?;
    let before = file.metadata().map_err(Error::Open)?;
    let is_parquet = pipeline.framing().is_parquet(&file).map_err(Error::Open)?;
    let is_copied = before.is_file() && is_challenge(&job.name);
    let is_copied = is_copied && !is_compressed(&file).map_err(Error::Open)?;
    if is_parquet && !is_copied && on == On::This {
        return Ok(None);
    }
    let temporary = beside(output, settings).map_err(Error::Create)?;
    let mut run = Run {
        pipeline,
        job,
        settings,
        on,
        news: News::new(settings, live),
    };
    let damage = match (is_copied, is_parquet) {
        (true, _) => run.copy(&file, temporary.as_file()),
        (_, true) => run.parquet(&file, temporary.as_file()),
        _ => run.records(&file, temporary.as_file()),
    }?;
    let can_change = before.is_file() && task.opened.is_none();
    if can_change && has_changed(&job.input, &before).map_err(Error::Open)? {
        return Err(Error::Changed);
    }
    let done = Done {
        stats: run.news.total,
        stamp: Stamp::from(&before),
        letters: run.news.letters,
        warnings: run.news.warnings,
        damage,
    };
    live.progress(before.len().saturating_sub(run.news.read));
    Ok(Some(Written { temporary, done }))
}

fn open(task: &Task) -> io::Result<File> {
    match &task.opened {
        Some(file) => file.try_clone(),
        None => File::open(&task.job.input),
    }
}

struct Run<'r, T, L> {
    pipeline: &'r Pipeline<T>,
    job: &'r Job,
    settings: &'r Settings,
    on: On,
    news: News<'r, L>,
}

impl<T: Transform, L: Live> Run<'_, T, L> {
    fn records(&mut self, file: &File, out: &File) -> Result<Option<crate::Error>, Error> {
        let input = Input::decompressed(file).map_err(Error::Open)?;
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

    fn parquet(&mut self, file: &File, out: &File) -> Result<Option<crate::Error>, Error> {
        let mut writer = BufWriter::new(out);
        let source = self.job.input.to_string_lossy();
        parquet(self.pipeline, file, &mut writer, &source, &mut self.news).map_err(Error::Run)?;
        writer.flush().map_err(Error::Create)?;
        Ok(None)
    }

    fn copy(&self, mut file: &File, mut out: &File) -> Result<Option<crate::Error>, Error> {
        io::copy(&mut file, &mut out).map_err(Error::Create)?;
        Ok(None)
    }

    /// The failure of a run, if what came before it is kept.
    fn kept(&self, ran: Result<Stats, crate::Error>) -> Result<Option<crate::Error>, Error> {
        match ran {
            Ok(_) => Ok(None),
            Err(error @ (crate::Error::Read(_) | crate::Error::Input(_)))
                if self.settings.keep_partial =>
            {
                Ok(Some(error))
            }
            Err(crate::Error::Write(error)) => Err(Error::Create(error)),
            Err(error) => Err(Error::Run(error)),
        }
    }
}

#[cfg(feature = "parquet")]
use crate::parquet::run as parquet;

/// No file is taken for Parquet in such a build.
#[cfg(not(feature = "parquet"))]
fn parquet<T: Transform>(
    _pipeline: &Pipeline<T>,
    _file: &File,
    _writer: &mut (impl Write + Send),
    _source: &str,
    _observer: &mut impl Observer,
) -> Result<Stats, crate::Error> {
    Err(crate::InputError::NotInThisBuild(crate::Feature::Parquet).into())
}

/// What is told of a file while it is done.
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

fn has_changed(path: &Path, before: &Metadata) -> io::Result<bool> {
    let now = fs::metadata(path)?;
    let is_other = identity(path, before)? != identity(path, &now)?;
    Ok(is_other || Stamp::from(before) != Stamp::from(&now))
}

fn is_compressed(mut file: &File) -> io::Result<bool> {
    let compression = Input::decompressed(file)?.compression();
    file.rewind()?;
    Ok(compression != Compression::None)
}

fn beside(output: &Path, settings: &Settings) -> io::Result<Temporary> {
    let temporary = match temporary::beside(output, settings.mode) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(output.parent().unwrap_or(Path::new(".")))?;
            temporary::beside(output, settings.mode)?
        }
        temporary => temporary?,
    };
    #[cfg(unix)]
    if settings.is_exact_mode {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(settings.mode);
        temporary.as_file().set_permissions(mode)?;
    }
    Ok(temporary)
}
