//! Parquet files. The output has the same rows and columns, with results in columns after the
//! table's own or within the JSON of a cell.
//!
//! A column without changes is not decoded: its pages are copied. Row groups are kept, so memory
//! holds a batch of rows and the new columns of one row group, encoded and compressed.
//!
//! ```no_run
//! use std::fs::File;
//!
//! use pqseal_pipeline::{Observer, Opener, Pipeline, Stats, parquet};
//! use pqseal_records::Rules;
//!
//! struct Quiet;
//!
//! impl Observer for Quiet {
//!     fn batch(&mut self, _stats: &Stats) {}
//! }
//!
//! // With the keys of a key file added.
//! let opener = Opener::new(pqseal_matched_data::KeyRing::new());
//! let pipeline = Pipeline::new(opener, Rules::default(), 0)?;
//! let (file, mut out) = (File::open("events.parquet")?, File::create("opened.parquet")?);
//! let stats = parquet::run(&pipeline, &file, &mut out, "events.parquet", &mut Quiet)?;
//! println!("{} of {} records opened", stats.opened, stats.records);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::{
    fs::File,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use bytes::Bytes;
use parquet::{
    bloom_filter::Sbbf,
    column::writer::ColumnCloseResult,
    errors::ParquetError,
    file::{
        metadata::ColumnChunkMetaData,
        reader::ChunkReader,
        writer::{SerializedFileWriter, SerializedRowGroupWriter, TrackedWrite},
    },
};
use pqseal_records::{
    Found, Problem,
    find::{Change, Text},
};
use rayon::prelude::*;

use crate::{
    Pipeline,
    batch::{CHUNK, Transform},
    content::Content,
    error::Error,
    input::{Feature, InputError, READS_PARQUET},
    pipeline::Observer,
    process::{Done, process},
    shape::warnings,
    stats::Stats,
    warning::Warning,
};

mod blocks;
mod column;
mod encrypted;
mod failed;
mod key_values;
mod table;

use blocks::Blocks;
use column::{Cells, Column, Encoder};
use table::Table;

/// The number of rows that are held at a time.
const BATCH: usize = 1024;

/// Processes a Parquet file with `pipeline` and writes the result to `writer`. `source` is its name
/// in dead letters.
///
/// # Errors
/// See [`Error`]. [`InputError::NotInThisBuild`] on big-endian processors,
/// [`InputError::EncryptedParquet`], [`InputError::ParquetCodec`], and [`InputError::Parquet`] or
/// [`InputError::DamagedParquet`] if the file is damaged.
pub fn run<T: Transform>(
    pipeline: &Pipeline<T>,
    file: &File,
    writer: &mut (impl Write + Send),
    source: &str,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    let file = file.try_clone().map_err(Error::Read)?;
    run_chunks(pipeline, Arc::new(file), writer, source, observer)
}

/// Processes a file or an object, like [`run`]. Only the necessary ranges are read.
///
/// # Errors
/// See [`run`].
pub fn run_content<T: Transform>(
    pipeline: &Pipeline<T>,
    content: &Content,
    writer: &mut (impl Write + Send),
    source: &str,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    match content {
        Content::File(file) => run(pipeline, file, writer, source, observer),
        Content::Object(object) => {
            let blocks = Arc::new(Blocks::new(object.clone()));
            run_chunks(pipeline, blocks, writer, source, observer)
        }
    }
}

fn run_chunks<T: Transform, R: ChunkReader + 'static>(
    pipeline: &Pipeline<T>,
    file: Arc<R>,
    writer: &mut (impl Write + Send),
    source: &str,
    observer: &mut impl Observer,
) -> Result<Stats, Error> {
    if !READS_PARQUET {
        return Err(Error::Input(InputError::NotInThisBuild(Feature::Parquet)));
    }
    let mut output = Output {
        inner: writer,
        written: 0,
        failed: None,
    };
    // The parquet crate panics if a damaged file violates its assertions. The state at that point
    // is not used again.
    let ran = catch_unwind(AssertUnwindSafe(|| {
        Run::new(pipeline, file, source)?.all(&mut output, observer)
    }));
    if let Some(error) = output.failed {
        return Err(Error::Write(error));
    }
    ran.unwrap_or(Err(Error::Input(InputError::DamagedParquet)))
}

/// The processing of a file.
struct Run<'a, T, R> {
    pipeline: &'a Pipeline<T>,
    file: Arc<R>,
    source: &'a str,
    table: Table,
}

