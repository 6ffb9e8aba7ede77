//! From a reader to a writer: one thread reads and finds records, all cores open them, one thread
//! writes. Three batches are in memory.

use std::{
    fmt,
    io::{self, Read, Write},
    ops::Range,
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::{
    batch::{CHUNK, Transform},
    dead_letter::letter,
    find::take_through,
    frame::{Batch, Batches, Framing, Limits, Slot},
    input::{Input, Progress},
    looks,
    rules::Rules,
    shape::Shape,
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
    /// A record failed, and the run was to end then ([`Pipeline::strict`]).
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
        let origin = Origin {
            source,
            progress: input.progress(),
        };
        thread::scope(|scope| {
            let (to_open, batches) = sync_channel(0);
            let (to_write, chunks) = sync_channel(0);
            let start = || thread::Builder::new();
            let reading = start()
                .spawn_scoped(scope, || {
                    read(Batches::new(input, framing, self.limits), to_open)
                })
                .map_err(Error::Start)?;
            let writing = start()
                .spawn_scoped(scope, || write(writer, chunks, self.limits.prompt))
                .map_err(Error::Start)?;
            let shape = Shape::new(framing, &self.rules, !self.transform.seals());
            let stats = self.open_all(batches, to_write, shape, &origin, observer);
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

    /// Ends when there are no more batches, or nobody takes what comes of them.
    fn open_all(
        &self,
        batches: Receiver<Batch>,
        to_write: SyncSender<Opened>,
        mut shape: Shape<'_>,
        origin: &Origin<'_>,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let (mut total, mut read) = (Stats::default(), 0);
        let mut first = None;
        for mut batch in batches {
            let pauses = batch.pauses;
            let mut stats = Stats {
                bytes_in: batch.bytes.len() as u64,
                ..Stats::default()
            };
            shape.learn(&mut batch).map_err(Error::Header)?;
            let mut warn = |warning: &Warning| observer.warning(origin.source, warning);
            shape.take_warnings().iter().for_each(&mut warn);
            first = first.or_else(|| batch.slots.first().map(|slot| sample(&batch, slot)));
            let wants_letters = observer.wants_letters();
            let chunks = self.pool.install(|| {
                self.open_batch(&batch, &shape, wants_letters.then_some(origin.source))
            });
            chunks.iter().for_each(|chunk| stats.add(&chunk.stats));
            if let Some((number, code)) = chunks
                .iter()
                .find_map(|chunk| chunk.failed)
                .filter(|_| self.strict)
            {
                return Err(Error::Record { number, code });
            }
            for letter in chunks.iter().flat_map(|chunk| &chunk.letters) {
                observer.letter(letter).map_err(Error::Letter)?;
            }
            if to_write.send(Opened { chunks, pauses }).is_err() {
                break;
            }
            total.add(&stats);
            let before = std::mem::replace(&mut read, origin.progress.read());
            observer.progress(read - before);
            observer.batch(&stats);
        }
        let zeros = origin.progress.zeros();
        if zeros > 0 {
            observer.warning(origin.source, &Warning::trailing_zeros(zeros));
        }
        let is_bad = matches!(shape, Shape::Document(_))
            && total.failed.get("bad_json") == Some(&total.records);
        if let Some(first) = first.filter(|_| is_bad) {
            observer.warning(origin.source, &Warning::not_json(&first));
        }
        Ok(total)
    }

    fn open_batch(&self, batch: &Batch, shape: &Shape<'_>, source: Option<&str>) -> Vec<Chunk> {
        let size = (batch.slots.len() / (2 * self.pool.current_num_threads())).clamp(16, CHUNK);
        let groups: Vec<_> = batch.slots.chunks(size).collect();
        if groups.is_empty() {
            return vec![Chunk::verbatim(&batch.bytes)];
        }
        let start = |group: usize| {
            if group == 0 {
                0
            } else {
                groups[group][0].range.start
            }
        };
        let end = |group: usize| {
            if group + 1 == groups.len() {
                batch.bytes.len()
            } else {
                start(group + 1)
            }
        };
        let chunk = |group: usize| {
            self.open_chunk(
                batch,
                shape,
                groups[group],
                start(group)..end(group),
                source,
            )
        };
        (0..groups.len()).into_par_iter().map(chunk).collect()
    }

    fn open_chunk(
        &self,
        batch: &Batch,
        shape: &Shape<'_>,
        slots: &[Slot],
        stretch: Range<usize>,
        source: Option<&str>,
    ) -> Chunk {
        let record = |slot: &Slot| &batch.bytes[slot.range.clone()];
        let finds: Vec<_> = slots.iter().map(|slot| shape.find(record(slot))).collect();
        let mut chunk = Chunk::default();
        let all_done = take_through(&finds, &self.transform, &mut chunk.stats);
        let mut from = stretch.start;
        for (slot, done) in slots.iter().zip(all_done) {
            chunk
                .bytes
                .extend_from_slice(&batch.bytes[from..slot.range.start]);
            shape.write(record(slot), done.changes, &mut chunk.bytes);
            if let Some(failure) = done.failure {
                chunk.failed.get_or_insert((slot.number, failure.code));
                chunk.letters.extend(
                    source.map(|source| letter(source, slot.number, &failure, record(slot))),
                );
            }
            from = slot.range.end;
        }
        chunk
            .bytes
            .extend_from_slice(&batch.bytes[from..stretch.end]);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }
}

/// An input, for reports.
struct Origin<'a> {
    source: &'a str,
    progress: Progress,
}

/// What comes of a batch.
struct Opened {
    chunks: Vec<Chunk>,
    /// See [`Batch::pauses`].
    pauses: bool,
}

/// What comes of some records of a batch, and what stands between them.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    stats: Stats,
    letters: Vec<Vec<u8>>,
    failed: Option<(u64, &'static str)>,
}

impl Chunk {
    fn verbatim(bytes: &[u8]) -> Self {
        let stats = Stats {
            bytes_out: bytes.len() as u64,
            ..Stats::default()
        };
        Self {
            bytes: bytes.to_vec(),
            stats,
            ..Self::default()
        }
    }
}

/// How a record begins.
fn sample(batch: &Batch, slot: &Slot) -> Vec<u8> {
    let record = &batch.bytes[slot.range.clone()];
    record[..record.len().min(looks::SAMPLE)].to_vec()
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
    for Opened { chunks, pauses } in batches {
        chunks
            .iter()
            .try_for_each(|chunk| writer.write_all(&chunk.bytes))?;
        if prompt || pauses {
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

impl std::error::Error for Error {}
