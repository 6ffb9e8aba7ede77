//! The processing of one input: its batches in order, with the records of a batch on one thread or
//! on all.

use std::{
    io::{self, Write},
    ops::Range,
};

use rayon::prelude::*;

use pqseal_records::{
    Problem,
    find::Change,
    looks,
    split::{Slot, SlotKind},
};

use super::{
    Observer, Pipeline,
    array::Array,
    chunk::{Chunk, Failing},
    doubt::Doubt,
};
use crate::{
    batch::{CHUNK, Failure, Transform},
    error::Error,
    frame::{Batch, Framing},
    input::{Input, InputError, Progress},
    process::{Done, process},
    reason::Reason,
    shape::Shape,
    stats::Stats,
    warning::Warning,
};

/// An input, with the state of its processing.
pub(super) struct Course<'a, T> {
    pipeline: &'a Pipeline<T>,
    shape: Shape<'a>,
    source: &'a str,
    progress: Progress,
    on: Threads,
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
    array: Array,
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
pub(super) struct Opened {
    chunks: Vec<Chunk>,
    pub(super) stats: Stats,
    /// See [`Batch::pauses`].
    pub(super) pauses: bool,
}

impl<'a, T: Transform> Course<'a, T> {
    pub(super) fn new(
        pipeline: &'a Pipeline<T>,
        input: &Input<'_>,
        framing: Framing,
        source: &'a str,
        on: Threads,
    ) -> Self {
        Self {
            pipeline,
            shape: Shape::new(framing, &pipeline.rules, pipeline.transform.seals()),
            source,
            progress: input.progress(),
            on,
            total: Stats::default(),
            read: 0,
            first: None,
            zeros: 0,
            doubt: None,
            array: Array::default(),
            has_end: false,
        }
    }

    /// Sets the doubt after the records before this input, whose records may be damaged.
    pub(super) fn of_input(self, doubt: &'a mut Doubt) -> Self {
        let is_sealed = self.pipeline.transform.seals() && !self.shape.is_table();
        Self {
            doubt: is_sealed.then_some(doubt),
            ..self
        }
    }

