//! Rows that failed. Opening writes dead letters. When sealing, such a row is kept without the
//! cells that were searched, since most columns are copied unchanged; those cells are sealed
//! together.

use parquet::file::reader::ChunkReader;
use pqseal_keys::base64;

use pqseal_records::{find::Change, json, layout::Target, splice::write_name};

use super::{RowGroup, Run, column::Cells};
use crate::{
    batch::{Failure, Transform},
    dead_letter::dead_letter,
    error::Error,
    pipeline::Observer,
    process::Done,
    refused,
    stats::Stats,
};

impl<T: Transform, R: ChunkReader + 'static> RowGroup<'_, T, R> {
    /// Counts failed records. Writes a dead letter for each, or ends the run.
    pub(super) fn tell(
        &self,
        cells: &[Option<Cells>],
        all_done: &mut [Done<'_>],
        start: usize,
        stats: &mut Stats,
        observer: &mut impl Observer,
    ) -> Result<(), Error> {
        let Run {
            pipeline, source, ..
        } = self.run;
        let mut has_letters = false;
        for (row, done) in all_done.iter_mut().enumerate() {
            let Some(failure) = &done.failure else {
                continue;
            };
            let number = self.first + (start + row) as u64;
            *stats.failed.entry(failure.code()).or_default() += 1;
            let ends = |failure: &Failure| {
                let reason = failure.reason.clone();
                Err(Error::Record { number, reason })
            };
            let letter = match self.run.table.layout.seals {
                true if !observer.wants_letters() || !pipeline.seals_whole(&failure.reason) => {
                    return ends(failure);
                }
                true => {
                    let record = self.record(cells, row);
                    let blob = refused::seal(&record, &failure.reason, &pipeline.transform);
                    let blob = match blob {
                        Ok(blob) => blob,
                        Err(failure) => return ends(&failure),
                    };
                    let letter = refused::letter(source, number, &failure.reason, &blob);
                    done.changes = self.emptied();
                    letter
                }
                false if pipeline.strict || failure.reason.ends_run() => return ends(failure),
                false if !observer.wants_letters() => continue,
                false => dead_letter(source, number, failure, &self.record(cells, row)),
            };
            observer.dead_letter(&letter).map_err(Error::Letter)?;
            has_letters = true;
        }
        match has_letters {
            true => observer.letters_done().map_err(Error::Letter),
            false => Ok(()),
        }
    }

    /// Returns the changes that empty all searched cells of a row.
    fn emptied(&self) -> Vec<Change<'static>> {
        let targets = self.run.table.layout.targets.iter();
        let empty = |target: &Target| Change {
            column: target.column(),
            text: None,
        };
        targets.map(empty).collect()
    }

    /// Returns the searched cells of a row as an object. Column names may repeat.
    fn record(&self, cells: &[Option<Cells>], row: usize) -> Vec<u8> {
        let mut object = b"{".to_vec();
        for column in self.run.table.layout.targets.iter().map(Target::column) {
            let Some(text) = cells[column].as_ref().and_then(|cells| cells.text(row)) else {
                continue;
            };
            if object.len() > 1 {
                object.push(b',');
            }
            let name = &self.run.table.names[column];
            if std::str::from_utf8(text).is_ok() || !self.run.table.layout.seals {
                write_name(name, &mut object);
                json::write_string(text, &mut object);
            } else {
                // Bytes that are not UTF-8 are kept as base64.
                write_name(&format!("{name}_base64"), &mut object);
                json::write_string(base64::encode(text).as_bytes(), &mut object);
            }
        }
        object.push(b'}');
        object
    }
}
