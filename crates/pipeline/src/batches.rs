//! The bounds of records in a stream: lines, JSON values, or rows of cells. Bytes between records
//! are passed on unchanged.

use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
    time::{Duration, Instant},
};

#[cfg(test)]
mod tests;

use pqseal_records::{
    csv,
    detect::{self, Detected, detect},
    split::{self, OpenArray, Slot, Splitter},
};

use crate::input::{self, Feature, Format, InputError, READS_PARQUET};

/// The maximum number of bytes that are read at once.
const READ: usize = 256 * 1024;
/// The time that a complete record waits for others, if input arrives slowly but without pauses.
const AGE: Duration = Duration::from_millis(250);

/// The separation of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// Lines, unless the input begins with `[` or with a line that is only `{`.
    #[default]
    Auto,
    /// One record per line (NDJSON).
    Lines,
    /// Concatenated JSON values. The items of arrays are records.
    Json,
    /// Rows of cells with this delimiter (RFC 4180). The first row is the header.
    Rows(u8),
    /// Rows of Parquet. It is not a stream: `parquet::run` reads it from a file.
    Parquet,
}

impl Framing {
    /// Comma-separated values.
    pub const CSV: Self = Self::Rows(b',');
    /// Tab-separated values.
    pub const TSV: Self = Self::Rows(b'\t');

    /// Returns the framing of a file of this name. If it is to be detected, the extension selects
    /// rows, which the bytes do not show.
    #[must_use]
    pub fn of(self, file: &Path) -> Self {
        let found = detect::of_name(file.as_os_str().as_encoded_bytes());
        match (self, found) {
            (Self::Auto, Some(split::Framing::Rows(delimiter))) => Self::Rows(delimiter),
            _ => self,
        }
    }

    /// Reports whether the file is Parquet and is to be read as such. Without the feature
    /// `parquet`, and on big-endian processors, the result is always `false`, and a
    /// [`Pipeline`](crate::Pipeline) refuses Parquet with [`InputError::NotInThisBuild`].
    ///
    /// # Errors
    /// An error if the file cannot be read.
    pub fn is_parquet(self, file: &File) -> io::Result<bool> {
        match self.asks_for_parquet() {
            Some(is_asked) => Ok(is_asked && file.metadata()?.is_file()),
            None => input::is_parquet(file),
        }
    }

    /// Returns whether all inputs are read as Parquet, or none, or `None` if their bytes decide.
    pub(crate) const fn asks_for_parquet(self) -> Option<bool> {
        match self {
            _ if !READS_PARQUET => Some(false),
            Self::Parquet => Some(true),
            Self::Auto => None,
            _ => Some(false),
        }
    }
}

/// A name that is the same in every release.
impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Lines => f.write_str("lines"),
            Self::Json => f.write_str("json"),
            Self::Rows(delimiter) => write!(f, "rows {delimiter:#04x}"),
            Self::Parquet => f.write_str("parquet"),
        }
    }
}

/// The limits on the memory that is used at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of a record, in bytes. Larger records are passed through in pieces,
    /// unopened.
    pub record: usize,
    /// The maximum number of records in a batch.
    pub batch_records: usize,
    /// The size in bytes at which a batch ends, with the record that reaches it. It is at most 1
    /// MiB for each thread.
    pub batch_bytes: usize,
    /// Set if each read becomes a batch, for callers that wait for an answer to each line.
    pub prompt: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            record: 16 << 20,
            batch_records: 8192,
            batch_bytes: 4 << 20,
            prompt: false,
        }
    }
}

/// A section of the input.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) bytes: Vec<u8>,
    /// The records in it, in order.
    pub(crate) slots: Vec<Slot>,
    /// Set if the input pauses, so results must not wait for more.
    pub(crate) pauses: bool,
    /// Set if the records are JSON values, which commas may separate.
    pub(crate) has_values: bool,
    /// Set if the last record may continue in the next batch, or in the next piece of a file that
    /// is followed.
    pub(crate) is_unfinished: bool,
    /// Set if the batch before ended within a record, with a line end.
    pub(crate) follows_line_end: bool,
}