    /// Opens the next batch, and reports its warnings and dead letters.
    pub(super) fn open(
        &mut self,
        mut batch: Batch,
        observer: &mut impl Observer,
    ) -> Result<Opened, Error> {
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
            self.first = batch.slots.first().map(|slot| sample(&batch, slot));
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
        let ends = |reason: &Reason| self.pipeline.strict || reason.ends_run();
        if let Some((number, reason)) = failed.find(|(_, reason)| ends(reason)).cloned() {
            return Err(Error::Record { number, reason });
        }
        for letter in chunks.iter().flat_map(|chunk| &chunk.letters) {
            observer.dead_letter(letter).map_err(Error::Letter)?;
        }
        if chunks.iter().any(|chunk| !chunk.letters.is_empty()) {
            observer.letters_done().map_err(Error::Letter)?;
        }
        Ok(Opened {
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
    ) -> (Result<(), Error>, Option<Opened>) {
        let read = match read.map_err(Error::reading) {
            Err(Error::Input(InputError::OpenArray)) if self.has_end => Ok(()),
            read => read,
        };
        let end = self.array.end().filter(|_| read.is_ok());
        let rest = end.map(|end| {
            let chunk = Chunk::verbatim(end);
            self.count(&chunk.stats, observer);
            Opened {
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
                kind: SlotKind::Part(self.array.between_parts()),
            }];
            return self.chunks(batch, wants_letters);
        }
        if !doubt.is_raised() {
            let chunks = self.chunks(batch, wants_letters);
            if !chunks.iter().any(Chunk::is_damaged) {
                return chunks;
            }
        }
        let (shape, largest) = (&self.shape, self.pipeline.limits.record);
        if let Some(doubt) = &mut self.doubt {
            let has_field = |record: &[u8]| shape.finder().record(record).has_field();
            doubt.mark(batch, largest, has_field);
        }
        self.chunks(batch, wants_letters)
    }

    fn chunks(&self, batch: &Batch, wants_letters: bool) -> Vec<Chunk> {
        let pool = &self.pipeline.pool;
        let size = match self.on {
            Threads::This => CHUNK,
            Threads::Pool => batch.slots.len() / (2 * pool.current_num_threads()),
        };
        let groups: Vec<_> = batch.slots.chunks(size.clamp(16, CHUNK)).collect();
        if groups.is_empty() {
            return vec![match self.explodes() {
                true => Chunk::default(),
                false => Chunk::verbatim(&batch.bytes),
            }];
        }
        let start = |group: usize| match group {
            0 => 0,
            _ => groups[group][0].range.start,
        };
        let end = |group: usize| match group + 1 == groups.len() {
            true => batch.bytes.len(),
            false => start(group + 1),
        };
        let failing = Failing {
            pipeline: self.pipeline,
            source: wants_letters.then_some(self.source),
            whole: self.shape.whole(),
            array: self.array,
        };
        let chunk = |group: usize| {
            let stretch = start(group)..end(group);
            self.chunk(batch, groups[group], stretch, &failing)
        };
        let all = 0..groups.len();
        match self.on {
            Threads::This => all.map(chunk).collect(),
            Threads::Pool => pool.install(|| all.into_par_iter().map(chunk).collect()),
        }
    }

    fn chunk(
        &self,
        batch: &Batch,
        slots: &[Slot],
        stretch: Range<usize>,
        failing: &Failing<'_, T>,
    ) -> Chunk {
        let record = |slot: &Slot| &batch.bytes[slot.range.clone()];
        let finder = self.shape.finder();
        let find = |slot: &Slot| {
            let found = finder.slot(record(slot), slot.kind);
            found.numbered(slot.number)
        };
        let records = slots.iter().filter(|slot| slot.is_record());
        let finds: Vec<_> = records.map(find).collect();
        // Room for additions avoids repeated growth.
        let mut chunk = Chunk {
            bytes: Vec::with_capacity(stretch.len() + stretch.len() / 4),
            ..Chunk::default()
        };
        let mut stats = Stats::default();
        let mut all_done = process(&finds, &self.pipeline.transform, &mut stats);
        let mut events = 0;
        let (mut from, seals) = (stretch.start, self.pipeline.transform.seals());
        let explodes = self.explodes();
        let mut found = finds.iter();
        for slot in slots {
            if !explodes {
                chunk.between(&batch.bytes[from..slot.range.start]);
            }
            chunk.starts.push(chunk.bytes.len());
            from = slot.range.end;
            let done = match slot.is_record() {
                true => all_done.next().expect("something is done to each record"),
                false => Done {
                    failure: seals.then(|| Failure::new(self.of_part())),
                    ..Done::default()
                },
            };
            match done.failure {
                // The plaintext of the record must not pass.
                Some(failure) if seals => failing.take(failure, slot, batch, &mut chunk),
                failure => {
                    let found = slot.is_record().then(|| found.next()).flatten();
                    match found.filter(|_| explodes && slot.kind == SlotKind::Record) {
                        Some(found) => {
                            let out = &mut chunk.bytes;
                            let changes = done.changes;
                            events += finder.write_events(record(slot), found, changes, out);
                        }
                        None => self.write(slot, record(slot), done.changes, &mut chunk.bytes),
                    }
                    if let Some(failure) = failure {
                        failing.take(failure, slot, batch, &mut chunk);
                    }
                }
            }
        }
        if !explodes {
            chunk.between(&batch.bytes[from..stretch.end]);
        }
        drop(all_done);
        stats.events = events;
        chunk.stats.add(&stats);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }

    /// Reports whether each event of a record is written as a line, without what is between records.
    fn explodes(&self) -> bool {
        self.pipeline.explodes && !self.shape.is_table()
    }

    /// Returns the reason why only a part of a record is available.
    fn of_part(&self) -> Reason {
        match &self.doubt {
            Some(doubt) if doubt.lost().is_some() => Problem::BadJson.into(),
            _ => Problem::TooLarge.into(),
        }
    }

    fn write(&self, slot: &Slot, record: &[u8], changes: Vec<Change<'_>>, out: &mut Vec<u8>) {
        match slot.kind {
            SlotKind::Record => self.shape.finder().write_changed(record, changes, out),
            // No part of the record may be in the output.
            _ if self.shape.is_apart() => self.shape.finder().write_changed(b"", changes, out),
            _ => out.extend_from_slice(record),
        }
    }
}

impl Opened {
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

/// Returns the beginning of a record.
fn sample(batch: &Batch, slot: &Slot) -> Vec<u8> {
    let record = &batch.bytes[slot.range.clone()];
    record[..record.len().min(looks::SAMPLE)].to_vec()
}