impl<'a, T: Transform, R: ChunkReader + 'static> Run<'a, T, R> {
    fn new(pipeline: &'a Pipeline<T>, file: Arc<R>, source: &'a str) -> Result<Self, Error> {
        let table = Table::read(&*file, &pipeline.rules, !pipeline.transform.seals())?;
        Ok(Self {
            pipeline,
            file,
            source,
            table,
        })
    }

    fn all(
        &self,
        output: &mut Output<'_, impl Write + Send>,
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let (layout, rules) = (&self.table.layout, &self.pipeline.rules);
        for warning in warnings(layout, rules, &self.table.names) {
            observer.warning(self.source, &warning);
        }
        if layout.seals && self.table.metadata.file_metadata().num_rows() == 0 {
            observer.warning(self.source, &Warning::NoRows);
        }
        if !self.table.left_out.is_empty() {
            let keys = self.table.left_out.clone();
            observer.warning(self.source, &Warning::MetadataLeftOut { keys });
        }
        let mut total = Stats::default();
        let schema = self.table.schema.root_schema_ptr();
        let mut writer =
            SerializedFileWriter::new(&mut *output, schema, self.table.properties.clone())?;
        let mut first = 1;
        for group in 0..self.table.metadata.num_row_groups() {
            let mut out = writer.next_row_group()?;
            RowGroup::new(self, group, first)?.all(&mut out, &mut total, observer)?;
            out.close()?;
            first += self.table.rows(group)? as u64;
            let size = self.table.metadata.row_group(group).compressed_size();
            observer.progress(size.unsigned_abs());
        }
        writer.close()?;
        let ends = Stats {
            bytes_in: self.file.len(),
            bytes_out: output.written,
            ..Stats::default()
        };
        observer.batch(&ends);
        total.add(&ends);
        Ok(total)
    }
}

/// The processing of a row group.
struct RowGroup<'r, T, R> {
    run: &'r Run<'r, T, R>,
    group: usize,
    /// The number of its first row, from 1.
    first: u64,
    rows: usize,
    /// The columns that are read.
    columns: Vec<Option<Column>>,
}

