//! The pipeline from a reader to a writer. One thread reads and finds records, all cores open them,
//! and one thread writes. Memory holds three batches.

mod doubt;
mod input_run;
mod messages;

use std::{
    fmt,
    io::{self, Read, Write},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

pub(crate) use doubt::{Doubt, DoubtLevel};
use input_run::{InputRun, OutputBatch, Threads};
pub use messages::MessageResults;
use rayon::{ThreadPool, ThreadPoolBuilder};

use pqseal_records::{
    Problem,
    rules::Rules,
    split::{Slot, SlotKind},
};

use crate::{
    batches::{Batch, Batches, Framing, Limits},
    error::{Error, Reason},
    input::Input,
    opener::Transform,
    stats::Stats,
    warning::Warning,
};

/// The processing of a stream of records.
///
/// ```
/// use pqseal_pipeline::{Framing, Limits, Observer, Opener, Pipeline, Stats, Warning};
/// use pqseal_records::Rules;
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
/// // With the keys of a key file added.
/// let opener = Opener::new(pqseal_matched_data::KeyRing::new());
/// let pipeline = Pipeline::new(opener, Rules::default(), 1)?;
/// let pipeline = pipeline.framed(Framing::Lines, Limits::default());
/// let (records, mut out) = (&b"{\"n\":1}\n{\"n\":2}\n"[..], Vec::new());
/// let stats = pipeline.run(records, &mut out, "events", &mut ToStderr)?;
/// assert_eq!((stats.records, stats.absent, out.as_slice()), (2, 2, records));
/// # Ok::<(), pqseal_pipeline::Error>(())
/// ```
pub struct Pipeline<T> {
    pub(crate) transform: T,
    pub(crate) rules: Rules,
    framing: Framing,
    pub(crate) limits: Limits,
    pub(crate) strict: bool,
    in_parts: bool,
    explodes: bool,
    pub(crate) pool: ThreadPool,
}

/// A receiver of the counts, warnings and dead letters of a run in progress.
pub trait Observer {
    /// Reports the counts of each batch.
    fn batch(&mut self, stats: &Stats);

    /// Reports after each batch the number of further input bytes that were read, before
    /// decompression.
    fn progress(&mut self, _bytes: u64) {}

    /// Reports a warning about the input of this name, which does not end the run.
    fn warning(&mut self, _source: &str, _warning: &Warning) {}

    /// Receives a dead letter, if they are wanted. When sealing, it is an object with the blob of a
    /// record whose fields cannot be sealed, unless that object replaces the record
    /// ([`Rules::whole`]). The record is not in the output then, and the run continues.
    ///
    /// # Errors
    /// An error if the letter could not be written. It ends the run.
    fn dead_letter(&mut self, _letter: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// Reports the end of the dead letters of a batch, before its records are written.
    ///
    /// # Errors
    /// An error if the letters could not be stored as required. It ends the run.
    fn letters_done(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Reports whether dead letters are wanted.
    fn wants_letters(&self) -> bool {
        false
    }
}

/// The size in bytes of a batch for each thread. It is enough work for all of them. With four times
/// as much for one thread, the allocator gave each batch's memory back to the system and asked for
/// it again, which took 3 % of the time of opening.
const BATCH_OF_A_THREAD: usize = 1 << 20;

impl<T: Transform> Pipeline<T> {
    /// Creates a pipeline with `threads` threads, or as many as there are cores if 0.
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
            explodes: false,
            pool,
        })
    }

    /// Sets the separation of records, and the limits on memory.
    #[must_use]
    pub fn framed(mut self, framing: Framing, limits: Limits) -> Self {
        (self.framing, self.limits) = (framing, limits);
        self
    }

    /// Ends the run at the first record that fails, before it is written. Sealing always does so.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Seals a record that is larger than [`Limits::record`] as a whole, in parts. Each part
    /// becomes a separate record, so memory stays bounded. Otherwise such a record ends the run
    /// when sealing.
    #[must_use]
    pub fn in_parts(mut self) -> Self {
        self.in_parts = true;
        self
    }

    /// Writes each event of a document as a separate line, such as each item of the list in the
    /// answer of an API ([`json::events`](pqseal_records::json::events)). Rows of tables stay.
    #[must_use]
    pub fn exploded(mut self) -> Self {
        self.explodes = true;
        self
    }

    /// Reports whether a record that cannot be sealed for this reason may be sealed as a whole.
    pub(crate) fn seals_whole(&self, reason: &Reason) -> bool {
        self.in_parts || *reason != Reason::Record(Problem::TooLarge)
    }

    /// Returns the transform that is applied to fields.
    pub const fn transform(&self) -> &T {
        &self.transform
    }

    /// Returns the limits on memory.
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the separation of records.
    pub const fn framing(&self) -> Framing {
        self.framing
    }

    /// Processes all of `reader`, which must not be compressed, and writes to `writer`. `source` is
    /// its name in dead letters.
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

    /// Processes an input that may be compressed, with this separation of records, like
    /// [`Pipeline::run`].
    ///
    /// # Errors
    /// See [`Error`]. Records that were read before an error of the input are written and counted.
    pub fn run_framed(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut (impl Write + Send),
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let mut doubt = Doubt::default();
        let doubt = Some(&mut doubt);
        let run = InputRun::new(self, &input, framing, source, Threads::Pool, doubt);
        let batches = self.batches(input, framing);
        thread::scope(|scope| {
            let (to_open, read_ones) = sync_channel(0);
            let (to_write, opened) = sync_channel(0);
            let reading = thread::Builder::new()
                .spawn_scoped(scope, || read(batches, to_open))
                .map_err(Error::Start)?;
            let writing = thread::Builder::new()
                .spawn_scoped(scope, || write(writer, opened, self.limits.prompt))
                .map_err(Error::Start)?;
            let ended = open_all(run, read_ones, &to_write, observer).map(|mut run| {
                let read = reading.join().expect("the reading thread does not panic");
                let (read, rest) = run.rest(read, observer);
                if let Some(rest) = rest {
                    // If sending fails, the writer has failed.
                    let _ = to_write.send(rest);
                }
                (run, read)
            });
            drop(to_write);
            // An error of the writer is the cause of the other errors, so it takes precedence.
            writing
                .join()
                .expect("the writing thread does not panic")
                .map_err(Error::Write)?;
            let (run, read) = ended?;
            let stats = run.end(observer, read.is_ok());
            read.map(|()| stats)
        })
    }

    /// Processes an input on this thread only, for many small inputs in parallel.
    ///
    /// # Errors
    /// See [`Pipeline::run_framed`].
    pub(crate) fn run_on_this_thread(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        self.run_on(Threads::This, input, framing, writer, source, observer)
    }

    /// Reads and writes on this thread, and opens records on the threads of the pool, which many
    /// callers can share. Intended for servers with a thread per request.
    ///
    /// # Errors
    /// See [`Pipeline::run_framed`].
    pub fn run_on_pool(
        &self,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        self.run_on(Threads::Pool, input, framing, writer, source, observer)
    }

    /// Reads and writes on this thread.
    fn run_on(
        &self,
        threads: Threads,
        input: Input<'_>,
        framing: Framing,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let mut doubt = Doubt::default();
        let run = InputRun::new(self, &input, framing, source, threads, Some(&mut doubt));
        let batches = self.batches(input, framing);
        all(run, batches, writer, observer)
    }

    fn batches<'r>(&self, input: Input<'r>, framing: Framing) -> Batches<Input<'r>> {
        let most = BATCH_OF_A_THREAD * self.pool.current_num_threads();
        let limits = Limits {
            batch_bytes: self.limits.batch_bytes.min(most),
            ..self.limits
        };
        Batches::new(input, framing, limits).strict(self.transform.seals())
    }

    /// Processes lines of an input, of which the first has this number, on all threads. `doubt` is
    /// the doubt after the lines before them.
    ///
    /// # Errors
    /// See [`Pipeline::run_framed`].
    pub(crate) fn process_lines(
        &self,
        lines: &[u8],
        number: u64,
        doubt: &mut Doubt,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let input = Input::plain(lines);
        let (framing, doubt) = (Framing::Lines, Some(doubt));
        let run = InputRun::new(self, &input, framing, source, Threads::Pool, doubt);
        let batches = Batches::lines(input, self.limits, number);
        all(run, batches, writer, observer)
    }

    /// Processes a further part of a record in a followed file that is larger than
    /// [`Limits::record`](crate::Limits::record), when sealing. `number` is that of the record.
    ///
    /// # Errors
    /// See [`Pipeline::run_framed`].
    pub(crate) fn process_part(
        &self,
        part: &[u8],
        number: u64,
        writer: &mut impl Write,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<(), Error> {
        let batch = Batch {
            bytes: part.to_vec(),
            slots: vec![Slot {
                number,
                range: 0..part.len() - usize::from(part.ends_with(b"\n")),
                kind: SlotKind::Part(b'\n'),
            }],
            ..Batch::default()
        };
        let input = Input::plain(io::empty());
        let mut run = InputRun::new(self, &input, Framing::Lines, source, Threads::This, None);
        let opened = run.open(batch, observer)?;
        opened.write(writer).map_err(Error::Write)?;
        run.count(&opened.stats, observer);
        Ok(())
    }
}

