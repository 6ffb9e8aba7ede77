//! From a reader to a writer: one thread reads and finds records, all cores open them, one thread writes. Three batches are in memory.

use std::{
    borrow::Cow,
    fmt,
    io::{self, Read, Write},
    sync::mpsc::{Receiver, SyncSender, sync_channel},
    thread,
};

use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};

use crate::{
    batch::{CHUNK, Failure, Opener, Outcome, Record},
    dead_letter::letter,
    frame::{Batch, Batches, Framing, Limits, Slot},
    json::{self, Located},
    rules::Rules,
    splice::{edits, splice},
    stats::Stats,
};

/// What is done to the fields that are found: opening, or sealing.
pub trait Transform: Sync {
    /// One outcome a record, in order, on this thread.
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome>;

    /// Whether values other than strings are taken, as their text.
    fn takes_any_value(&self) -> bool {
        false
    }
}

impl Transform for Opener {
    fn chunk(&self, records: &[Record<'_>]) -> Vec<Outcome> {
        self.open_chunk(records)
    }
}

/// All that is done to a stream of records.
pub struct Pipeline<T> {
    transform: T,
    rules: Rules,
    framing: Framing,
    limits: Limits,
    strict: bool,
    pool: ThreadPool,
}

/// Where a run's news go.
pub trait Observer {
    /// After each batch: what it counted.
    fn batch(&mut self, stats: &Stats);

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
    /// The input could not be read, or is not the gzip or Zstandard that it begins as.
    Read(io::Error),
    /// The output could not be written.
    Write(io::Error),
    /// A dead letter could not be written.
    Letter(io::Error),
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
    pub fn new(transform: T, rules: Rules, threads: usize) -> io::Result<Self> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
        let (framing, limits) = (Framing::default(), Limits::default());
        Ok(Self { transform, rules, framing, limits, strict: false, pool })
    }

    /// With records told apart in this way, and no more than this in memory.
    #[must_use]
    pub fn framed(mut self, framing: Framing, limits: Limits) -> Self {
        (self.framing, self.limits) = (framing, limits);
        self
    }

    /// Ends at the first record that fails, before it is written. For sealing: what is not sealed must not pass in the clear.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// What is done to fields.
    pub const fn transform(&self) -> &T {
        &self.transform
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
        let (to_open, batches) = sync_channel(0);
        let (to_write, chunks) = sync_channel(0);
        thread::scope(|scope| {
            let reading = scope.spawn(|| read(Batches::new(reader, self.framing, self.limits), to_open));
            let writing = scope.spawn(|| write(writer, chunks, self.limits.prompt));
            let stats = self.open_all(batches, to_write, source, observer);
            // The writer's failure is why others ended, if there is one.
            writing.join().expect("the writing thread does not panic").map_err(Error::Write)?;
            let stats = stats?;
            reading.join().expect("the reading thread does not panic").map_err(Error::Read)?;
            Ok(stats)
        })
    }

    /// Ends when there are no more batches, or nobody takes what comes of them.
    fn open_all(
        &self,
        batches: Receiver<Batch>,
        to_write: SyncSender<Vec<Chunk>>,
        source: &str,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let mut total = Stats::default();
        for batch in batches {
            let wants_letters = observer.wants_letters();
            let chunks = self.pool.install(|| self.open_batch(&batch, wants_letters.then_some(source)));
            let mut stats = Stats { bytes_in: batch.bytes.len() as u64, ..Stats::default() };
            chunks.iter().for_each(|chunk| stats.add(&chunk.stats));
            if let Some((number, code)) = chunks.iter().find_map(|chunk| chunk.failed).filter(|_| self.strict) {
                return Err(Error::Record { number, code });
            }
            for letter in chunks.iter().flat_map(|chunk| &chunk.letters) {
                observer.letter(letter).map_err(Error::Letter)?;
            }
            if to_write.send(chunks).is_err() {
                break;
            }
            total.add(&stats);
            observer.batch(&stats);
        }
        Ok(total)
    }

    fn open_batch(&self, batch: &Batch, source: Option<&str>) -> Vec<Chunk> {
        let size = (batch.slots.len() / (2 * self.pool.current_num_threads())).clamp(16, CHUNK);
        let groups: Vec<_> = batch.slots.chunks(size).collect();
        if groups.is_empty() {
            return vec![Chunk::verbatim(&batch.bytes)];
        }
        let start = |group: usize| if group == 0 { 0 } else { groups[group][0].range.start };
        let end = |group: usize| if group + 1 == groups.len() { batch.bytes.len() } else { start(group + 1) };
        let chunk = |group: usize| self.open_chunk(batch, groups[group], start(group)..end(group), source);
        (0..groups.len()).into_par_iter().map(chunk).collect()
    }

    fn open_chunk(
        &self,
        batch: &Batch,
        slots: &[Slot],
        stretch: std::ops::Range<usize>,
        source: Option<&str>,
    ) -> Chunk {
        let finds: Vec<_> = slots.iter().map(|slot| Find::new(batch, slot, &self.rules)).collect();
        let values: Vec<Vec<_>> = finds.iter().map(|find| find.values(self.transform.takes_any_value())).collect();
        let records: Vec<_> = finds.iter().zip(&values).flat_map(|(find, values)| find.records(values)).collect();
        let mut outcomes = self.transform.chunk(&records).into_iter();
        let mut chunk = Chunk::default();
        let mut from = stretch.start;
        for ((slot, find), values) in slots.iter().zip(&finds).zip(values) {
            chunk.bytes.extend_from_slice(&batch.bytes[from..slot.range.start]);
            let outcomes = values.into_iter().map(|value| match value {
                Ok(_) => outcomes.next().expect("one outcome a record"),
                Err(code) => Outcome::Failed(Failure::new(code)),
            });
            find.finish(slot, outcomes.collect(), &self.rules, &mut chunk, source);
            from = slot.range.end;
        }
        chunk.bytes.extend_from_slice(&batch.bytes[from..stretch.end]);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }
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
        let stats = Stats { bytes_out: bytes.len() as u64, ..Stats::default() };
        Self { bytes: bytes.to_vec(), stats, ..Self::default() }
    }
}