impl<'r, T: Transform, R: ChunkReader + 'static> RowGroup<'r, T, R> {
    fn new(run: &'r Run<'r, T, R>, group: usize, first: u64) -> Result<Self, Error> {
        let rows = run.table.rows(group)?;
        let open = |column| {
            run.table
                .is_read(column)
                .then(|| Column::open(&run.file, run.table.chunk(group, column), rows))
        };
        let columns = (0..run.table.layout.columns).map(|column| open(column).transpose());
        Ok(Self {
            run,
            group,
            first,
            rows,
            columns: columns.collect::<Result<_, _>>()?,
        })
    }

    fn all(
        mut self,
        out: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
        total: &mut Stats,
        observer: &mut impl Observer,
    ) -> Result<(), Error> {
        let table = &self.run.table;
        let mut sinks: Vec<_> = (0..table.layout.width())
            .map(|_| TrackedWrite::new(Vec::new()))
            .collect();
        let mut encoders: Vec<_> = sinks
            .iter_mut()
            .enumerate()
            .map(|(at, sink)| Encoder::new(table, at, sink))
            .collect();
        for start in (0..self.rows).step_by(BATCH) {
            let stats = self.batch(start, &mut encoders, observer)?;
            observer.batch(&stats);
            total.add(&stats);
        }
        let closed = encoders
            .into_iter()
            .map(Encoder::close)
            .collect::<Result<Vec<_>, _>>()?;
        for ((column, sink), closed) in sinks.into_iter().enumerate().zip(closed) {
            match closed {
                Some(closed) => out.append_column(&Bytes::from(sink.into_inner()?), closed)?,
                None => self.copy(column, out)?,
            }
        }
        Ok(())
    }

    /// Processes a batch of rows and writes it to the columns that are rewritten.
    fn batch(
        &mut self,
        start: usize,
        encoders: &mut [Encoder<'_, '_>],
        observer: &mut impl Observer,
    ) -> Result<Stats, Error> {
        let rows = BATCH.min(self.rows - start);
        let read = self
            .columns
            .iter_mut()
            .map(|column| column.as_mut().map(|column| column.read(rows)).transpose());
        let mut cells: Vec<Option<Cells>> = read.collect::<Result<_, _>>()?;
        let (mut all_done, mut stats) = self.open(&cells, rows);
        self.tell(&cells, &mut all_done, start, &mut stats, observer)?;
        cells.resize_with(encoders.len(), || Some(Cells::nulls(rows)));
        for (row, done) in all_done.into_iter().enumerate() {
            for change in done.changes {
                let encoder = &mut encoders[change.column];
                if !encoder.is_begun() {
                    let table = &self.run.table;
                    let chunk = table.chunk(self.group, change.column);
                    encoder.begin_with(Column::open(&self.run.file, chunk, self.rows)?, start)?;
                }
                let Some(cells) = &mut cells[change.column] else {
                    continue;
                };
                encoder.change(cells, row, change.text.map(Text::into_bytes));
            }
        }
        let begun = encoders
            .iter_mut()
            .zip(&cells)
            .filter(|(encoder, _)| encoder.is_begun());
        for (encoder, cells) in
            begun.filter_map(|(encoder, cells)| Some((encoder, cells.as_ref()?)))
        {
            encoder.write(cells)?;
        }
        Ok(stats)
    }

    fn open(&self, cells: &[Option<Cells>], rows: usize) -> (Vec<Done<'static>>, Stats) {
        let Pipeline {
            transform,
            pool,
            limits,
            ..
        } = self.run.pipeline;
        let layout = &self.run.table.layout;
        let find = |row: usize| {
            let size: usize = cells
                .iter()
                .flatten()
                .filter_map(|cells| cells.text(row))
                .map(<[u8]>::len)
                .sum();
            match size > limits.record {
                true => Found::bad(layout, Some(Problem::TooLarge)),
                false => Found::new(layout, |column| {
                    Some(cells.get(column)?.as_ref()?.text(row)?.into())
                }),
            }
        };
        let chunk = |start: usize| {
            let finds: Vec<_> = (start..rows.min(start + CHUNK)).map(find).collect();
            let mut stats = Stats::default();
            let done = process(&finds, transform, &mut stats).map(owned);
            let done: Vec<_> = done.collect();
            (done, stats)
        };
        let starts: Vec<_> = (0..rows).step_by(CHUNK).collect();
        let chunks: Vec<_> = pool.install(|| starts.into_par_iter().map(chunk).collect());
        let mut stats = Stats::default();
        chunks.iter().for_each(|(_, counted)| stats.add(counted));
        (
            chunks.into_iter().flat_map(|(done, _)| done).collect(),
            stats,
        )
    }

    /// Copies a column unchanged, with the file's metadata of its pages.
    fn copy(
        &self,
        column: usize,
        out: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    ) -> Result<(), ParquetError> {
        let chunk: &ColumnChunkMetaData = self.run.table.chunk(self.group, column);
        let index = self.run.table.metadata.page_index();
        let closed = ColumnCloseResult {
            bytes_written: chunk.compressed_size().unsigned_abs(),
            rows_written: self.rows as u64,
            metadata: chunk.clone(),
            bloom_filter: Sbbf::read_from_column_chunk(chunk, &*self.run.file)?,
            column_index: index
                .and_then(|index| index.column_index(self.group, column))
                .cloned(),
            offset_index: index
                .and_then(|index| index.offset_index(self.group, column))
                .cloned(),
        };
        out.append_column(&*self.run.file, closed)
    }
}

/// Copies the changes, so that they do not borrow from the record.
fn owned(done: Done<'_>) -> Done<'static> {
    let changes = done.changes.into_iter().map(Change::into_owned);
    Done {
        changes: changes.collect(),
        failure: done.failure,
    }
}

/// A writer that records its own errors, which the parquet crate reports like those of the file
/// that is read.
struct Output<'w, W> {
    inner: &'w mut W,
    written: u64,
    failed: Option<io::Error>,
}

impl<W: Write> Write for Output<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.written += *written.as_ref().unwrap_or(&0) as u64;
        written.map_err(|error| self.fail(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(|error| self.fail(error))
    }
}

impl<W> Output<'_, W> {
    fn fail(&mut self, error: io::Error) -> io::Error {
        let copy = io::Error::new(error.kind(), error.to_string());
        if error.kind() != io::ErrorKind::Interrupted {
            self.failed = Some(error);
        }
        copy
    }
}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => Self::Read(*error),
                Err(error) => Self::Read(io::Error::other(error)),
            },
            // Without `Parquet error: `, which adds nothing.
            ParquetError::General(error) => Self::Input(InputError::Parquet(error.into())),
            error => Self::Input(InputError::Parquet(error.into())),
        }
    }
}
