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
    /// A column of Parquet that is asked for has no texts.
    NotText {
        /// Its name.
        column: String,
        /// What it has instead.
        kind: ColumnKind,
    },
    /// A column of Parquet that blobs are said to be bound to has neither texts nor whole numbers.
    NotBindable {
        /// Its name.
        column: String,
        /// What it has instead.
        kind: ColumnKind,
    },
}

/// What a column of Parquet has.
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
                "no column of it is there to become {into}; name it with --field"
            ),
            Self::OneName { name } => write!(
                f,
                "two results would be called {name}; give each a name of its own"
            ),
            Self::NotText { column, kind } => write!(
                f,
                "the column {column} is {kind}, which pqseal does not open; name one of texts"
            ),
            Self::NotBindable { column, kind } => write!(
                f,
                "the column {column} is {kind}, which nothing can be bound to; name one of texts or whole numbers"
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
