//! JSON as bytes and positions in them. Records are read without building a tree. The fields that
//! were found in a record are positions too.

mod around;
mod containers;
mod events;
mod inside;
mod locate;
mod members;
mod missed;
mod node;
mod otlp;
mod scan;
mod strings;
mod text;

#[cfg(test)]
mod tests;

use alloc::{string::String, vec::Vec};
use core::ops::Range;

use crate::order::sort_by_key;
pub use crate::path::MAX_STRINGS;
pub use around::{Around, Scope};
#[cfg(test)]
pub(crate) use count::looked_at;
pub use events::{event_of, events};
pub(crate) use inside::{Positions, write_content};
pub use locate::{locate, value};
pub use members::{MAX_MEMBERS, Members, Visitor, members};
pub use missed::missed;
pub use node::{Node, same_key};
pub(crate) use otlp::{KINDS, locate as locate_otlp};
pub use scan::{Bad, Unfinished, Whole, Why, validate, whole};
pub(crate) use scan::{Event, Scanner};
pub use strings::{Notes, Place, objects, strings};
pub use text::{
    decode_bytes, decode_string, embed, embed_exact, encode_string, has_surrogate, on_one_line,
    write_string,
};

/// The fields of a record that rules name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// The fields, in the order of the rules, or for OTLP in that of the line.
    pub found: Vec<Located>,
    /// Set if the rules are those of OTLP.
    pub is_otlp: bool,
    /// The log records and spans of OTLP.
    pub records: Vec<Range<usize>>,
    /// The reason, if any, why a line of OTLP may have fields that were not found.
    pub missed: Option<Missed>,
    /// The JSON texts in strings that contain some of them. A text comes after the one around it.
    pub texts: Vec<Text>,
}

/// A JSON text in a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The index of the text with the string, or `None` for the record.
    pub around: Option<usize>,
    /// The range of the string in it, without the quotes.
    pub content: Range<usize>,
    /// The decoded text.
    pub bytes: Vec<u8>,
}

/// A field that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The index of the rule that found it.
    pub rule: usize,
    /// The index of the text with the field, or `None` for the record. All ranges are in it.
    pub text: Option<usize>,
    /// The range of the value.
    pub value: Range<usize>,
    /// The container of the value.
    pub place: Container,
    /// Set if the result is already present, and is not to be replaced.
    pub done: bool,
    /// The results that are already present, each with a comma.
    pub results: Vec<Range<usize>>,
    /// The status and other marks that an earlier run wrote, each with a comma.
    pub stale: Vec<Range<usize>>,
    /// The position of the container that was found, or of the string around it.
    at: usize,
}

/// The container of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// A member of an object, with the range of its name.
    Member(Range<usize>),
    /// A key-value object in an array, with its range.
    Pair(Range<usize>),
    /// An item of an array, which cannot have a result beside it.
    Item,
    /// An attribute or body of OTLP, which is replaced.
    Otlp(OtlpPlace),
}

/// A field of OTLP, whose status is an attribute beside it, or of its log record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtlpPlace {
    /// The range of the string that is the whole value, if it is one, with the quotes.
    pub string: Option<Range<usize>>,
    /// The index of its record.
    pub record: Option<usize>,
    /// The key of the status.
    pub status: String,
    /// The range of the status that an earlier run wrote.
    pub earlier: Option<Range<usize>>,
    /// The place of a new status.
    pub new: NewAttribute,
}

/// The place of a new attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewAttribute {
    /// After another one that ends here.
    After(usize),
    /// In an empty list.
    First(usize),
    /// In a new list, after the member that ends here.
    InNewList(usize),
    /// Nowhere, since the attributes of the record are not a list.
    Nowhere,
}

impl Fields {
    /// Returns the text with a field.
    pub fn text<'a>(&'a self, record: &'a [u8], number: Option<usize>) -> &'a [u8] {
        number.map_or(record, |number| &self.texts[number].bytes)
    }

    /// Returns the indexes of the texts in the order of [`Text::place`].
    fn texts_by_place(&self) -> Vec<usize> {
        let mut texts: Vec<_> = (0..self.texts.len()).collect();
        sort_by_key(&mut texts, |text| self.texts[*text].place());
        texts
    }

    /// Returns the text in a string. `texts` are some in the order of their places.
    fn text_at(
        &self,
        texts: &[usize],
        around: Option<usize>,
        string: &Range<usize>,
    ) -> Option<usize> {
        let place = place(around, string.start + 1);
        let found = texts.binary_search_by_key(&place, |text| self.texts[*text].place());
        found.ok().map(|index| texts[index])
    }

    /// Keeps the outermost of nested fields, which are in the order of the record.
    pub(crate) fn keep_outermost(&mut self) {
        let mut end = 0;
        self.found.retain(|field| {
            let is_outer = field.value.start >= end;
            end = end.max(field.value.end);
            is_outer
        });
    }

    /// Returns the position of a field in the record. A field in a string is at the position of the
    /// string.
    pub fn position(&self, field: &Located) -> usize {
        let Some(mut text) = field.text else {
            return field.value.start;
        };
        while let Some(around) = self.texts[text].around {
            text = around;
        }
        self.texts[text].content.start - 1
    }

    /// Returns the value of a field.
    pub fn value<'a>(&'a self, record: &'a [u8], field: &Located) -> &'a [u8] {
        &self.text(record, field.text)[field.value.clone()]
    }
}

impl Text {
    /// Returns a number for the text around it, and its position there.
    fn place(&self) -> (usize, usize) {
        place(self.around, self.content.start)
    }
}

fn place(around: Option<usize>, start: usize) -> (usize, usize) {
    (around.map_or(0, |around| around + 1), start)
}

impl Located {
    /// Creates a field without anything of an earlier run.
    const fn new(rule: usize, text: Option<usize>, value: Range<usize>, place: Container) -> Self {
        Self {
            rule,
            text,
            value,
            place,
            done: false,
            results: Vec::new(),
            stale: Vec::new(),
            at: 0,
        }
    }
}

/// The reason why a rule does not reach all fields that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// An object has two members with a name of the path to a field.
    RepeatedName,
    /// There is a list where a path names a member, and an object in the list has that member.
    InList,
    /// A string where a path names a member begins like JSON, but is not JSON.
    DamagedString,
    /// JSON inside strings is nested deeper than it is searched.
    TooDeep,
    /// The rules name fields of OTLP, and the record is not OTLP.
    NotOtlp,
}

/// The number of bytes that were looked at, for tests of the bound on it.
#[cfg(test)]
mod count {
    extern crate std;

    std::thread_local! {
        static BYTES: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
    }

    pub(super) fn add(bytes: usize) {
        BYTES.set(BYTES.get() + bytes);
    }

    /// Returns the number of bytes that this thread looked at so far.
    pub(crate) fn looked_at() -> usize {
        BYTES.get()
    }
}
