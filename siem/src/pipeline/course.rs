//! One input on its way through a pipeline: its batches in order, their records on one thread or
//! on all.

use std::{
    io::{self, Write},
    ops::Range,
};

use rayon::prelude::*;

use super::{Observer, Pipeline};
use crate::{
    batch::{CHUNK, Transform},
    dead_letter::dead_letter,
    error::Error,
    find::process,
    frame::{Batch, Framing, Slot},
    input::{Input, Progress},
    looks,
    reason::Reason,
    shape::Shape,
    stats::Stats,
    warning::Warning,
};

/// An input, and what is known of it by now.
pub(super) struct Course<'a, T> {
    pipeline: &'a Pipeline<T>,
    shape: Shape<'a>,
    source: &'a str,
    progress: Progress,
    on: Threads,
    total: Stats,
    /// How many of its bytes were read when the last batch was counted.
    read: u64,
    /// How its first record begins.
    first: Option<Vec<u8>>,
}

/// Where the records of a batch are opened.
#[derive(Clone, Copy)]
pub(super) enum Threads {
    /// On the calling thread.
    This,
    /// On those of the pool.
    Pool,
}

/// What comes of a batch.
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
            shape: Shape::new(framing, &pipeline.rules, !pipeline.transform.seals()),
            source,
            progress: input.progress(),
            on,
            total: Stats::default(),
            read: 0,
            first: None,
        }
    }

    /// Opens the next batch, and tells its warnings and dead letters.
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
        if self.first.is_none() {
            self.first = batch.slots.first().map(|slot| sample(&batch, slot));
        }
        let chunks = self.chunks(&batch, observer.wants_letters());
        chunks.iter().for_each(|chunk| stats.add(&chunk.stats));
        let mut failed = chunks.iter().filter_map(|chunk| chunk.failed.as_ref());
        let ends = |reason: &Reason| self.pipeline.strict || reason.ends_run();
        if let Some((number, reason)) = failed.find(|(_, reason)| ends(reason)).cloned() {
            return Err(Error::Record { number, reason });
        }
        for letter in chunks.iter().flat_map(|chunk| &chunk.letters) {
            observer.dead_letter(letter).map_err(Error::Letter)?;
        }
        Ok(Opened {
            chunks,
            stats,
            pauses: batch.pauses,
        })
    }

    /// Counts a batch that was handed on.
    pub(super) fn count(&mut self, stats: &Stats, observer: &mut impl Observer) {
        self.total.add(stats);
        let before = std::mem::replace(&mut self.read, self.progress.read());
        observer.progress(self.read - before);
        observer.batch(stats);
    }

    /// Tells what is known at the end, and gives the counters.
    pub(super) fn end(self, observer: &mut impl Observer) -> Stats {
        let zeros = self.progress.zeros();
        if zeros > 0 {
            observer.warning(self.source, &Warning::TrailingZeros { count: zeros });
        }
        let is_bad = matches!(self.shape, Shape::Document(_))
            && self.total.failed.get("bad_json") == Some(&self.total.records);
        if let Some(first) = self.first.filter(|_| is_bad) {
            observer.warning(self.source, &Warning::NotJson { first });
        }
        self.total
    }

    fn chunks(&self, batch: &Batch, wants_letters: bool) -> Vec<Chunk> {
        let pool = &self.pipeline.pool;
        let size = match self.on {
            Threads::This => CHUNK,
            Threads::Pool => batch.slots.len() / (2 * pool.current_num_threads()),
        };
        let groups: Vec<_> = batch.slots.chunks(size.clamp(16, CHUNK)).collect();
        if groups.is_empty() {
            return vec![Chunk::verbatim(&batch.bytes)];
        }
        let start = |group: usize| match group {
            0 => 0,
            _ => groups[group][0].range.start,
        };
        let end = |group: usize| match group + 1 == groups.len() {
            true => batch.bytes.len(),
            false => start(group + 1),
        };
        let source = wants_letters.then_some(self.source);
        let chunk = |group: usize| {
            let stretch = start(group)..end(group);
            self.chunk(batch, groups[group], stretch, source)
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
        source: Option<&str>,
    ) -> Chunk {
        let record = |slot: &Slot| &batch.bytes[slot.range.clone()];
        let find = |slot| self.shape.find(record(slot));
        let finds: Vec<_> = slots.iter().map(find).collect();
        // Room for what is added, so that it does not grow piece by piece.
        let mut chunk = Chunk {
            bytes: Vec::with_capacity(stretch.len() + stretch.len() / 4),
            ..Chunk::default()
        };
        let all_done = process(&finds, &self.pipeline.transform, &mut chunk.stats);
        let mut from = stretch.start;
        for (slot, done) in slots.iter().zip(all_done) {
            chunk
                .bytes
                .extend_from_slice(&batch.bytes[from..slot.range.start]);
            chunk.starts.push(chunk.bytes.len());
            self.shape
                .write(record(slot), done.changes, &mut chunk.bytes);
            if let Some(failure) = done.failure {
                chunk.letters.extend(
                    source.map(|source| dead_letter(source, slot.number, &failure, record(slot))),
                );
                if chunk.failed.is_none() || failure.reason.ends_run() {
                    chunk.failed = Some((slot.number, failure.reason));
                }
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

impl Opened {
    pub(super) fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        self.chunks
            .iter()
            .try_for_each(|chunk| writer.write_all(&chunk.bytes))
    }

    /// The records of a batch that has nothing between them.
    pub(super) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.chunks.iter().flat_map(|chunk| {
            let ends = chunk.starts.iter().skip(1).copied();
            let ends = ends.chain([chunk.bytes.len()]);
            let ranges = chunk.starts.iter().zip(ends);
            ranges.map(|(start, end)| &chunk.bytes[*start..end])
        })
    }
}

/// What comes of some records of a batch, and what stands between them.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// Where in them each record starts. One that was too large ends where the next one starts.
    starts: Vec<usize>,
    stats: Stats,
    letters: Vec<Vec<u8>>,
    failed: Option<(u64, Reason)>,
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
