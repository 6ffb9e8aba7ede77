//! The changes to the cells of a record, which are assembled only when they are
//! written.

use crate::{batch::Failure, splice::Spliced};

/// The result for a record.
#[derive(Default)]
pub(crate) struct Done<'a> {
    pub(crate) changes: Vec<Change<'a>>,
    pub(crate) failure: Option<Failure>,
}

/// A cell with a new text.
pub(crate) struct Change<'a> {
    pub(crate) column: usize,
    /// The new text, or `None` if the cell becomes empty.
    pub(crate) text: Option<Text<'a>>,
}

/// The new text of a cell.
pub(crate) enum Text<'a> {
    New(Vec<u8>),
    /// The old text with edits.
    Spliced(Spliced<'a>),
}

impl Text<'_> {
    /// Appends the text.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::New(text) => out.extend_from_slice(text),
            Self::Spliced(spliced) => spliced.write(out),
        }
    }

    /// Returns the text in its own memory.
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
    /// Copies the changes, so that they do not borrow from the record.
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
