//! The output for records: unchanged, with changed fields, sealed as a whole, or as dead letters.

use std::collections::BTreeMap;

use memchr::memchr;

use pqseal_records::{
    Problem,
    split::{Slot, SlotKind},
};

use super::{Pipeline, array::Array};
use crate::{
    batch::{Failure, Transform},
    dead_letter::dead_letter,
    frame::Batch,
    reason::Reason,
    refused,
    stats::Stats,
};

/// The number of bytes of a record that is too large in its dead letter.
const BEGINNING: usize = 1024;

/// The output of some records of a batch, with the bytes between them.
#[derive(Default)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// The start of each record in `bytes`. A record that was too large ends at the next start.
    pub(super) starts: Vec<usize>,
    pub(super) stats: Stats,
    pub(super) letters: Vec<Vec<u8>>,
    pub(super) failed: Option<(u64, Reason)>,
    /// The number of zeros between records, which are left out.
    pub(super) zeros: u64,
    /// Set if the end of the line is left out, too.
    pub(super) skips_line: bool,
}

/// The handling of records that failed.
pub(super) struct Failing<'p, T> {
    pub(super) pipeline: &'p Pipeline<T>,
    /// The name of the source, if dead letters are wanted.
    pub(super) source: Option<&'p str>,
    /// The member name in the object that replaces a record which cannot be sealed.
    pub(super) whole: Option<&'static str>,
    /// The array that contains the first record of the batch.
    pub(super) array: Array,
}

impl Chunk {
    pub(super) fn verbatim(bytes: &[u8]) -> Self {
        let mut chunk = Self::default();
        chunk.between(bytes);
        chunk.stats.bytes_out = chunk.bytes.len() as u64;
        chunk
    }

    /// Appends the bytes between two records, without zeros.
    pub(super) fn between(&mut self, bytes: &[u8]) {
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
    pub(super) fn is_damaged(&self) -> bool {
        // A record that is too deep was not read to its end.
        let codes = [Problem::BadJson, Problem::TooDeep].map(Problem::code);
        let is_in = |counts: &BTreeMap<_, _>| codes.iter().any(|code| counts.contains_key(code));
        is_in(&self.stats.whole) || is_in(&self.stats.failed)
    }

    fn fail(&mut self, slot: &Slot, failure: Failure) {
        *self.stats.failed.entry(failure.code()).or_default() += 1;
        if self.failed.is_none() || failure.reason.ends_run() {
            self.failed = Some((slot.number, failure.reason));
        }
    }
}

impl<T: Transform> Failing<'_, T> {
    /// Handles the failed record in this slot. When opening, the record is already in `chunk`, and
    /// gets a dead letter. When sealing, the record is sealed as a whole, or ends the run.
    pub(super) fn take(&self, failure: Failure, slot: &Slot, batch: &Batch, chunk: &mut Chunk) {
        let record = &batch.bytes[slot.range.clone()];
        if !self.pipeline.transform.seals() {
            // Only a part of a record that is too large is available.
            let shown = match slot.kind {
                SlotKind::Record => record,
                _ => &record[..record.len().min(BEGINNING)],
            };
            let letter = |source| dead_letter(source, slot.number, &failure, shown);
            chunk.letters.extend(self.source.map(letter));
            return chunk.fail(slot, failure);
        }
        let has_place = self.whole.is_some() || self.source.is_some();
        if !has_place || !self.pipeline.seals_whole(&failure.reason) {
            return chunk.fail(slot, failure);
        }
        let is_part = matches!(slot.kind, SlotKind::Part(_));
        // A value that extends to the end of the input may directly follow another value.
        if batch.has_values && !is_part && batch.slots.last() == Some(slot) {
            let place = self.array.before_last(batch);
            chunk.bytes.extend(place.separator());
        }
        if !record.is_empty() {
            let blob = refused::seal(record, &failure.reason, &self.pipeline.transform);
            match blob {
                Ok(blob) => self.put(&failure.reason, slot, &blob, chunk),
                Err(failure) => return chunk.fail(slot, failure),
            }
        }
        if self.whole.is_none() {
            // A value in an array has commas around it.
            match batch.has_values {
                true if !is_part => chunk.bytes.extend_from_slice(b"null"),
                true => {}
                false => chunk.skips_line = true,
            }
        }
        if !is_part {
            chunk.stats.refused(failure.code(), self.whole.is_some());
        }
    }

    fn put(&self, reason: &Reason, slot: &Slot, blob: &[u8], chunk: &mut Chunk) {
        match (self.whole, self.source) {
            (Some(name), _) => {
                if let SlotKind::Part(between) = slot.kind {
                    chunk.bytes.push(between);
                }
                refused::write_object(name, blob, &mut chunk.bytes);
            }
            (None, Some(source)) => {
                let letter = refused::letter(source, slot.number, reason, blob);
                chunk.letters.push(letter);
            }
            (None, None) => {}
        }
    }
}