impl Batch {
    /// Returns the bytes of a record.
    pub(crate) fn record(&self, slot: &Slot) -> &[u8] {
        &self.bytes[slot.range.clone()]
    }
}

/// The batches of a reader.
#[derive(Debug)]
pub(crate) struct Batches<R> {
    reader: R,
    limits: Limits,
    splitter: Option<Splitter>,
    framing: Framing,
    /// Set if the input is known to be lines, whatever its content.
    are_lines: bool,
    is_strict: bool,
    buffer: Vec<u8>,
    scanned: usize,
    slots: Vec<Slot>,
    /// The time at which the first record of the batch was complete.
    since: Option<Instant>,
    at_end: bool,
    /// Set if the last batch ended within a record, with a line end.
    ended_line: bool,
    /// The error that ended reading, if any. It is returned after the records before it.
    failed: Option<io::Error>,
}

impl<R: Read> Batches<R> {
    /// Creates the batches of `reader`.
    pub(crate) fn new(reader: R, framing: Framing, limits: Limits) -> Self {
        let (buffer, slots) = (Vec::new(), Vec::new());
        Self {
            reader,
            limits,
            splitter: None,
            framing,
            are_lines: false,
            is_strict: false,
            buffer,
            scanned: 0,
            slots,
            since: None,
            at_end: false,
            ended_line: false,
            failed: None,
        }
    }

    /// Sets whether values are read strictly, as sealing requires: see [`Splitter::json`].
    pub(crate) fn strict(self, is_strict: bool) -> Self {
        Self { is_strict, ..self }
    }

    /// Creates the batches of lines from a part of an input whose first line has this number.
    pub(crate) fn lines(reader: R, limits: Limits, number: u64) -> Self {
        let mut batches = Self::new(reader, Framing::Lines, limits);
        batches.are_lines = true;
        // Only the beginning of an input may have a byte order mark.
        if number > 1 {
            batches.splitter = Some(Splitter::lines(number));
        }
        batches
    }

