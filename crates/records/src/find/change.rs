//! The changes to the cells of a record, which are assembled only when they are written.

use alloc::vec::Vec;

use crate::splice::Spliced;

/// A cell with a new text.
pub struct Change<'a> {
    /// The column of the cell.
    pub column: usize,
    /// The new text, or `None` if the cell becomes empty.
    pub text: Option<Text<'a>>,
}

/// The new text of a cell.
pub enum Text<'a> {
    /// A separate text.
    New(Vec<u8>),
    /// The old text with edits.
    Spliced(Spliced<'a>),
}

impl Text<'_> {
    /// Appends the text.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::New(text) => out.extend_from_slice(text),
            Self::Spliced(spliced) => spliced.write(out),
        }
    }

    /// Returns the whole text.
    pub fn into_bytes(self) -> Vec<u8> {
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

impl Change<'_> {
    /// Copies the change, so that it does not borrow from the record.
    pub fn into_owned(self) -> Change<'static> {
        Change {
            column: self.column,
            text: self.text.map(|text| Text::New(text.into_bytes())),
        }
    }
}
