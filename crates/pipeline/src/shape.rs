//! The shape of the records of a stream: JSON documents, or rows of a table with a header.

use std::borrow::Cow;

use pqseal_records::{
    csv::{Fault, Row},
    layout::{Layout, TableError},
    rules::{ResultFormat, Rules, Selector},
    split::SlotKind,
};

use crate::{
    find::{Change, RecordFields, Text},
    frame::{Batch, Framing},
    reason::Reason,
    warning::Warning,
};

/// The shape of the records.
pub(crate) enum Shape<'r> {
    Document(Layout),
    /// Rows whose header was not read yet.
    Header {
        delimiter: u8,
        rules: &'r Rules,
        with_status: bool,
    },
    Rows {
        delimiter: u8,
        layout: Layout,
        warnings: Vec<Warning>,
    },
}

impl<'r> Shape<'r> {
    pub(crate) fn new(framing: Framing, rules: &'r Rules, with_status: bool) -> Self {
        match framing {
            Framing::Rows(delimiter) => Self::Header {
                delimiter,
                rules,
                with_status,
            },
            _ => Self::Document(Layout::document(rules, !with_status)),
        }
    }

    /// Removes a header that was not read yet from the records of the batch, and adds the names
    /// of new columns to it.
    ///
    /// # Errors
    /// The reason why the input is not a table.
    pub(crate) fn learn(&mut self, batch: &mut Batch) -> Result<(), TableError> {
        let Self::Header {
            delimiter,
            rules,
            with_status,
        } = *self
        else {
            return Ok(());
        };
        if batch.slots.is_empty() {
            return Ok(());
        }
        let first = batch.slots.remove(0);
        if first.kind != SlotKind::Record {
            return Err(TableError::Header);
        }
        let header = first.range;
        let row = Row::parse(&batch.bytes[header.clone()], delimiter).map_err(unreadable)?;
        let names: Vec<_> = (0..row.cells.len())
            .map(|column| String::from_utf8_lossy(&row.cell(column)).into_owned())
            .collect();
        if !with_status {
            check_to_seal(&row, &names)?;
        }
        let mut layout = Layout::table(rules, &names, with_status)?;
        layout.separator = Some(delimiter);
        // This output is text.
        layout.form = if layout.form == ResultFormat::Bytes {
            ResultFormat::Base64
        } else {
            layout.form
        };
        let warnings = warnings(&layout, rules, &names);
        let added: Vec<_> = layout
            .added
            .iter()
            .map(|name| Cow::Borrowed(name.as_bytes()))
            .collect();
        let mut new = Vec::new();
        row.write(
            &(names.len()..).zip(added).collect::<Vec<_>>(),
            layout.width(),
            delimiter,
            &mut new,
        );
        let longer = new.len() - header.len();
        batch.bytes.splice(header, new);
        batch
            .slots
            .iter_mut()
            .for_each(|slot| slot.range = slot.range.start + longer..slot.range.end + longer);
        *self = Self::Rows {
            delimiter,
            layout,
            warnings,
        };
        Ok(())
    }

    /// Reports whether the records are rows of a table.
    pub(crate) const fn is_table(&self) -> bool {
        !matches!(self, Self::Document(_))
    }

    /// Returns the member name in the object that replaces a record which cannot be sealed.
    pub(crate) const fn whole(&self) -> Option<&'static str> {
        match self {
            Self::Document(layout) | Self::Rows { layout, .. } => layout.whole,
            Self::Header { .. } => None,
        }
    }

    /// Returns the warnings about the header, once.
    pub(crate) fn take_warnings(&mut self) -> Vec<Warning> {
        match self {
            Self::Rows { warnings, .. } => std::mem::take(warnings),
            _ => Vec::new(),
        }
    }

    /// Searches a record, unless it is too large.
    pub(crate) fn find<'a>(&'a self, record: &'a [u8], kind: SlotKind) -> RecordFields<'a> {
        match self {
            Self::Document(layout) | Self::Rows { layout, .. } if kind != SlotKind::Record => {
                let reason = match kind {
                    SlotKind::Fragment => Reason::BadJson,
                    _ => Reason::TooLarge,
                };
                RecordFields::bad(layout, Some(reason))
            }
            Self::Document(layout) => RecordFields::new(layout, |_| Some(record.into())),
            Self::Rows {
                delimiter, layout, ..
            } => match row(record, *delimiter, layout) {
                Some(row) => RecordFields::new(layout, |column| Some(row.cell(column))),
                None => RecordFields::bad(layout, Some(Reason::BadRow)),
            },
            Self::Header { .. } => {
                unreachable!("records are looked into when their header is known")
            }
        }
    }

    /// Writes a record with its changes.
    pub(crate) fn write(&self, record: &[u8], changes: Vec<Change<'_>>, out: &mut Vec<u8>) {
        let Self::Rows {
            delimiter, layout, ..
        } = self
        else {
            let changed = changes.into_iter().next().and_then(|change| change.text);
            return match changed {
                Some(text) => text.write(out),
                None => out.extend_from_slice(record),
            };
        };
        // A line that is not a row is copied.
        let Some(row) = row(record, *delimiter, layout) else {
            return out.extend_from_slice(record);
        };
        let texts: Vec<_> = changes
            .into_iter()
            .map(|change| {
                let text = change.text.map(Text::into_bytes);
                (change.column, text.unwrap_or_default().into())
            })
            .collect();
        row.write(&texts, layout.width(), *delimiter, out);
    }
}

/// Returns warnings for requested fields without a column.
pub(crate) fn warnings(layout: &Layout, rules: &Rules, names: &[String]) -> Vec<Warning> {
    let missing = layout.missing.iter();
    let missing: Vec<_> = missing
        .filter(|_| rules.named)
        .filter_map(|place| match &rules.rules[*place].find {
            Selector::Field(path) => Some(Warning::NoColumn {
                rule: *place,
                field: path.clone(),
                columns: names.to_vec(),
            }),
            _ => None,
        })
        .collect();
    if missing.is_empty() {
        Warning::one_column(names).into_iter().collect()
    } else {
        missing
    }
}

/// Parses a row. Returns `None` unless it has as many cells as the header.
fn row<'a>(record: &'a [u8], delimiter: u8, layout: &Layout) -> Option<Row<'a>> {
    let row = Row::parse(record, delimiter).ok()?;
    let is_clear = !layout.seals || !row.has_late_quotes();
    (row.cells.len() == layout.columns && is_clear).then_some(row)
}

const fn unreadable(fault: Fault) -> TableError {
    match fault {
        Fault::Quotes => TableError::Quotes,
        Fault::CarriageReturn => TableError::LineEnds,
    }
}

/// Refuses a header that may contain rows, whose plaintext would pass.
fn check_to_seal(header: &Row<'_>, names: &[String]) -> Result<(), TableError> {
    let has_lines = |name: &String| name.contains(['\r', '\n']);
    if header.has_late_quotes() {
        return Err(TableError::Quotes);
    }
    match names.iter().any(has_lines) {
        true => Err(TableError::Lines),
        false => Ok(()),
    }
}
