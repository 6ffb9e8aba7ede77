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
            Self::NotJson { .. } => "not_json",
            Self::NoColumn { .. } => "no_column",
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
                write_columns(columns, f)
            }
            Self::OneColumn { column } => {
                let hint = columns_hint(std::slice::from_ref(column)).unwrap_or_default();
                write!(f, "its header is one column{hint}")
            }
        }
    }
}

/// The maximum number of columns that a warning lists.
const SHOWN: usize = 10;

fn write_columns(columns: &[String], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (shown, more) = columns.split_at(columns.len().min(SHOWN));
    f.write_str(&shown.join(", "))?;
    if !more.is_empty() {
        write!(f, " and {} more", more.len())?;
    }
    f.write_str(&columns_hint(columns).unwrap_or_default())
}

fn columns_hint(columns: &[String]) -> Option<String> {
    match columns {
        [only] => looks::header(only.as_bytes()).map(|looks| format!("; it looks like {looks}")),
        _ => None,
    }
}
