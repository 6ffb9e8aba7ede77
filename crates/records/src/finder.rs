//! Finders. A finder knows whether the records of a stream are JSON documents or rows of a table,
//! and searches and writes single records. Threads can share it.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::{iter, ops::Range};

use crate::{
    answer::{AsAnswer, Problem},
    csv::{Fault, Row},
    find::{Change, Found, Text},
    layout::{Layout, TableError},
    rules::{ResultFormat, Rules},
    split::SlotKind,
};

/// A finder of the fields that rules name.
///
/// ```
/// use pqseal_records::{Answer, Finder, OnField, Preset, Rules};
///
/// let rules = Rules { mode: OnField::Drop, ..Preset::Auto.rules() };
/// let finder = Finder::documents(&rules, false);
/// // A line of a container's log has the record inside a string.
/// let line = br#"{"log":"{\"encrypted_matched_data\":\"AzTY\"}\n"}"#;
/// let found = finder.record(line);
/// assert_eq!(found.fields().next().unwrap().text, Ok(Some(b"AzTY".into())));
/// let mut out = Vec::new();
/// finder.write(line, &found, &[Answer::Opened(b"' OR 1=1")], &mut out)?;
/// assert_eq!(out, br#"{"log":"{\"decrypted_matched_data\":\"' OR 1=1\"}\n"}"#);
/// # Ok::<(), pqseal_records::Problem>(())
/// ```
#[derive(Debug)]
pub struct Finder {
    layout: Layout,
    /// The names of the columns of a table.
    names: Vec<String>,
}

impl Finder {
    /// Creates a finder for JSON documents. `seals` is set if fields are sealed, so that no
    /// plaintext may pass.
    #[must_use]
    pub fn documents(rules: &Rules, seals: bool) -> Self {
        Self {
            layout: Layout::document(rules, seals),
            names: Vec::new(),
        }
    }

    /// Creates a finder for the rows of a table with this header.
    ///
    /// # Errors
    /// The reason why the table cannot be read.
    pub fn table(
        rules: &Rules,
        header: &[u8],
        delimiter: u8,
        seals: bool,
    ) -> Result<Self, TableError> {
        let row = Row::parse(header, delimiter).map_err(|fault| match fault {
            Fault::Quotes => TableError::Quotes,
            Fault::CarriageReturn => TableError::LineEnds,
        })?;
        let names: Vec<_> = (0..row.cells.len())
            .map(|column| String::from_utf8_lossy(&row.cell(column)).into_owned())
            .collect();
        // A header that may contain rows is refused, since their plaintext would pass.
        if seals && row.has_late_quotes() {
            return Err(TableError::Quotes);
        }
        if seals && names.iter().any(|name| name.contains(['\r', '\n'])) {
            return Err(TableError::Lines);
        }
        let mut layout = Layout::table(rules, &names, !seals)?;
        layout.separator = Some(delimiter);
        // This output is text.
        if layout.form == ResultFormat::Bytes {
            layout.form = ResultFormat::Base64;
        }
        Ok(Self { layout, names })
    }

    /// Returns the columns that are read and written.
    #[must_use]
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the names of the columns of a table.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Appends the header of the table with the names of added columns.
    pub fn write_header(&self, header: &[u8], out: &mut Vec<u8>) {
        let added = self.layout.added.iter();
        let added: Vec<_> = (self.names.len()..)
            .zip(added.map(|name| Cow::Borrowed(name.as_bytes())))
            .collect();
        self.write_row(header, &added, out);
    }

    /// Searches a record.
    #[must_use]
    pub fn record<'a>(&'a self, record: &'a [u8]) -> Found<'a> {
        match self.layout.delimiter() {
            None => Found::new(&self.layout, |_| Some(record.into())),
            Some(_) => match self.row(record) {
                Some(row) => Found::new(&self.layout, |column| Some(row.cell(column))),
                None => Found::unsearched(&self.layout, Problem::BadRow),
            },
        }
    }

    /// Searches the record in a slot, unless it is only a part of one.
    #[must_use]
    pub fn slot<'a>(&'a self, record: &'a [u8], kind: SlotKind) -> Found<'a> {
        let problem = match kind {
            SlotKind::Record => return self.record(record),
            SlotKind::Fragment => Problem::BadJson,
            SlotKind::TooLarge | SlotKind::Part(_) => Problem::TooLarge,
        };
        Found::unsearched(&self.layout, problem)
    }

    /// Appends a record with answers to [`Found::fields`]. All other bytes are those of the record.
    ///
    /// # Errors
    /// The problem of the record. It is appended all the same.
    pub fn write<O: AsAnswer>(
        &self,
        record: &[u8],
        found: &Found<'_>,
        answers: &[O],
        out: &mut Vec<u8>,
    ) -> Result<(), Problem> {
        let done = found.finish(answers);
        self.write_changed(record, done.changes, out);
        done.problem.map_or(Ok(()), Err)
    }

    /// Appends a record with changes.
    pub fn write_changed(&self, record: &[u8], changes: Vec<Change<'_>>, out: &mut Vec<u8>) {
        if self.layout.delimiter().is_none() {
            let changed = changes.into_iter().next().and_then(|change| change.text);
            return match changed {
                Some(text) => text.write(out),
                None => out.extend_from_slice(record),
            };
        }
        let texts: Vec<_> = changes
            .into_iter()
            .map(|change| {
                let text = change.text.map(Text::into_bytes);
                (change.column, text.unwrap_or_default().into())
            })
            .collect();
        self.write_row(record, &texts, out);
    }

    /// Appends each event of a document ([`Found::events`]) on a separate line, with the changes to
    /// it. Returns the number of events. A document without such events is one event.
    pub fn write_events(
        &self,
        record: &[u8],
        found: &Found<'_>,
        changes: Vec<Change<'_>>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let events = match found.events() {
            events if events.is_empty() => iter::once(0..record.len()).collect(),
            events => events,
        };
        for event in &events {
            self.write_event(record, &changes, event.clone(), out);
            out.push(b'\n');
        }
        events.len() as u64
    }

    /// Appends one event of a document, or all of it, on one line, with the changes to the document.
    pub fn write_event(
        &self,
        record: &[u8],
        changes: &[Change<'_>],
        event: Range<usize>,
        out: &mut Vec<u8>,
    ) {
        let start = out.len();
        match changes.first().and_then(|change| change.text.as_ref()) {
            Some(Text::Spliced(spliced)) => spliced.write_part(event, out),
            Some(text) if event == (0..record.len()) => text.write(out),
            _ => out.extend_from_slice(&record[event]),
        }
        // In JSON line breaks are white space.
        for byte in &mut out[start..] {
            if matches!(byte, b'\r' | b'\n') {
                *byte = b' ';
            }
        }
    }

    /// Appends a row with new texts. A line that is not a row is copied.
    fn write_row(&self, record: &[u8], texts: &[(usize, Cow<'_, [u8]>)], out: &mut Vec<u8>) {
        let delimiter = self.layout.delimiter().unwrap_or_default();
        match self.row(record) {
            Some(row) => row.write(texts, self.layout.width(), delimiter, out),
            None => out.extend_from_slice(record),
        }
    }

    /// Parses a row. Returns `None` unless it has as many cells as the header.
    fn row<'a>(&self, record: &'a [u8]) -> Option<Row<'a>> {
        let row = Row::parse(record, self.layout.delimiter()?).ok()?;
        let is_clear = !self.layout.is_sealing() || !row.has_late_quotes();
        (row.cells.len() == self.layout.columns && is_clear).then_some(row)
    }
}

#[cfg(test)]
mod otlp_tests;
