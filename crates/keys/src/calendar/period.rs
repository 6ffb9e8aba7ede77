//! One period of a calendar.

use std::ops::Range;

use crate::Fingerprint;

/// The words in the place of a key.
pub(super) const SHREDDED: &str = "shredded";
pub(super) const NOT_LENT: &str = "not-lent";
pub(super) const LEFT_OUT: &str = "left-out";

/// The state of a period's key in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// The key is there.
    Present,
    /// The private key was shredded.
    Shredded,
    /// The private key is not in this lent file.
    NotLent,
    /// The public key was left out.
    LeftOut,
}

pub(super) struct Period {
    pub(super) fingerprint: Fingerprint,
    pub(super) state: KeyState,
    /// The place of the line in the text, without its line end.
    pub(super) at: Range<usize>,
}

impl KeyState {
    /// Returns its name: `key`, `shredded`, `not-lent` or `left-out`.
    pub const fn name(self) -> &'static str {
        match self.word() {
            Some(word) => word,
            None => "key",
        }
    }

    /// Returns the word that files have in the place of the key.
    pub(super) const fn word(self) -> Option<&'static str> {
        match self {
            Self::Present => None,
            Self::Shredded => Some(SHREDDED),
            Self::NotLent => Some(NOT_LENT),
            Self::LeftOut => Some(LEFT_OUT),
        }
    }
}
