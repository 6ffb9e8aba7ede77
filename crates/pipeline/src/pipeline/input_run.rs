//! The processing of one input: its batches in order, with the records of a batch on one thread or
//! on all.

mod records;

use std::io::{self, Write};

use memchr::memchr;

use pqseal_records::{
    Problem, looks,
    split::{Slot, SlotKind},
};

use super::{Observer, Pipeline, doubt::Doubt};
use crate::{
    batches::{Batch, Framing},
    error::{Error, Reason},
    input::{Input, InputError, Progress},
    opener::{Failure, Transform},
    shape::Shape,
    stats::Stats,
    warning::Warning,
};

/// An input, with the state of its processing.
pub(super) struct InputRun<'a, T> {
    pipeline: &'a Pipeline<T>,
    shape: Shape<'a>,
    source: &'a str,
    progress: Progress,
    threads: Threads,
    total: Stats,
    /// The number of input bytes that had been read when the last batch was counted.
    read: u64,
    /// The beginning of the first record.
    first: Option<Vec<u8>>,
    /// The number of zeros between records that were left out.
    zeros: u64,
    /// The doubt whether a record is a part of a damaged one, if records can have parts.
    doubt: Option<&'a mut Doubt>,
    /// The array that contains the next record.
    array: ArrayPosition,
    /// Set if the last record may contain the end of its array.
    has_end: bool,
}

/// The threads on which the records of a batch are opened.
#[derive(Clone, Copy)]
pub(super) enum Threads {
    /// The calling thread.
    This,
    /// The threads of the pool.
    Pool,
}

/// The output of a batch.
pub(super) struct OutputBatch {
    chunks: Vec<Chunk>,
    pub(super) stats: Stats,
    /// See [`Batch::pauses`].
    pub(super) pauses: bool,
}

impl<'a, T: Transform> InputRun<'a, T> {
    /// Creates a run. `doubt` is that after the records before this input, if its records may be
    /// damaged.
    pub(super) fn new(
        pipeline: &'a Pipeline<T>,
        input: &Input<'_>,
        framing: Framing,
        source: &'a str,
        threads: Threads,
        doubt: Option<&'a mut Doubt>,
    ) -> Self {
        let seals = pipeline.transform.seals();
        let shape = Shape::new(framing, &pipeline.rules, seals);
        Self {
            pipeline,
            doubt: doubt.filter(|_| seals && !shape.is_table()),
            shape,
            source,
            progress: input.progress(),
            threads,
            total: Stats::default(),
            read: 0,
            first: None,
            zeros: 0,
            array: ArrayPosition::default(),
            has_end: false,
        }
    }

    /// Opens the next batch, and reports its warnings and dead letters.
    pub(super) fn open(
        &mut self,
        mut batch: Batch,
        observer: &mut impl Observer,
    ) -> Result<OutputBatch, Error> {
        let mut stats = Stats {
            bytes_in: batch.bytes.len() as u64,
            ..Stats::default()
        };
        self.shape.learn(&mut batch).map_err(Error::Table)?;
        for warning in &self.shape.take_warnings() {
            observer.warning(self.source, warning);
        }
        // Plaintext to be sealed must not be shown.
        if self.first.is_none() && !self.pipeline.transform.seals() {
            self.first = batch.slots.first().map(|slot| {
                let record = batch.record(slot);
                record[..record.len().min(looks::SAMPLE)].to_vec()
            });
        }
        let chunks = self.sound_chunks(&mut batch, observer.wants_letters());
        if let Some(doubt) = &mut self.doubt {
            doubt.passed(&batch.bytes);
            self.array = self.array.after_batch(&batch);
            self.has_end = match batch.slots.last() {
                Some(last) => matches!(last.kind, SlotKind::TooLarge | SlotKind::Part(_)),
                None => self.has_end,
            };
            self.has_end |= doubt.lost().is_some();
        }
        chunks.iter().for_each(|chunk| stats.add(&chunk.stats));
        self.zeros += chunks.iter().map(|chunk| chunk.zeros).sum::<u64>();
        let mut failed = chunks.iter().filter_map(|chunk| chunk.failed.as_ref());
        let failed = failed.find(|(_, reason)| self.pipeline.strict || reason.ends_run());
        if let Some((number, reason)) = failed.cloned() {
            return Err(Error::Record { number, reason });
        }
        for letter in chunks.iter().flat_map(|chunk| &chunk.letters) {
            observer.dead_letter(letter).map_err(Error::Letter)?;
        }
        if chunks.iter().any(|chunk| !chunk.letters.is_empty()) {
            observer.letters_done().map_err(Error::Letter)?;
        }
        Ok(OutputBatch {
            chunks,
            stats,
            pauses: batch.pauses,
        })
    }

