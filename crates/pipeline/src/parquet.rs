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
    collections::BTreeSet,
    fs::File,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use parquet::{
    errors::ParquetError,
    file::{
        metadata::{ColumnChunkMetaData, ParquetMetaData},
        properties::WriterPropertiesPtr,
        reader::ChunkReader,
        writer::SerializedFileWriter,
    },
    schema::types::SchemaDescPtr,
};
use pqseal_records::layout::Layout;

use crate::{
    Pipeline,
    content::Content,
    error::Error,
    input::{Feature, InputError, READS_PARQUET},
    opener::Transform,
    pipeline::Observer,
    shape::warnings,
    stats::Stats,
    warning::Warning,
};

mod blocks;
mod encrypted;
mod key_values;
mod rows;
mod table;

use blocks::Blocks;

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
    let mut output = CountingWriter {
        inner: writer,
        written: 0,
        failed: None,
    };
    // The parquet crate panics if a damaged file violates its assertions. The state at that point
    // is not used again.
    let ran = catch_unwind(AssertUnwindSafe(|| {
        let table = Table::read(&*file, &pipeline.rules, !pipeline.transform.seals())?;
        let run = FileRun {
            pipeline,
            file,
            source,
            table,
        };
        run.all(&mut output, observer)
    }));
    if let Some(error) = output.failed {
        return Err(Error::Write(error));
    }
    ran.unwrap_or(Err(Error::Input(InputError::DamagedParquet)))
}

/// The processing of a file.
struct FileRun<'a, T, R> {
    pipeline: &'a Pipeline<T>,
    file: Arc<R>,
    source: &'a str,
    table: Table,
}

impl<T: Transform, R: ChunkReader + 'static> FileRun<'_, T, R> {
    fn all(
        &self,
        output: &mut CountingWriter<'_, impl Write + Send>,
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
            rows::write_group(self, group, first, &mut out, &mut total, observer)?;
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

/// A table. Its columns are the leaves of the schema, named by their paths.
struct Table {
    metadata: ParquetMetaData,
    names: Vec<String>,
    layout: Layout,
    /// The schema of the output.
    schema: SchemaDescPtr,
    properties: WriterPropertiesPtr,
    /// The keys of metadata that is not in the output, since it may quote sealed values.
    left_out: Vec<String>,
    read: BTreeSet<usize>,
}

impl Table {
    fn rows(&self, group: usize) -> Result<usize, ParquetError> {
        self.metadata.row_group_num_rows(group)
    }

    fn chunk(&self, group: usize, column: usize) -> &ColumnChunkMetaData {
        self.metadata.row_group(group).column(column)
    }

    /// Reports whether this column of the file is sealed.
    fn is_sealed(&self, column: usize) -> bool {
        let mut targets = self.layout.targets.iter();
        self.layout.seals && targets.any(|target| target.column() == column)
    }

    /// Reports whether this column of the file is read.
    fn is_read(&self, column: usize) -> bool {
        self.read.contains(&column)
    }
}

/// A writer that records its own errors, which the parquet crate reports like those of the file
/// that is read.
struct CountingWriter<'w, W> {
    inner: &'w mut W,
    written: u64,
    failed: Option<io::Error>,
}

impl<W: Write> Write for CountingWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        self.written += *written.as_ref().unwrap_or(&0) as u64;
        written.map_err(|error| self.fail(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush().map_err(|error| self.fail(error))
    }
}

impl<W> CountingWriter<'_, W> {
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
