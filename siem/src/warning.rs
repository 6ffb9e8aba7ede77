//! What a user should know of an input, although the run goes on.

use std::fmt;

use crate::{looks, path::FieldPath};

/// Something that was noticed in an input. Its text is a sentence about the input, which does not
/// name it, and may hold text of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// Zero bytes after the end of a gzip, as tapes and some copiers pad them, were ignored.
    TrailingZeros {
        /// The number of them.
        count: u64,
    },
    /// Zero bytes between records were left out. A log has them that was truncated while its writer
    /// kept its place, or that was being written when the power failed.
    Zeros {
        /// The number of them.
        count: u64,
    },
    /// A table that was to be sealed has no rows.
    NoRows,
    /// None of the records is JSON.
    NotJson {
        /// The beginning of the first one; empty if it was to be sealed.
        first: Vec<u8>,
    },
    /// A table has no column for a field that was asked for.
    NoColumn {
        /// The place of the rule that asks for it.
        rule: usize,
        /// The field.
        field: FieldPath,
        /// The names of the table's columns.
        columns: Vec<String>,
    },
    /// The only column of a table seems to be several.
    OneColumn {
        /// Its name.
        column: String,
    },
}

impl Warning {
    /// The code by which programs distinguish warnings. Codes are added, never changed.
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

    /// The place of the rule that found nothing, if that is what was noticed: then something that
    /// was asked for was not done.
    pub const fn rule(&self) -> Option<usize> {
        match self {
            Self::NoColumn { rule, .. } => Some(*rule),
            _ => None,
        }
    }

    /// A table whose only column seems to be several.
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

/// How many columns of a table a warning lists.
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