    /// Counts a batch that was passed on.
    pub(super) fn count(&mut self, stats: &Stats, observer: &mut impl Observer) {
        self.total.add(stats);
        let before = std::mem::replace(&mut self.read, self.progress.read());
        observer.progress(self.read - before);
        observer.batch(stats);
    }

    /// Returns the result of reading, and the end of an array that still must be written because it
    /// was inside a record that was sealed as a whole.
    pub(super) fn rest(
        &mut self,
        read: io::Result<()>,
        observer: &mut impl Observer,
    ) -> (Result<(), Error>, Option<OutputBatch>) {
        let read = match read.map_err(Error::reading) {
            Err(Error::Input(InputError::OpenArray)) if self.has_end => Ok(()),
            read => read,
        };
        let end = self.array.end();
        let end = end.filter(|_| read.is_ok() && !self.explodes());
        let rest = end.map(|end| {
            let chunk = Chunk::verbatim(end);
            self.count(&chunk.stats, observer);
            OutputBatch {
                stats: chunk.stats.clone(),
                chunks: vec![chunk],
                pauses: false,
            }
        });
        (read, rest)
    }

    /// Reports the warnings at the end, and returns the counters. `is_whole` is set if the whole
    /// input was read.
    pub(super) fn end(self, observer: &mut impl Observer, is_whole: bool) -> Stats {
        let zeros = self.progress.zeros();
        if zeros > 0 {
            observer.warning(self.source, &Warning::TrailingZeros { count: zeros });
        }
        if self.zeros > 0 {
            let count = self.zeros;
            observer.warning(self.source, &Warning::Zeros { count });
        }
        let seals = self.pipeline.transform.seals();
        if is_whole && seals && self.shape.is_table() && self.total.records == 0 {
            observer.warning(self.source, &Warning::NoRows);
        }
        let is_bad = !self.shape.is_table()
            && self.total.failed.get("bad_json") == Some(&self.total.records);
        if is_bad {
            let first = self.first.unwrap_or_default();
            observer.warning(self.source, &Warning::NotJson { first });
        }
        self.total
    }

    /// Reports whether each event of a record is written as a line, without the bytes between
    /// records.
    fn explodes(&self) -> bool {
        self.pipeline.explodes && !self.shape.is_table()
    }

    /// Processes a batch. If a record is refused because it is not JSON, the records around it are
    /// checked again, since they may be parts of it.
    fn sound_chunks(&mut self, batch: &mut Batch, wants_letters: bool) -> Vec<Chunk> {
        let goes_on = self.shape.whole().is_some() || wants_letters;
        let Some(doubt) = self.doubt.as_ref().filter(|_| goes_on) else {
            return self.chunks(batch, wants_letters);
        };
        if let Some(number) = doubt.lost() {
            batch.slots = vec![Slot {
                number,
                range: 0..batch.bytes.len(),
                kind: SlotKind::Part(match self.array.is_open {
                    true => b',',
                    false => b'\n',
                }),
            }];
            return self.chunks(batch, wants_letters);
        }
        if !doubt.is_raised() {
            let chunks = self.chunks(batch, wants_letters);
            if !chunks.iter().any(Chunk::is_damaged) {
                return chunks;
            }
        }
        if let Some(doubt) = &mut self.doubt {
            let (finder, largest) = (self.shape.finder(), self.pipeline.limits.record);
            doubt.mark(batch, largest, |record| finder.record(record).has_field());
        }
        self.chunks(batch, wants_letters)
    }
}

impl OutputBatch {
    pub(super) fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        self.chunks
            .iter()
            .try_for_each(|chunk| writer.write_all(&chunk.bytes))
    }

    /// Returns the records of a batch that has nothing between them.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().flat_map(|chunk| {
            let ends = chunk.starts.iter().skip(1).copied();
            let ends = ends.chain([chunk.bytes.len()]);
            let ranges = chunk.starts.iter().zip(ends);
            ranges.map(|(start, end)| &chunk.bytes[*start..end])
        })
    }
}

