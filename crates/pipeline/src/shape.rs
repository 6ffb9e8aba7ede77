//! The shape of the records of a stream: JSON documents, or rows of a table whose header is read
//! first.

use pqseal_records::{
    Finder,
    csv::{Fault, Row, declared_separator},
    layout::{Layout, TableError},
    rules::{Rules, Selector},
    split::SlotKind,
};

use crate::{
    batches::{Batch, Framing},
    warning::Warning,
};

/// The shape of the records.
#[expect(clippy::large_enum_variant, reason = "there is one for each stream")]
pub(crate) enum Shape<'r> {
    /// A table whose header was not read yet.
    Header {
        delimiter: u8,
        rules: &'r Rules,
        seals: bool,
    },
    Known {
        finder: Finder,
        /// The warnings about the header.
        warnings: Vec<Warning>,
    },
}

impl<'r> Shape<'r> {
    pub(crate) fn new(framing: Framing, rules: &'r Rules, seals: bool) -> Self {
        match framing {
            Framing::Rows(delimiter) => Self::Header {
                delimiter,
                rules,
                seals,
            },
            _ => Self::Known {
                finder: Finder::documents(rules, seals),
                warnings: Vec::new(),
            },
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
            seals,
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
        let header = &batch.bytes[first.range.clone()];
        if let Some(delimiter) = declared_separator(header) {
            // The batch may end here.
            *self = Self::Header {
                delimiter,
                rules,
                seals,
            };
            return self.learn(batch);
        }
        let finder = Finder::table(rules, header, delimiter, seals)?;
        let mut warnings = warnings(finder.layout(), rules, finder.names());
        warnings.extend(odd_rows(batch, delimiter, finder.names().len()));
        let mut new = Vec::new();
        finder.write_header(header, &mut new);
        let longer = new.len() - header.len();
        batch.bytes.splice(first.range, new);
        batch
            .slots
            .iter_mut()
            .for_each(|slot| slot.range = slot.range.start + longer..slot.range.end + longer);
        *self = Self::Known { finder, warnings };
        Ok(())
    }

    /// Returns the finder of fields. It is known once records were read.
    pub(crate) fn finder(&self) -> &Finder {
        match self {
            Self::Known { finder, .. } => finder,
            Self::Header { .. } => {
                unreachable!("records are looked into when their header is known")
            }
        }
    }

    /// Reports whether the records are rows of a table.
    pub(crate) fn is_table(&self) -> bool {
        match self {
            Self::Header { .. } => true,
            Self::Known { finder, .. } => finder.layout().separator.is_some(),
        }
    }

    /// Reports whether each record is replaced by its results.
    pub(crate) fn is_apart(&self) -> bool {
        self.finder().layout().apart.is_some()
    }

    /// Returns the member name in the object that replaces a record which cannot be sealed.
    pub(crate) const fn whole(&self) -> Option<&'static str> {
        match self {
            Self::Known { finder, .. } => finder.layout().whole,
            Self::Header { .. } => None,
        }
    }

    /// Returns the warnings about the header, once.
    pub(crate) fn take_warnings(&mut self) -> Vec<Warning> {
        match self {
            Self::Known { warnings, .. } => std::mem::take(warnings),
            Self::Header { .. } => Vec::new(),
        }
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

/// The number of rows that are examined for warnings.
const EXAMINED: usize = 100;

/// Returns a warning if the first rows show that the table was written in another way.
fn odd_rows(batch: &Batch, delimiter: u8, columns: usize) -> Option<Warning> {
    let slots = batch.slots.iter().take(EXAMINED);
    let mut rows = slots.map(|slot| batch.record(slot));
    let first = rows.clone().next()?;
    let cells = Row::parse(first, delimiter).map_or(0, |row| row.cells.len());
    if columns < cells {
        return Some(Warning::ShortHeader { columns, cells });
    }
    let has_backslashes = rows.any(|row| {
        matches!(Row::parse(row, delimiter), Err(Fault::Quotes))
            && row.windows(2).any(|pair| pair == b"\\\"")
    });
    has_backslashes.then_some(Warning::Backslashes)
}
