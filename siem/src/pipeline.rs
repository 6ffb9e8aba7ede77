//! From a reader to a writer: one thread reads and finds records, all cores open them, one thread
//! writes. Three batches are in memory.

mod course;

use std::{
    fmt,
    io::{self, Read, Write},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use course::{Course, Opened, Threads};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    batch::Transform,
    frame::{Batch, Batches, Framing, Limits},
    input::Input,
    rules::Rules,
    stats::Stats,
    warning::Warning,
};

/// All that is done to a stream of records.
pub struct Pipeline<T> {
    pub(crate) transform: T,
    pub(crate) rules: Rules,
    framing: Framing,
    pub(crate) limits: Limits,
    pub(crate) strict: bool,
    pub(crate) pool: ThreadPool,
}

/// Where a run's news go.
pub trait Observer {
    /// After each batch: what it counted.
    fn batch(&mut self, stats: &Stats);

    /// After each batch: how many more bytes of the input were read, before decompression.
    fn progress(&mut self, _bytes: u64) {}

    /// Something about the input of this name that does not end the run, and that its user should
    /// know.
    fn warning(&mut self, _source: &str, _warning: &Warning) {}

    /// A dead letter, if any are wanted.
    ///
    /// # Errors
    /// If it could not be written, which ends the run.
    fn letter(&mut self, _letter: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Whether dead letters are wanted.
    fn wants_letters(&self) -> bool {
        false
    }
}

/// Why a run ended early.
#[derive(Debug)]
pub enum Error {
    /// A thread could not be started.
    Start(io::Error),
    /// The input could not be read, or is not the gzip or Zstandard that it begins as.
    Read(io::Error),
    /// The output could not be written.
    Write(io::Error),
    /// A dead letter could not be written.
    Letter(io::Error),
    /// The rows of a table cannot be told by its header.
    Header(String),
    /// A record failed, and the run was to end then ([`Pipeline::strict`]), or a private key did not
    /// answer ([`envelope::KEY_UNAVAILABLE`]), so that what follows would fail too.
    Record {
        /// Its line.
        number: u64,
        /// Why.
        code: &'static str,
    },
}

impl<T: Transform> Pipeline<T> {
    /// A pipeline on `threads` threads; as many as there are cores if 0.
    ///
    /// # Errors
    /// If they cannot be started.
    pub fn new(transform: T, mut rules: Rules, threads: usize) -> io::Result<Self> {
        if !transform.uses_origins() {
            rules.origin.clear();
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(io::Error::other)?;
        let (framing, limits, strict) = (Framing::default(), Limits::default(), transform.seals());
        Ok(Self {
            transform,
            rules,
            framing,
            limits,
            strict,
            pool,
        })
    }

    /// With records told apart in this way, and no more than this in memory.
    #[must_use]
    pub fn framed(mut self, framing: Framing, limits: Limits) -> Self {
        (self.framing, self.limits) = (framing, limits);
        self
    }

    /// Ends at the first record that fails, before it is written. What seals does so anyway.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// What is done to fields.
    pub const fn transform(&self) -> &T {
        &self.transform
    }

    /// How records are told apart.
    pub const fn framing(&self) -> Framing {
        self.framing
    }

    /// Takes all of `reader`, decompressed, to `writer`. `source` is its name in dead letters.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(
        &self,
        reader: impl Read + Send,
        writer: &mut (impl Write + Send),
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let input = Input::plain(reader);
        self.run_framed(input, self.framing, writer, source, observer)
    }

    /// The same for an input that may be compressed, with its records told apart in this way.
    ///
    /// # Errors
    /// See [`Error`]. What was read before an error of the input is written and counted.
    pub fn run_framed(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut (impl Write + Send),
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let course = Course::new(self, &input, framing, source, Threads::Pool);
        thread::scope(|scope| {
            let (to_open, batches) = sync_channel(0);
            let (to_write, opened) = sync_channel(0);
            let start = || thread::Builder::new();
            let reading = start()
                .spawn_scoped(scope, || {
                    read(Batches::new(input, framing, self.limits), to_open)
                })
                .map_err(Error::Start)?;
            let writing = start()
                .spawn_scoped(scope, || write(writer, opened, self.limits.prompt))
                .map_err(Error::Start)?;
            let stats = open_all(course, batches, to_write, observer);
            // The writer's failure is why others ended, if there is one.
            writing
                .join()
                .expect("the writing thread does not panic")
                .map_err(Error::Write)?;
            let stats = stats?;
            reading
                .join()
                .expect("the reading thread does not panic")
                .map_err(Error::Read)?;
            Ok(stats)
        })
    }

    /// The same on this thread only: for small inputs, of which many are taken through at once.
    ///
    /// # Errors
    /// As [`Pipeline::run_framed`].
    pub(crate) fn run_here(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let mut course = Course::new(self, &input, framing, source, Threads::This);
        let mut batches = Batches::new(input, framing, self.limits);
        let end = loop {
            let batch = match batches.next_batch() {
                Ok(Some(batch)) => batch,
                Ok(None) => break Ok(()),
                Err(error) => break Err(Error::Read(error)),
            };
            let opened = course.open(batch, observer)?;
            opened.write(writer).map_err(Error::Write)?;
            course.count(&opened.stats, observer);
        };
        let stats = course.end(observer);
        end.map(|()| stats)
    }

    /// Parquet needs the feature of that name.
    ///
    /// # Errors
    /// Always.
    #[cfg(not(feature = "parquet"))]
    pub fn run_parquet(
        &self,
        _file: &std::fs::File,
        _writer: &mut (impl Write + Send),
        _source: &str,
        _observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        Err(Error::Read(io::Error::new(
            io::ErrorKind::Unsupported,
            "it is Parquet, which this build does not read",
        )))
    }
}

/// Ends when there are no more batches, or nobody takes what comes of them.
fn open_all<T: Transform>(
    mut course: Course<'_, T>,
    batches: Receiver<Batch>,
    to_write: SyncSender<Opened>,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    for batch in batches {
        let mut opened = course.open(batch, observer)?;
        let stats = std::mem::take(&mut opened.stats);
        if to_write.send(opened).is_err() {
            break;
        }
        course.count(&stats, observer);
    }
    Ok(course.end(observer))
}

/// Ends at the end of the input, or when nobody takes batches any more.
fn read<R: Read>(mut batches: Batches<R>, to_open: SyncSender<Batch>) -> io::Result<()> {
    while let Some(batch) = batches.next_batch()? {
        if to_open.send(batch).is_err() {
            break;
        }
    }
    Ok(())
}

fn write(writer: &mut impl Write, batches: Receiver<Opened>, prompt: bool) -> io::Result<()> {
    for opened in batches {
        opened.write(writer)?;
        if prompt || opened.pauses {
            writer.flush()?;
        }
    }
    writer.flush()
}

impl<T> fmt::Debug for Pipeline<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => write!(f, "starting a thread: {error}"),
            Self::Read(error) => write!(f, "reading: {error}"),
            Self::Write(error) => write!(f, "writing: {error}"),
            Self::Letter(error) => write!(f, "writing a dead letter: {error}"),
            Self::Header(problem) => write!(f, "the header: {problem}"),
            Self::Record { number, code } => write!(f, "record {number}: {code}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) | Self::Read(error) | Self::Write(error) | Self::Letter(error) => {
                Some(error)
            }
            Self::Header(_) | Self::Record { .. } => None,
        }
    }
}
