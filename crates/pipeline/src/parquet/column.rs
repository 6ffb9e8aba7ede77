//! The cells of a column, read as texts and written in batches.

use std::sync::Arc;

use parquet::{
    basic::Type as Physical,
    column::{
        reader::ColumnReaderImpl,
        writer::{ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer},
    },
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type},
    errors::{ParquetError, Result},
    file::{
        metadata::ColumnChunkMetaData,
        reader::ChunkReader,
        serialized_reader::SerializedPageReader,
        writer::{SerializedPageWriter, TrackedWrite},
    },
};

use super::{BATCH, table::Table};

/// Some cells of a column.
pub(super) struct Cells {
    /// The definition level of each cell: that of the column if there is a text, or else the depth
    /// at which it is null.
    levels: Vec<i16>,
    texts: Vec<Option<ByteArray>>,
}

/// A column that is read from its start.
pub(super) struct Column {
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
    pub(super) fn nulls(rows: usize) -> Self {
        Self {
            levels: vec![0; rows],
            texts: vec![None; rows],
        }
    }

    /// Returns the text of a cell, or `None` for null.
    pub(super) fn text(&self, row: usize) -> Option<&[u8]> {
        self.texts[row].as_ref().map(ByteArray::data)
    }
}

impl Column {
    pub(super) fn open<R: ChunkReader + 'static>(
        file: &Arc<R>,
        chunk: &ColumnChunkMetaData,
        rows: usize,
    ) -> Result<Self> {
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

    pub(super) fn read(&mut self, rows: usize) -> Result<Cells> {
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
) -> Result<Cells> {
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
pub(super) struct Encoder<'t, 's> {
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
    pub(super) fn new(
        table: &'t Table,
        column: usize,
        sink: &'s mut TrackedWrite<Vec<u8>>,
    ) -> Self {
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

    pub(super) fn is_begun(&self) -> bool {
        self.writer.is_some()
    }

    fn begin(&mut self) {
        let Some(sink) = self.sink.take() else { return };
        let pages = Box::new(SerializedPageWriter::new(sink));
        let column = self.table.schema.column(self.column);
        let writer = get_column_writer(column, self.table.properties.clone(), pages);
        self.writer = Some(get_typed_column_writer(writer));
    }

    /// Starts writing, with the `before` first rows copied from the file.
    pub(super) fn begin_with(&mut self, mut column: Column, before: usize) -> Result<()> {
        self.begin();
        (0..before)
            .step_by(BATCH)
            .try_for_each(|start| self.write(&column.read(BATCH.min(before - start))?))
    }

    /// Changes a cell, unless one of its parents is null.
    pub(super) fn change(&self, cells: &mut Cells, row: usize, text: Option<Vec<u8>>) {
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

    pub(super) fn write(&mut self, cells: &Cells) -> Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let texts: Vec<_> = cells.texts.iter().flatten().cloned().collect();
        writer
            .write_batch(&texts, (self.max_level > 0).then_some(&cells.levels), None)
            .map(drop)
    }

    /// Completes the column. Returns `None` if nothing changed.
    pub(super) fn close(self) -> Result<Option<ColumnCloseResult>> {
        self.writer.map(ColumnWriterImpl::close).transpose()
    }
}