/// The output of some records of a batch, with the bytes between them.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// The start of each record in `bytes`. A record that was too large ends at the next start.
    starts: Vec<usize>,
    stats: Stats,
    letters: Vec<Vec<u8>>,
    failed: Option<(u64, Reason)>,
    /// The number of zeros between records, which are left out.
    zeros: u64,
    /// Set if the end of the line is left out, too.
    skips_line: bool,
}

impl Chunk {
    fn verbatim(bytes: &[u8]) -> Self {
        let mut chunk = Self::default();
        chunk.between(bytes);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }

    /// Appends the bytes between two records, without zeros.
    fn between(&mut self, bytes: &[u8]) {
        let line = std::mem::take(&mut self.skips_line).then(|| memchr(b'\n', bytes));
        let bytes = &bytes[line.flatten().map_or(0, |end| end + 1)..];
        if memchr(0, bytes).is_none() {
            return self.bytes.extend_from_slice(bytes);
        }
        let before = self.bytes.len();
        self.bytes.extend(bytes.iter().filter(|byte| **byte != 0));
        self.zeros += (bytes.len() - (self.bytes.len() - before)) as u64;
    }

    /// Reports whether a record in the chunk was not JSON.
    fn is_damaged(&self) -> bool {
        // A record that is too deep was not read to its end.
        let codes = [Problem::BadJson, Problem::TooDeep].map(Problem::code);
        let counts = [&self.stats.whole, &self.stats.failed];
        counts
            .iter()
            .any(|counts| codes.iter().any(|code| counts.contains_key(code)))
    }

    fn fail(&mut self, slot: &Slot, failure: Failure) {
        *self.stats.failed.entry(failure.code()).or_default() += 1;
        if self.failed.is_none() || failure.reason.ends_run() {
            self.failed = Some((slot.number, failure.reason));
        }
    }
}

/// A position between JSON values that may be items of an array. The beginning and the end of the
/// array are found between values, except an end inside a damaged value that extends to the end of
/// the input.
#[derive(Clone, Copy, Default)]
struct ArrayPosition {
    /// Set if the position is in an array.
    is_open: bool,
    /// Set if a value precedes it without a comma after that value.
    follows_value: bool,
    /// Set if the position is directly after that value.
    is_close: bool,
}

impl ArrayPosition {
    /// Returns the position before the last value of a batch that begins here.
    fn before_last(self, batch: &Batch) -> Self {
        let (mut place, mut from) = (self, 0);
        for (at, slot) in batch.slots.iter().enumerate() {
            place = place.after(&batch.bytes[from..slot.range.start]);
            from = slot.range.end;
            if at + 1 < batch.slots.len() {
                place = place.after_value();
            }
        }
        place
    }

    /// Returns the position after a batch that begins here.
    fn after_batch(self, batch: &Batch) -> Self {
        match batch.slots.last() {
            Some(last) => self
                .before_last(batch)
                .after_value()
                .after(&batch.bytes[last.range.end..]),
            None => self.after(&batch.bytes),
        }
    }

    /// Returns the position after a value that is here.
    const fn after_value(self) -> Self {
        Self {
            is_open: self.is_open,
            follows_value: true,
            is_close: true,
        }
    }

    /// Returns the position after these bytes, which are between values.
    fn after(mut self, between: &[u8]) -> Self {
        for byte in between {
            match byte {
                b'[' => (self.is_open, self.follows_value) = (true, false),
                b']' => (self.is_open, self.follows_value) = (false, true),
                b',' => self.follows_value = false,
                _ => {}
            }
        }
        self.is_close &= between.is_empty();
        self
    }

    /// Returns the byte that must be written before a value here.
    const fn separator(self) -> Option<u8> {
        match self.is_open {
            true if self.follows_value => Some(b','),
            false if self.follows_value && self.is_close => Some(b'\n'),
            _ => None,
        }
    }

    /// Returns the bytes that end the array.
    const fn end(self) -> Option<&'static [u8]> {
        match self.is_open {
            true => Some(b"]\n"),
            false => None,
        }
    }
}
