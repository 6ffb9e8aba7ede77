//! The rows of a row group: cells are read as texts, and columns with changes are written in
//! batches.

use std::{io::Write, sync::Arc};

use bytes::Bytes;
use parquet::{
    basic::Type as Physical,
    bloom_filter::Sbbf,
    column::{
        reader::ColumnReaderImpl,
        writer::{ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer},
    },
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type},
    errors::{ParquetError, Result as ParquetResult},
    file::{
        metadata::ColumnChunkMetaData,
        reader::ChunkReader,
        serialized_reader::SerializedPageReader,
        writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite},
    },
};
use pqseal_keys::base64;
use pqseal_records::{
    Found, Problem,
    find::{Change, Text},
    json,
    layout::Target,
    splice::write_name,
};
use rayon::prelude::*;

use super::{FileRun, Table};
use crate::{
    Pipeline,
    dead_letter::{dead_letter, refused_letter, seal_whole},
    error::Error,
    opener::{CHUNK, Failure, Transform},
    pipeline::Observer,
    process::{RecordResult, process},
    stats::Stats,
};

/// The number of rows that are held at a time.
const BATCH: usize = 1024;

/// Processes a row group, whose first row has the number `first`, and writes it to `out`.
pub(super) fn write_group<T: Transform, R: ChunkReader + 'static>(
    run: &FileRun<'_, T, R>,
    group: usize,
    first: u64,
    out: &mut SerializedRowGroupWriter<'_, impl Write + Send>,
    total: &mut Stats,
    observer: &mut impl Observer,
) -> Result<(), Error> {
    let (table, rows) = (&run.table, run.table.rows(group)?);
    let columns = (0..table.layout.columns).map(|column| match table.is_read(column) {
        true => Column::open(&run.file, table.chunk(group, column), rows).map(Some),
        false => Ok(None),
    });
    let mut group = RowGroup {
        run,
        group,
        first,
        rows,
        columns: columns.collect::<Result<_, _>>()?,
    };
    let mut sinks: Vec<_> = (0..table.layout.width())
        .map(|_| TrackedWrite::new(Vec::new()))
        .collect();
    let mut encoders: Vec<_> = sinks
        .iter_mut()
        .enumerate()
        .map(|(at, sink)| Encoder::new(table, at, sink))
        .collect();
    for start in (0..rows).step_by(BATCH) {
        let stats = group.batch(start, &mut encoders, observer)?;
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
            None => group.copy(column, out)?,
        }
    }
    Ok(())
}

/// The processing of a row group.
struct RowGroup<'r, T, R> {
    run: &'r FileRun<'r, T, R>,
    group: usize,
    /// The number of its first row, from 1.
    first: u64,
    rows: usize,
    /// The columns that are read.
    columns: Vec<Option<Column>>,
}