/// Processes all batches on this thread. Records are opened on other threads if the run says so.
fn all<T: Transform, R: Read>(
    mut run: InputRun<'_, T>,
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
        let opened = run.open(batch, observer)?;
        opened.write(writer).map_err(Error::Write)?;
        run.count(&opened.stats, observer);
    };
    let (end, rest) = run.rest(end, observer);
    if let Some(rest) = rest {
        rest.write(writer).map_err(Error::Write)?;
    }
    let stats = run.end(observer, end.is_ok());
    end.map(|()| stats)
}

/// Opens batches until there are no more, or the receiver of the output is gone.
fn open_all<'c, T: Transform>(
    mut run: InputRun<'c, T>,
    batches: Receiver<Batch>,
    to_write: &SyncSender<OutputBatch>,
    observer: &mut impl Observer,
) -> Result<InputRun<'c, T>, Error> {
    for batch in batches {
        let mut opened = run.open(batch, observer)?;
        let stats = std::mem::take(&mut opened.stats);
        if to_write.send(opened).is_err() {
            break;
        }
        run.count(&stats, observer);
    }
    Ok(run)
}

/// Reads batches until the end of the input, or until their receiver is gone.
fn read<R: Read>(mut batches: Batches<R>, to_open: SyncSender<Batch>) -> io::Result<()> {
    while let Some(batch) = batches.next_batch()? {
        if to_open.send(batch).is_err() {
            break;
        }
    }
    Ok(())
}

fn write(writer: &mut impl Write, batches: Receiver<OutputBatch>, prompt: bool) -> io::Result<()> {
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