    /// Returns the next batch, or `None` at the end. If a read ends with
    /// [`io::ErrorKind::WouldBlock`], the batch contains the complete records, and may be empty.
    ///
    /// # Errors
    /// The errors of the reader, and an unterminated JSON array, after the records before it.
    pub(crate) fn next_batch(&mut self) -> io::Result<Option<Batch>> {
        while !self.at_end && self.failed.is_none() {
            match self.read_and_scan() {
                Ok(()) if !self.at_end && self.is_full() => return Ok(Some(self.cut())),
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let batch = self.cut();
                    let pauses = !batch.bytes.is_empty();
                    return Ok(Some(Batch { pauses, ..batch }));
                }
                Err(error) => self.failed = Some(error),
            }
        }
        let rest = self.cut();
        let is_empty = rest.bytes.is_empty() && rest.slots.is_empty();
        match self.failed.take_if(|_| is_empty) {
            Some(error) => {
                self.at_end = true;
                self.buffer.clear();
                Err(error)
            }
            // A record that was passed on in parts may have ended with the last batch.
            None if is_empty => Ok(None),
            None => Ok(Some(rest)),
        }
    }

    fn read_and_scan(&mut self) -> io::Result<()> {
        let before = self.buffer.len();
        self.buffer
            .try_reserve(READ)
            .map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.buffer.resize(before + READ, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        self.at_end = read? == 0;
        if self.splitter.is_none() {
            self.splitter = self.choose()?;
        }
        let Some(splitter) = &mut self.splitter else {
            return Ok(());
        };
        splitter.split(
            &self.buffer,
            self.scanned,
            self.limits.record,
            &mut self.slots,
        );
        self.scanned = self.buffer.len();
        if self.at_end {
            splitter
                .end(&self.buffer, &mut self.slots)
                .map_err(|OpenArray| InputError::OpenArray)?;
        }
        if self.since.is_none() && !self.slots.is_empty() {
            self.since = Some(Instant::now());
        }
        Ok(())
    }

    /// Chooses a splitter. Returns `None` until there is enough input to decide.
    fn choose(&mut self) -> io::Result<Option<Splitter>> {
        if self.are_lines {
            return Ok(Some(Splitter::lines(1)));
        }
        let framing = match self.framing {
            Framing::Auto => None,
            Framing::Lines => Some(split::Framing::Lines),
            Framing::Json => Some(split::Framing::Json),
            Framing::Rows(delimiter) => match self.declared(delimiter) {
                Some(delimiter) => Some(split::Framing::Rows(delimiter)),
                None => return Ok(None),
            },
            Framing::Parquet => return Err(parquet_stream().into()),
        };
        let format = match detect(&self.buffer, framing, self.at_end) {
            Detected::NeedMore => return Ok(None),
            Detected::Records(framing) => {
                return Ok(Some(Splitter::new(framing, self.is_strict)));
            }
            Detected::Parquet => return Err(parquet_stream().into()),
            Detected::Packed(packing) => Format::Compressed(packing),
            Detected::Other(known) => Format::Known(known),
            _ => Format::Unknown,
        };
        Err(InputError::Unsupported(format).into())
    }

    /// Returns the delimiter of rows, which a first line like `sep=;` declares. Returns `None`
    /// until it is known whether there is such a line.
    fn declared(&self, delimiter: u8) -> Option<u8> {
        let mark = "\u{feff}".as_bytes();
        let text = self.buffer.strip_prefix(mark).unwrap_or(&self.buffer);
        if !self.at_end && csv::may_declare_separator(text) {
            return None;
        }
        let first = text.split(|byte| *byte == b'\n').next();
        let declared = first.and_then(csv::declared_separator);
        Some(declared.unwrap_or(delimiter))
    }

    fn is_full(&self) -> bool {
        let end = self.slots.last().map_or(0, |slot| slot.range.end);
        let pending = self.splitter.as_ref().and_then(Splitter::pending);
        let between = pending.is_none() && self.buffer.len() >= self.limits.batch_bytes;
        between
            || end >= self.limits.batch_bytes
            || self.slots.len() >= self.limits.batch_records
            || (self.limits.prompt && !self.slots.is_empty())
            || self.since.is_some_and(|since| since.elapsed() > AGE)
    }

    /// Returns all complete records. The beginning of the next one is kept.
    fn cut(&mut self) -> Batch {
        if self.splitter.is_none() {
            return Batch::default();
        }
        let splitter = self.splitter.as_mut();
        let has_values = splitter.as_ref().is_some_and(|kind| kind.has_values());
        let finished = self.slots.len();
        let pending =
            splitter.and_then(|splitter| splitter.rebase(self.buffer.len(), &mut self.slots));
        // The next piece of a followed file continues a line that has no end here.
        let may_continue = self.at_end && self.are_lines && !self.buffer.ends_with(b"\n");
        // Nothing follows an error of the reader.
        let is_unfinished = (self.slots.len() > finished && self.failed.is_none()) || may_continue;
        let ends_line = is_unfinished && self.buffer.ends_with(b"\n");
        let follows_line_end = std::mem::replace(&mut self.ended_line, ends_line);
        let at = if self.at_end {
            self.buffer.len()
        } else {
            pending.unwrap_or(self.buffer.len())
        };
        // Room for another batch of this size avoids repeated growth.
        let mut rest = Vec::with_capacity(match self.at_end {
            true => 0,
            false => self.buffer.len() + READ,
        });
        rest.extend_from_slice(&self.buffer[at..]);
        self.buffer.truncate(at);
        self.scanned = rest.len();
        let is_old = self.since.take().is_some_and(|since| since.elapsed() > AGE);
        Batch {
            bytes: std::mem::replace(&mut self.buffer, rest),
            slots: std::mem::take(&mut self.slots),
            pauses: is_old,
            has_values,
            is_unfinished,
            follows_line_end,
        }
    }
}

/// Returns the error for Parquet that is read as a stream.
const fn parquet_stream() -> InputError {
    match READS_PARQUET {
        true => InputError::ParquetStream,
        false => InputError::NotInThisBuild(Feature::Parquet),
    }
}
