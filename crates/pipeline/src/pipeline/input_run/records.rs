//! The output for records: unchanged, with changed fields, sealed as a whole, or as dead letters.

use std::ops::Range;

use rayon::prelude::*;

use pqseal_records::{
    Found, Problem,
    find::Change,
    split::{Slot, SlotKind},
};

use super::{Chunk, InputRun, Threads};
use crate::{
    batches::Batch,
    dead_letter::{dead_letter, refused_letter, seal_whole, write_whole},
    opener::{CHUNK, Failure, Transform},
    process::{RecordResult, process},
    stats::Stats,
};

/// The number of bytes of a record that is too large in its dead letter.
const BEGINNING: usize = 1024;

impl<T: Transform> InputRun<'_, T> {
    pub(super) fn chunks(&self, batch: &Batch, wants_letters: bool) -> Vec<Chunk> {
        let pool = &self.pipeline.pool;
        let size = match self.threads {
            Threads::This => CHUNK,
            Threads::Pool => batch.slots.len() / (2 * pool.current_num_threads()),
        };
        // The records of each chunk, and its range in the batch.
        let mut groups: Vec<(&[Slot], Range<usize>)> = Vec::new();
        for slots in batch.slots.chunks(size.clamp(16, CHUNK)) {
            let mut start = 0;
            if let Some((_, range)) = groups.last_mut() {
                start = slots[0].range.start;
                range.end = start;
            }
            groups.push((slots, start..batch.bytes.len()));
        }
        if groups.is_empty() {
            return vec![match self.explodes() {
                true => Chunk::default(),
                false => Chunk::verbatim(&batch.bytes),
            }];
        }
        match self.threads {
            Threads::This => groups
                .into_iter()
                .map(|(slots, range)| self.chunk(batch, slots, range, wants_letters))
                .collect(),
            Threads::Pool => pool.install(|| {
                groups
                    .into_par_iter()
                    .map(|(slots, range)| self.chunk(batch, slots, range, wants_letters))
                    .collect()
            }),
        }
    }

    fn chunk(
        &self,
        batch: &Batch,
        slots: &[Slot],
        range: Range<usize>,
        wants_letters: bool,
    ) -> Chunk {
        let (finder, transform) = (self.shape.finder(), &self.pipeline.transform);
        let finds = slots.iter().filter(|slot| slot.is_record()).map(|slot| {
            let found = finder.slot(batch.record(slot), slot.kind);
            found.numbered(slot.number)
        });
        let finds: Vec<_> = finds.collect();
        // Room for additions avoids repeated growth.
        let mut chunk = Chunk {
            bytes: Vec::with_capacity(range.len() + range.len() / 4),
            starts: Vec::with_capacity(slots.len()),
            ..Chunk::default()
        };
        let mut stats = Stats::default();
        let mut results = finds.iter().zip(process(&finds, transform, &mut stats));
        // The reason why only a part of a record is available.
        let of_part = match &self.doubt {
            Some(doubt) if doubt.lost().is_some() => Problem::BadJson,
            _ => Problem::TooLarge,
        };
        let (mut events, mut from) = (0, range.start);
        let (seals, explodes) = (transform.seals(), self.explodes());
        for slot in slots {
            if !explodes {
                chunk.between(&batch.bytes[from..slot.range.start]);
            }
            chunk.starts.push(chunk.bytes.len());
            from = slot.range.end;
            let mut result = RecordResult {
                failure: seals.then(|| of_part.into()),
                ..RecordResult::default()
            };
            let mut found = None;
            if slot.is_record() {
                let next = results.next().expect("something is done to each record");
                (found, result) = (Some(next.0), next.1);
            }
            // The plaintext of a record that cannot be sealed must not pass.
            if !seals || result.failure.is_none() {
                events += self.write(slot, batch, found, result.changes, &mut chunk.bytes);
            }
            if let Some(failure) = result.failure {
                self.take_failed(failure, slot, batch, wants_letters, &mut chunk);
            }
        }
        if !explodes {
            chunk.between(&batch.bytes[from..range.end]);
        }
        drop(results);
        stats.events = events;
        chunk.stats.add(&stats);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }

    /// Writes the record in this slot with the changes to it. Returns the number of events, if each
    /// is written on a line.
    fn write(
        &self,
        slot: &Slot,
        batch: &Batch,
        found: Option<&Found<'_>>,
        changes: Vec<Change<'_>>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let (record, finder, explodes) = (batch.record(slot), self.shape.finder(), self.explodes());
        match (slot.kind, found) {
            (SlotKind::Record, Some(found)) if explodes => {
                return finder.write_events(record, found, changes, out);
            }
            (SlotKind::Record, _) => finder.write_changed(record, changes, out),
            // No part of the record may be in the output.
            _ if self.shape.is_apart() => finder.write_changed(b"", changes, out),
            _ => {
                out.extend_from_slice(record);
                let continues = batch.is_unfinished && batch.slots.last() == Some(slot);
                let has_end = match record {
                    [] => batch.follows_line_end,
                    record => record.ends_with(b"\n"),
                };
                out.extend((explodes && !continues && !has_end).then_some(b'\n'));
            }
        }
        0
    }

    /// Handles the failed record in this slot. When opening, the record is already in `chunk`, and
    /// gets a dead letter. When sealing, the record is sealed as a whole, or ends the run.
    fn take_failed(
        &self,
        failure: Failure,
        slot: &Slot,
        batch: &Batch,
        wants_letters: bool,
        chunk: &mut Chunk,
    ) {
        let (record, transform) = (batch.record(slot), &self.pipeline.transform);
        if !transform.seals() {
            // Only a part of a record that is too large is available.
            let shown = match slot.kind {
                SlotKind::Record => record,
                _ => &record[..record.len().min(BEGINNING)],
            };
            if wants_letters {
                let letter = dead_letter(self.source, slot.number, &failure, shown);
                chunk.letters.push(letter);
            }
            return chunk.fail(slot, failure);
        }
        let whole = self.shape.whole();
        let has_place = whole.is_some() || wants_letters;
        if !has_place || !self.pipeline.seals_whole(&failure.reason) {
            return chunk.fail(slot, failure);
        }
        let is_part = matches!(slot.kind, SlotKind::Part(_));
        let (explodes, has_values) = (self.explodes(), batch.has_values);
        // Each event has its line end instead.
        if !explodes {
            chunk.bytes.extend(self.separator_before(slot, batch));
        }
        if !record.is_empty() {
            let blob = match seal_whole(record, &failure.reason, transform) {
                Ok(blob) => blob,
                Err(failure) => return chunk.fail(slot, failure),
            };
            if let Some(name) = whole {
                write_whole(name, &blob, &mut chunk.bytes);
                chunk.bytes.extend(explodes.then_some(b'\n'));
            } else {
                let letter = refused_letter(self.source, slot.number, &failure.reason, &blob);
                chunk.letters.push(letter);
            }
        }
        match whole {
            Some(_) => {}
            // A value in an array has commas around it.
            None if has_values && !is_part && !explodes => chunk.bytes.extend_from_slice(b"null"),
            None => chunk.skips_line = !has_values,
        }
        if !is_part {
            chunk.stats.refused(failure.code(), whole.is_some());
        }
    }

    /// Returns the separator to write before the object that replaces the record in this slot,
    /// unless the input already has one there.
    fn separator_before(&self, slot: &Slot, batch: &Batch) -> Option<u8> {
        match slot.kind {
            SlotKind::Part(separator) => {
                Some(separator).filter(|_| self.shape.whole().is_some() && !slot.range.is_empty())
            }
            // A value that extends to the end of the input may directly follow another value.
            _ if batch.has_values && batch.slots.last() == Some(slot) => {
                self.array.before_last(batch).separator()
            }
            _ => None,
        }
    }
}