impl<T: Transform, R: ChunkReader + 'static> RowGroup<'_, T, R> {
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
        let (mut results, mut stats) = self.open(&cells, rows);
        self.take_failed(&cells, &mut results, start, &mut stats, observer)?;
        cells.resize_with(encoders.len(), || {
            Some(Cells {
                levels: vec![0; rows],
                texts: vec![None; rows],
            })
        });
        for (row, result) in results.into_iter().enumerate() {
            for change in result.changes {
                let encoder = &mut encoders[change.column];
                if !encoder.is_begun() {
                    // The rows before this batch are copied from the file.
                    let chunk = self.run.table.chunk(self.group, change.column);
                    let mut column = Column::open(&self.run.file, chunk, self.rows)?;
                    encoder.begin();
                    for from in (0..start).step_by(BATCH) {
                        encoder.write(&column.read(BATCH.min(start - from))?)?;
                    }
                }
                let Some(cells) = &mut cells[change.column] else {
                    continue;
                };
                encoder.change(cells, row, change.text.map(Text::into_bytes));
            }
        }
        for (encoder, cells) in encoders.iter_mut().zip(cells) {
            if let Some(cells) = cells.filter(|_| encoder.is_begun()) {
                encoder.write(&cells)?;
            }
        }
        Ok(stats)
    }

    fn open(&self, cells: &[Option<Cells>], rows: usize) -> (Vec<RecordResult<'static>>, Stats) {
        let Pipeline {
            transform,
            pool,
            limits,
            ..
        } = self.run.pipeline;
        let layout = &self.run.table.layout;
        let starts: Vec<_> = (0..rows).step_by(CHUNK).collect();
        let chunks: Vec<_> = pool.install(|| {
            let chunks = starts.into_par_iter().map(|start| {
                let rows = start..rows.min(start + CHUNK);
                let finds = rows.map(|row| {
                    let texts = cells.iter().flatten();
                    let texts = texts.filter_map(|cells| cells.text(row));
                    match texts.map(<[u8]>::len).sum::<usize>() > limits.record {
                        true => Found::unsearched(layout, Problem::TooLarge),
                        false => Found::new(layout, |column| {
                            Some(cells.get(column)?.as_ref()?.text(row)?.into())
                        }),
                    }
                });
                let finds: Vec<_> = finds.collect();
                let mut stats = Stats::default();
                // The changes are copied, so that they do not borrow from the record.
                let results = process(&finds, transform, &mut stats).map(|result| RecordResult {
                    changes: result.changes.into_iter().map(Change::into_owned).collect(),
                    failure: result.failure,
                });
                let results: Vec<_> = results.collect();
                (results, stats)
            });
            chunks.collect()
        });
        let mut stats = Stats::default();
        chunks.iter().for_each(|(_, counted)| stats.add(counted));
        (
            chunks
                .into_iter()
                .flat_map(|(results, _)| results)
                .collect(),
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

    /// Counts failed records. Opening writes a dead letter for each, or ends the run. When sealing,
    /// such a row is kept without the cells that were searched, since most columns are copied
    /// unchanged; those cells are sealed together.
    fn take_failed(
        &self,
        cells: &[Option<Cells>],
        results: &mut [RecordResult<'_>],
        start: usize,
        stats: &mut Stats,
        observer: &mut impl Observer,
    ) -> Result<(), Error> {
        let FileRun {
            pipeline, source, ..
        } = self.run;
        let layout = &self.run.table.layout;
        let mut has_letters = false;
        for (row, result) in results.iter_mut().enumerate() {
            let Some(failure) = &result.failure else {
                continue;
            };
            let number = self.first + (start + row) as u64;
            *stats.failed.entry(failure.code()).or_default() += 1;
            let ends_run = match layout.seals {
                true => !observer.wants_letters() || !pipeline.seals_whole(&failure.reason),
                false => pipeline.strict || failure.reason.ends_run(),
            };
            if ends_run {
                let reason = failure.reason.clone();
                return Err(Error::Record { number, reason });
            }
            if !observer.wants_letters() {
                continue;
            }
            let record = self.record(cells, row);
            let letter = if layout.seals {
                let blob = seal_whole(&record, &failure.reason, &pipeline.transform);
                let blob =
                    blob.map_err(|Failure { reason, .. }| Error::Record { number, reason })?;
                let empty = layout.targets.iter().map(|target| Change {
                    column: target.column(),
                    text: None,
                });
                result.changes = empty.collect();
                refused_letter(source, number, &failure.reason, &blob)
            } else {
                dead_letter(source, number, failure, &record)
            };
            observer.dead_letter(&letter).map_err(Error::Letter)?;
            has_letters = true;
        }
        match has_letters {
            true => observer.letters_done().map_err(Error::Letter),
            false => Ok(()),
        }
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

/// Some cells of a column.
struct Cells {
    /// The definition level of each cell: that of the column if there is a text, or else the depth
    /// at which it is null.
    levels: Vec<i16>,
    texts: Vec<Option<ByteArray>>,
}

/// A column that is read from its start.
struct Column {
    reader: Reader,
    max_level: i16,
}

enum Reader {
    Bytes(ColumnReaderImpl<ByteArrayType>),
    Int32(ColumnReaderImpl<Int32Type>),
    Int64(ColumnReaderImpl<Int64Type>),
    Bool(ColumnReaderImpl<BoolType>),
}

impl Cells {
    /// Returns the text of a cell, or `None` for null.
    fn text(&self, row: usize) -> Option<&[u8]> {
        self.texts[row].as_ref().map(ByteArray::data)
    }
}

impl Column {
    fn open<R: ChunkReader + 'static>(
        file: &Arc<R>,
        chunk: &ColumnChunkMetaData,
        rows: usize,
    ) -> ParquetResult<Self> {
        let pages = Box::new(SerializedPageReader::new(file.clone(), chunk, rows, None)?);
        let column = chunk.column_descr_ptr();
        let max_level = column.max_def_level();
        let reader = match column.physical_type() {
            Physical::BYTE_ARRAY => Reader::Bytes(ColumnReaderImpl::new(column, pages)),
            Physical::INT32 => Reader::Int32(ColumnReaderImpl::new(column, pages)),
            Physical::INT64 => Reader::Int64(ColumnReaderImpl::new(column, pages)),
            Physical::BOOLEAN => Reader::Bool(ColumnReaderImpl::new(column, pages)),
            other => return Err(ParquetError::NYI(format!("texts of {other}"))),
        };
        Ok(Self { reader, max_level })
    }

    fn read(&mut self, rows: usize) -> ParquetResult<Cells> {
        fn text(value: impl ToString) -> ByteArray {
            value.to_string().into_bytes().into()
        }
        match &mut self.reader {
            Reader::Bytes(reader) => read(reader, rows, self.max_level, |bytes| bytes),
            Reader::Int32(reader) => read(reader, rows, self.max_level, text),
            Reader::Int64(reader) => read(reader, rows, self.max_level, text),
            Reader::Bool(reader) => read(reader, rows, self.max_level, text),
        }
    }
}

fn read<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    max_level: i16,
    text: impl Fn(T::T) -> ByteArray,
) -> ParquetResult<Cells> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (found, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if found != rows {
        return Err(ParquetError::EOF(
            "a column has fewer values than its row group has rows".to_owned(),
        ));
    }
    if max_level == 0 {
        levels = vec![0; rows];
    }
    let mut values = values.into_iter().map(text);
    let texts = levels
        .iter()
        .map(|level| {
            if *level == max_level {
                values.next()
            } else {
                None
            }
        })
        .collect();
    Ok(Cells { levels, texts })
}

/// A column that is written as soon as something in it changes.
struct Encoder<'t, 's> {
    table: &'t Table,
    column: usize,
    max_level: i16,
    /// Set if the cell itself may be null, not only its parents.
    is_optional: bool,
    sink: Option<&'s mut TrackedWrite<Vec<u8>>>,
    writer: Option<ColumnWriterImpl<'s, ByteArrayType>>,
}

impl<'t, 's> Encoder<'t, 's> {
    /// Creates an encoder. Writing starts at once for new columns and for sealed ones, since the
    /// pages and statistics of the old column could contain more than its rows.
    fn new(table: &'t Table, column: usize, sink: &'s mut TrackedWrite<Vec<u8>>) -> Self {
        let descriptor = table.schema.column(column);
        let mut encoder = Self {
            table,
            column,
            max_level: descriptor.max_def_level(),
            is_optional: descriptor.self_type().is_optional(),
            sink: Some(sink),
            writer: None,
        };
        if column >= table.layout.columns || table.is_sealed(column) {
            encoder.begin();
        }
        encoder
    }

    fn is_begun(&self) -> bool {
        self.writer.is_some()
    }

    fn begin(&mut self) {
        let Some(sink) = self.sink.take() else { return };
        let pages = Box::new(SerializedPageWriter::new(sink));
        let column = self.table.schema.column(self.column);
        let writer = get_column_writer(column, self.table.properties.clone(), pages);
        self.writer = Some(get_typed_column_writer(writer));
    }

    /// Changes a cell, unless one of its parents is null.
    fn change(&self, cells: &mut Cells, row: usize, text: Option<Vec<u8>>) {
        let level = &mut cells.levels[row];
        if *level + 1 < self.max_level {
            return;
        }
        let text = if self.is_optional {
            text
        } else {
            Some(text.unwrap_or_default())
        };
        *level = self.max_level - i16::from(text.is_none());
        cells.texts[row] = text.map(ByteArray::from);
    }

    fn write(&mut self, cells: &Cells) -> ParquetResult<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let texts: Vec<_> = cells.texts.iter().flatten().cloned().collect();
        writer
            .write_batch(&texts, (self.max_level > 0).then_some(&cells.levels), None)
            .map(drop)
    }

    /// Completes the column. Returns `None` if nothing changed.
    fn close(self) -> ParquetResult<Option<ColumnCloseResult>> {
        self.writer.map(ColumnWriterImpl::close).transpose()
    }
}
