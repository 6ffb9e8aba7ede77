//! The problems of a table.

use alloc::string::String;
use core::{error, fmt};

/// The reason why a table cannot be used as it is: a problem of its header, or of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The header is larger than the limit for a record.
    Header,
    /// A quote in the header is never closed, or text follows a closing quote. A reader may then
    /// see other rows than those that were written.
    Quotes,
    /// The header has carriage returns without line feeds, so it may contain rows.
    LineEnds,
    /// The name of a column spans several lines, so it may contain rows. Only when sealing.
    Lines,
    /// No column has the field to seal. Only when sealing.
    NoColumn {
        /// The name of the result.
        into: String,
    },
    /// Results are to replace their records ([`Rules::apart`](crate::Rules::apart)), which is only
    /// possible in JSON.
    Apart,
    /// The rules name fields of OTLP, which is JSON.
    Otlp,
    /// Two results would have the same name.
    OneName {
        /// The name.
        name: String,
    },
    /// A Parquet column to read does not contain text.
    NotText {
        /// The name of the column.
        column: String,
        /// The kind of its values.
        kind: ColumnKind,
    },
    /// A Parquet column that blobs are to be bound to contains neither text nor integers.
    NotBindable {
        /// The name of the column.
        column: String,
        /// The kind of its values.
        kind: ColumnKind,
    },
}

/// The kind of the values in a Parquet column.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Lists, or parts of lists.
    List,
    /// Several columns: a struct, a list or a map.
    Group,
    /// Values of this physical type, by its name in the format.
    Type(String),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("it is larger than the limit for a record"),
            Self::Quotes => f.write_str(
                "a quote in it is never closed, or text follows one that closes; correct it",
            ),
            Self::LineEnds => f.write_str(
                "it has carriage returns without line feeds, the line ends of old Macs (CR); convert them, as with: tr '\\r' '\\n'",
            ),
            Self::Lines => f.write_str(
                "the name of a column goes over several lines, as if rows were in it; correct its quotes, or the name",
            ),
            Self::NoColumn { into } => write!(
                f,
                "no column has the field to seal as {into}; name that field with --field"
            ),
            Self::Apart => f.write_str(
                "it is that of a table, and only JSON records can be replaced by their results; convert it to JSON",
            ),
            Self::Otlp => f.write_str(
                "it is that of a table, and OTLP is JSON; name the columns with --field, without the preset",
            ),
            Self::OneName { name } => write!(
                f,
                "two results would be called {name}; give each its own name"
            ),
            Self::NotText { column, kind } => write!(
                f,
                "the column {column} is {kind}, and only columns of text can be sealed or opened; name one of those"
            ),
            Self::NotBindable { column, kind } => write!(
                f,
                "the column {column} is {kind}, and blobs can be bound only to columns of text or whole numbers; name one of those"
            ),
        }
    }
}

impl error::Error for TableError {}

impl fmt::Display for ColumnKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List => f.write_str("in a list"),
            Self::Group => f.write_str("several columns (a struct, a list or a map)"),
            Self::Type(name) => write!(f, "of type {name}"),
        }
    }
}
