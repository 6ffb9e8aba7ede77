//! From a reader to a writer: one thread reads and finds records, all cores open them, one thread
//! writes. Three batches are in memory.

mod apart;
mod array;
mod chunk;
mod course;
mod doubt;

use std::{
    fmt,
    io::{self, Read, Write},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

pub use apart::Apart;
use course::{Course, Opened, Threads};
pub(crate) use doubt::{Doubt, Level};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::{
    batch::Transform,
    error::Error,
    frame::{Batch, Batches, Framing, Limits},
    input::Input,
    reason::Reason,
    rules::Rules,
    stats::Stats,
    warning::Warning,
};

/// All that is done to a stream of records.
///
/// ```
/// use pqseal_siem::{Framing, Limits, Observer, Opener, Pipeline, Rules, Stats, Warning};
///
/// /// Prints what a user should know.
/// struct ToStderr;
///
/// impl Observer for ToStderr {
///     fn batch(&mut self, stats: &Stats) {
///         eprintln!("{} more records", stats.records);
///     }
///
///     fn warning(&mut self, source: &str, warning: &Warning) {
///         eprintln!("{source}: {warning}");
///     }
/// }
///
/// let opener = Opener::new(envelope::KeyRing::new()); // with the keys of a key file added
/// let pipeline = Pipeline::new(opener, Rules::default(), 1)?.framed(Framing::Lines, Limits::default());
/// let (records, mut out) = (&b"{\"n\":1}\n{\"n\":2}\n"[..], Vec::new());
/// let stats = pipeline.run(records, &mut out, "events", &mut ToStderr)?;
/// assert_eq!((stats.records, stats.absent, out.as_slice()), (2, 2, records));
/// # Ok::<(), pqseal_siem::Error>(())
/// ```
pub struct Pipeline<T> {
    pub(crate) transform: T,
    pub(crate) rules: Rules,
    framing: Framing,
    pub(crate) limits: Limits,
    pub(crate) strict: bool,
    in_parts: bool,
    pub(crate) pool: ThreadPool,
}

/// Receives the counts, warnings and dead letters of a run while it goes on.
pub trait Observer {
    /// After each batch: what it counted.
    fn batch(&mut self, stats: &Stats);

    /// After each batch: how many more bytes of the input were read, before decompression.
    fn progress(&mut self, _bytes: u64) {}

    /// Something about the input of this name that does not end the run, and that its user should
    /// know.
    fn warning(&mut self, _source: &str, _warning: &Warning) {}

    /// A dead letter, if any are wanted. What seals gives a record that cannot be sealed, unless it is
    /// sealed as a whole in its place ([`Rules::whole`]): an object with the record's blob. The record is
    /// not in the output then, and the run goes on.
    ///
    /// # Errors
    /// If it could not be written, which ends the run.
    fn dead_letter(&mut self, _letter: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// After the dead letters of a batch, and before its records are written.
    ///
    /// # Errors
    /// If the letters are not where they must be by then, which ends the run.
    fn letters_done(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Whether dead letters are wanted.
    fn wants_letters(&self) -> bool {
        false
    }
}

impl<T: Transform> Pipeline<T> {
    /// A pipeline on `threads` threads; as many as there are cores if 0.
    ///
    /// # Errors
    /// [`Error::Start`] if they cannot be started.
    pub fn new(transform: T, mut rules: Rules, threads: usize) -> Result<Self, Error> {
        if !transform.uses_origins() {
            rules.origin.clear();
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::Start(io::Error::other(error)))?;
        let (framing, limits, strict) = (Framing::default(), Limits::default(), transform.seals());
        Ok(Self {
            transform,
            rules,
            framing,
            limits,
            strict,
            in_parts: false,
            pool,
        })
    }

    /// Separates records in this way, and keeps no more than this in memory.
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

    /// Seals a record that is larger than [`Limits::record`] as a whole, in parts. Each becomes a record of
    /// its own, and the rest of the run's memory stays as it is. Without this such a record ends the run
    /// of what seals.
    #[must_use]
    pub fn in_parts(mut self) -> Self {
        self.in_parts = true;
        self
    }

    /// Returns whether a record that cannot be sealed for this reason may be sealed as a whole.
    pub(crate) fn seals_whole(&self, reason: &Reason) -> bool {
        self.in_parts || *reason != Reason::TooLarge
    }

    /// What is done to fields.
    pub const fn transform(&self) -> &T {
        &self.transform
    }

    /// What is kept in memory at a time.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// How records are separated.
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

    /// As [`Pipeline::run`], for an input that may be compressed, with its records separated in
    /// this way.
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
        let mut doubt = Doubt::default();
        let course = Course::new(self, &input, framing, source, Threads::Pool).of_input(&mut doubt);
        let batches = self.batches(input, framing);
        thread::scope(|scope| {
            let (to_open, read_ones) = sync_channel(0);
            let (to_write, opened) = sync_channel(0);
            let start = || thread::Builder::new();
            let reading = start()
                .spawn_scoped(scope, || read(batches, to_open))
                .map_err(Error::Start)?;
            let writing = start()
                .spawn_scoped(scope, || write(writer, opened, self.limits.prompt))
                .map_err(Error::Start)?;
            let ended = open_all(course, read_ones, &to_write, observer).map(|mut course| {
                let read = reading.join().expect("the reading thread does not panic");
                let (read, rest) = course.rest(read, observer);
                if let Some(rest) = rest {
                    // If that fails, the writer has failed.
                    let _ = to_write.send(rest);
                }
                (course, read)
            });
            drop(to_write);
            // The writer's failure is why others ended, if there is one.
            writing
                .join()
                .expect("the writing thread does not panic")
                .map_err(Error::Write)?;
            let (course, read) = ended?;
            let stats = course.end(observer, read.is_ok());
            read.map(|()| stats)
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
        self.run_with(Threads::This, input, framing, writer, source, observer)
    }

    /// The same with reading and writing on this thread, and the records opened on the threads of the
    /// pool, which many callers can share: for a server whose requests have a thread each.
    ///
    /// # Errors
    /// As [`Pipeline::run_framed`].
    pub fn run_on_pool(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        self.run_with(Threads::Pool, input, framing, writer, source, observer)
    }

    /// Reads and writes on this thread.
    fn run_with(
        &self,
        threads: Threads,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let mut doubt = Doubt::default();
        let course = Course::new(self, &input, framing, source, threads).of_input(&mut doubt);
        let batches = self.batches(input, framing);
        all(course, batches, writer, observer)
    }

    fn batches<'r>(&self, input: Input<'r>, framing: Framing) -> Batches<Input<'r>> {
        Batches::new(input, framing, self.limits).strict(self.transform.seals())
    }

    /// Takes some lines of an input, of which the first has this number, on all threads. `doubt` is what
    /// is in doubt after the lines before them.
    ///
    /// # Errors
    /// As [`Pipeline::run_framed`].
    pub(crate) fn run_lines(
        &self,
        lines: &[u8],
        number: u64,
        doubt: &mut Doubt,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let input = Input::plain(lines);
        let course = Course::new(self, &input, Framing::Lines, source, Threads::Pool);
        let course = course.of_input(doubt);
        let batches = Batches::lines(input, self.limits, number);
        all(course, batches, writer, observer)
    }
}

/// Takes all batches on this thread, which gives records to others if the course says so.
fn all<T: Transform, R: Read>(
    mut course: Course<'_, T>,
    mut batches: Batches<R>,
    writer: &mut impl Write,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    let end = loop {
        let batch = match batches.next_batch() {
            Ok(Some(batch)) => batch,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        let opened = course.open(batch, observer)?;
        opened.write(writer).map_err(Error::Write)?;
        course.count(&opened.stats, observer);
    };
    let (end, rest) = course.rest(end, observer);
    if let Some(rest) = rest {
        rest.write(writer).map_err(Error::Write)?;
    }
    let stats = course.end(observer, end.is_ok());
    end.map(|()| stats)
}

/// Ends when there are no more batches, or nobody takes what comes of them.
fn open_all<'c, T: Transform>(
    mut course: Course<'c, T>,
    batches: Receiver<Batch>,
    to_write: &SyncSender<Opened>,
    observer: &mut impl Observer,
) -> Result<Course<'c, T>, Error> {
    for batch in batches {
        let mut opened = course.open(batch, observer)?;
        let stats = std::mem::take(&mut opened.stats);
        if to_write.send(opened).is_err() {
            break;
        }
        course.count(&stats, observer);
    }
    Ok(course)
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