/// A record, and what was found in it.
struct Find<'a> {
    record: &'a [u8],
    found: Result<Vec<Located>, &'static str>,
    aad: Result<Cow<'a, [u8]>, &'static str>,
    origin: Vec<u8>,
}

impl<'a> Find<'a> {
    fn new(batch: &'a Batch, slot: &Slot, rules: &Rules) -> Self {
        let record = &batch.bytes[slot.range.clone()];
        let found = match record.is_empty() {
            true => Err("too_large"),
            false => json::locate(record, &rules.rules).map_err(|_| "bad_json"),
        };
        let first = |path| json::values(record, path).into_iter().next();
        let (mut aad, mut origin) = (Ok(Cow::Borrowed(&b""[..])), Vec::new());
        if found.is_ok() {
            if let Some(path) = &rules.aad_from {
                aad = first(path).map_or(Err("no_aad"), |node| {
                    json::decode_string(node.raw()).or(Some(node.raw().into())).ok_or("no_aad")
                });
            }
            rules.origin.iter().filter_map(first).for_each(|node| origin.extend_from_slice(node.raw()));
        }
        Self { record, found, aad, origin }
    }

    /// The text of each field that was found and is not done; `Ok(None)` for null.
    fn values(&self, any: bool) -> Vec<Result<Option<Cow<'a, [u8]>>, &'static str>> {
        let value = |found: &Located| {
            let raw = &self.record[found.value.clone()];
            match json::decode_string(raw) {
                Some(text) => self.aad.as_ref().map(|_| Some(text)).map_err(|code| *code),
                None if raw == b"null" => Ok(None),
                None if raw.starts_with(b"\"") => Err("bad_string"),
                None if any => self.aad.as_ref().map(|_| Some(Cow::Borrowed(raw))).map_err(|code| *code),
                None => Err("not_a_string"),
            }
        };
        self.to_do().map(value).collect()
    }

    fn to_do(&self) -> impl Iterator<Item = &Located> {
        self.found.iter().flatten().filter(|found| !found.done)
    }

    fn records<'r>(&'r self, values: &'r [Result<Option<Cow<'a, [u8]>>, &'static str>]) -> Vec<Record<'r>> {
        let aad = self.aad.as_deref().unwrap_or_default();
        let texts = values.iter().filter_map(|value| value.as_ref().ok());
        texts.map(|text| Record { text: text.as_deref(), aad, origin: &self.origin }).collect()
    }

    /// Writes the record with its outcomes, and counts it once.
    fn finish(&self, slot: &Slot, outcomes: Vec<Outcome>, rules: &Rules, chunk: &mut Chunk, source: Option<&str>) {
        let mut all = Vec::new();
        for (found, outcome) in self.to_do().zip(&outcomes) {
            let (edits, lossy) = edits(found, outcome, rules);
            all.extend(edits);
            chunk.stats.lossy += u64::from(lossy);
            if let Outcome::Opened { key, .. } = outcome {
                *chunk.stats.keys.entry(*key).or_default() += 1;
            }
        }
        splice(self.record, all, &mut chunk.bytes);
        let own = self.found.as_ref().err().map(|code| Failure::new(code));
        let failure = own.as_ref().or_else(|| outcomes.iter().find_map(failure));
        self.count(&mut chunk.stats, &outcomes, failure);
        if let Some(failure) = failure {
            chunk.failed.get_or_insert((slot.number, failure.code));
            chunk.letters.extend(source.map(|source| letter(source, slot.number, failure, self.record)));
        }
    }

    fn count(&self, stats: &mut Stats, outcomes: &[Outcome], failure: Option<&Failure>) {
        let has = |wanted: fn(&Outcome) -> bool| outcomes.iter().any(wanted);
        stats.records += 1;
        match failure {
            Some(failure) => *stats.failed.entry(failure.code).or_default() += 1,
            None if has(|outcome| matches!(outcome, Outcome::Opened { .. })) => stats.opened += 1,
            None if has(|outcome| *outcome == Outcome::Truncated) => stats.truncated += 1,
            None if self.found.iter().flatten().any(|found| found.done) => stats.already += 1,
            None => stats.absent += 1,
        }
    }
}

fn failure(outcome: &Outcome) -> Option<&Failure> {
    match outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    }
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

fn write(writer: &mut impl Write, chunks: Receiver<Vec<Chunk>>, prompt: bool) -> io::Result<()> {
    for chunk in chunks.into_iter().map(|chunks| chunks.into_iter().map(|chunk| chunk.bytes)) {
        chunk.into_iter().try_for_each(|bytes| writer.write_all(&bytes))?;
        if prompt {
            writer.flush()?;
        }
    }
    writer.flush()
}

impl<T> fmt::Debug for Pipeline<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "reading: {error}"),
            Self::Write(error) => write!(f, "writing: {error}"),
            Self::Letter(error) => write!(f, "writing a dead letter: {error}"),
            Self::Record { number, code } => write!(f, "record {number}: {code}"),
        }
    }
}

impl std::error::Error for Error {}
