//! What becomes of the cells of a record, put together only where it is written.

use crate::{batch::Failure, splice::Spliced};

/// What is to be done to a record.
#[derive(Default)]
pub(crate) struct Done<'a> {
    pub(crate) changes: Vec<Change<'a>>,
    pub(crate) failure: Option<Failure>,
}

/// A cell that has another text.
pub(crate) struct Change<'a> {
    pub(crate) column: usize,
    /// `None` if it has none any more.
    pub(crate) text: Option<Text<'a>>,
}

/// The text that a cell gets.
pub(crate) enum Text<'a> {
    New(Vec<u8>),
    /// Its own, with edits.
    Spliced(Spliced<'a>),
}

impl Text<'_> {
    /// Appends it.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::New(text) => out.extend_from_slice(text),
            Self::Spliced(spliced) => spliced.write(out),
        }
    }

    /// The text in memory of its own.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::New(text) => text,
            Self::Spliced(spliced) => {
                let mut text = Vec::new();
                spliced.write(&mut text);
                text
            }
        }
    }
}

#[cfg(feature = "parquet")]
impl Done<'_> {
    /// The same without the record's own memory.
    pub(crate) fn into_owned(self) -> Done<'static> {
        let owned = |change: Change<'_>| Change {
            column: change.column,
            text: change.text.map(|text| Text::New(text.into_bytes())),
        };
        Done {
            changes: self.changes.into_iter().map(owned).collect(),
            failure: self.failure,
        }
    }
}
