//! What is wrong with a table.

use std::{error, fmt};

/// Why a table cannot be used as it is: what its header lacks, or what a column is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableError {
    /// The header is larger than [`Limits::record`](crate::Limits::record), or a quote in it is
    /// never closed.
    Header,
    /// To seal: no column has the field that would become this one.
    NoColumn {
        /// The name of the result.
        into: String,
    },
    /// Two results would have one name.
    OneName {
        /// That name.
        name: String,
    },
    /// A column of Parquet that is asked for does not hold text.
    NotText {
        /// Its name.
        column: String,
        /// What it holds instead.
        kind: ColumnKind,
    },
    /// A column of Parquet that blobs should be bound to holds neither text nor whole numbers.
    NotBindable {
        /// Its name.
        column: String,
        /// What it holds instead.
        kind: ColumnKind,
    },
}

/// What a column of Parquet holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnKind {
    /// Lists, or parts of lists.
    List,
    /// Values of this physical type, by its name in the format.
    Type(String),
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header => f.write_str("it is too large, or a quote in it is never closed"),
            Self::NoColumn { into } => write!(
                f,
                "no column has the field to seal as {into}; name that field with --field"
            ),
            Self::OneName { name } => write!(
                f,
                "two results would be called {name}; give each its own name"
            ),
            Self::NotText { column, kind } => write!(
                f,
                "the column {column} is {kind}, and only columns of text can be opened; name one of those"
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
            Self::Type(name) => write!(f, "of type {name}"),
        }
    }
}
