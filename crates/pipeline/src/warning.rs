//! Problems of an input that do not end the run.

use std::fmt;

use pqseal_records::{FieldPath, looks};

/// A problem that was noticed in an input. Its text is a sentence about the input, which does not
/// name the input, and may contain text from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Zero bytes after the end of a gzip were ignored. Tapes and some copiers pad with them.
    TrailingZeros {
        /// Their number.
        count: u64,
    },
    /// Zero bytes between records were left out. They occur in a log that was truncated while its
    /// writer kept its position, or that was being written during a power failure.
    Zeros {
        /// Their number.
        count: u64,
    },
    /// A table that was to be sealed has no rows.
    NoRows,
    /// Metadata of a Parquet file was left out of its sealed output, since it may quote values.
    MetadataLeftOut {
        /// Its keys.
        keys: Vec<String>,
    },
    /// None of the records is JSON.
    NotJson {
        /// The beginning of the first record, or empty when sealing.
        first: Vec<u8>,
    },
    /// A table has no column for a requested field.
    NoColumn {
        /// The index of the rule.
        rule: usize,
        /// The field.
        field: FieldPath,
        /// The names of the table's columns.
        columns: Vec<String>,
    },
    /// The first row of a table has more cells than its header, which may be a title.
    ShortHeader {
        /// The number of cells of the header.
        columns: usize,
        /// The number of cells of the row.
        cells: usize,
    },
    /// Quotes in cells are escaped by backslashes, so rows are not those of RFC 4180.
    Backslashes,
    /// The only column of a table seems to contain several.
    OneColumn {
        /// The name of the column.
        column: String,
    },
}

impl Warning {
    /// Returns the code by which programs distinguish warnings. Codes are added, never changed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TrailingZeros { .. } => "trailing_zeros",
            Self::Zeros { .. } => "zeros",
            Self::NoRows => "no_rows",
            Self::MetadataLeftOut { .. } => "metadata",
            Self::NotJson { .. } => "not_json",
            Self::NoColumn { .. } => "no_column",
            Self::ShortHeader { .. } => "short_header",
            Self::Backslashes => "backslashes",
            Self::OneColumn { .. } => "separator",
        }
    }

    /// Returns the index of the rule that found nothing, if this is the problem. Some requested
    /// work was not done then.
    pub const fn rule(&self) -> Option<usize> {
        match self {
            Self::NoColumn { rule, .. } => Some(*rule),
            _ => None,
        }
    }

    /// Returns the warning for a table whose only column seems to contain several.
    pub(crate) fn one_column(columns: &[String]) -> Option<Self> {
        columns_hint(columns)?;
        let column = columns.first()?.clone();
        Some(Self::OneColumn { column })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TrailingZeros { count } => write!(
                f,
                "{count} zero bytes after the end of the gzip data were ignored"
            ),
            Self::Zeros { count } => {
                write!(f, "{count} zero bytes between records were left out")
            }
            Self::NoRows => f.write_str("it is a table without rows; if it should have some, look at its line ends and quotes"),
            Self::MetadataLeftOut { keys } => {
                f.write_str("the output is without the file's metadata, which may quote sealed values: ")?;
                write_names(keys, f)
            }
            Self::NotJson { first } if first.is_empty() => f.write_str("no record is JSON"),
            Self::NotJson { first } => match looks::like(first) {
                Some(looks) => write!(f, "no record is JSON: it looks like {looks}"),
                None => {
                    let start: String = String::from_utf8_lossy(first).chars().take(40).collect();
                    write!(f, "no record is JSON: the first one begins with `{start}`")
                }
            },
            Self::NoColumn { field, columns, .. } => {
                let field = field.to_string();
                let field = field.trim_start_matches('.');
                write!(f, "no column is called {field}; its columns are ")?;
                write_names(columns, f)?;
                f.write_str(&columns_hint(columns).unwrap_or_default())
            }
            Self::ShortHeader { columns, cells } => write!(
                f,
                "its first line has fewer cells ({columns}) than the next ({cells}); if that is a title and not the header, remove it first, as with: tail -n +2"
            ),
            Self::Backslashes => f.write_str(
                "quotes in cells are escaped by backslashes, as Spark and MySQL do by default; write them doubled, as with Spark's option(\"escape\", \"\\\"\")",
            ),
            Self::OneColumn { column } => {
                let hint = columns_hint(std::slice::from_ref(column)).unwrap_or_default();
                write!(f, "its header is one column{hint}")
            }
        }
    }
}

/// The maximum number of names that a warning lists.
const SHOWN: usize = 10;

fn write_names(names: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (shown, more) = names.split_at(names.len().min(SHOWN));
    f.write_str(&shown.join(", "))?;
    match more.len() {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

fn columns_hint(columns: &[String]) -> Option<String> {
    match columns {
        [only] => looks::header(only.as_bytes()).map(|looks| format!("; it looks like {looks}")),
        _ => None,
    }
}
