//! Records that may be parts of damaged ones. The lines of a document over several lines are not
//! JSON in general, but one of them may be, and so may a part of a value after a lost bracket. No
//! field would be found in it, and plaintext would pass. So after a record that is not JSON, an
//! object at the start of a line is a record unless it continues the unfinished document. After a
//! possible line of a longer document, it must also have a field.

use pqseal_records::{
    json::{self, Unfinished, Whole},
    split::{Slot, SlotKind},
};

use crate::batches::Batch;

/// The byte before a record of a JSON text sequence (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;
/// The last byte of a byte order mark.
const MARK_END: u8 = 0xbf;

/// The doubt after the records so far.
#[derive(Default)]
pub(crate) struct Doubt {
    level: DoubtLevel,
    /// A document that may continue in the next line.
    begun: Option<PartialDocument>,
    /// The number of a damaged value whose end is unknown. All later data is a part of it.
    lost: Option<u64>,
    /// The last byte before the batch.
    last: Option<u8>,
}

/// A document of which some lines are known.
struct PartialDocument {
    text: Vec<u8>,
    end: Unfinished,
    /// The damage before and after it.
    before: DoubtLevel,
}

/// The damage of the last record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DoubtLevel {
    #[default]
    None,
    Damaged,
    /// The record may be a line of a document over several lines.
    Line,
}

impl DoubtLevel {
    /// Returns a name that is the same in every release.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Damaged => "damaged",
            Self::Line => "line",
        }
    }

    /// Returns the level with this name.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let mut all = [Self::None, Self::Damaged, Self::Line].into_iter();
        all.find(|level| level.name() == name)
    }
}

impl Doubt {
    /// Returns the doubt after unknown records.
    pub(crate) fn raised() -> Self {
        Self::after(DoubtLevel::Damaged)
    }

    /// Returns the doubt after a record with this damage.
    pub(crate) fn after(level: DoubtLevel) -> Self {
        Self {
            level,
            ..Self::default()
        }
    }

    /// Returns the damage of the last record, without its text.
    pub(crate) const fn level(&self) -> DoubtLevel {
        match self.begun {
            Some(_) => DoubtLevel::Line,
            None => self.level,
        }
    }

    pub(super) fn is_raised(&self) -> bool {
        self.level != DoubtLevel::None
    }

    /// Returns the number of a damaged value that extends to the end.
    pub(super) const fn lost(&self) -> Option<u64> {
        self.lost
    }

    /// Marks the records of a batch that may be parts of other records of at most this size.
    pub(super) fn mark(
        &mut self,
        batch: &mut Batch,
        largest: usize,
        has_field: impl Fn(&[u8]) -> bool,
    ) {
        for at in 0..batch.slots.len() {
            let Slot {
                range,
                kind,
                number,
            } = batch.slots[at].clone();
            let text = &batch.bytes[range.clone()];
            let before = batch.bytes[..range.start].last().copied().or(self.last);
            let is_alone =
                before.is_none_or(|byte| matches!(byte, b'\n' | 0 | RECORD_SEPARATOR | MARK_END));
            let is_record = match kind {
                SlotKind::Record if batch.has_values => {
                    let is_record = json::validate(text).is_ok();
                    if !is_record && !is_balanced(text) {
                        (self.level, self.lost) = (DoubtLevel::Line, Some(number));
                    }
                    is_record
                }
                SlotKind::Record => self.is_line(text, is_alone, largest, &has_field),
                SlotKind::Fragment => {
                    self.level = DoubtLevel::Line;
                    false
                }
                SlotKind::TooLarge | SlotKind::Part(_) => {
                    self.level = DoubtLevel::Damaged;
                    true
                }
            };
            if !is_record {
                batch.slots[at].kind = SlotKind::Fragment;
                mark_before(batch, at, self.level, &has_field);
            }
            if self.lost.is_some() {
                batch.slots.truncate(at + 1);
                batch.slots[at].range.end = batch.bytes.len();
                return;
            }
        }
    }

    /// Ends the batch with these bytes.
    pub(super) fn passed(&mut self, bytes: &[u8]) {
        self.last = bytes.last().copied().or(self.last);
    }

    /// Reports whether a line is a record. `is_alone` is set if nothing precedes it on the line.
    fn is_line(
        &mut self,
        line: &[u8],
        is_alone: bool,
        largest: usize,
        has_field: impl Fn(&[u8]) -> bool,
    ) -> bool {
        if let Some(begun) = self.begun.take()
            && self.goes_on(begun, line, largest)
        {
            return false;
        }
        let is_object = is_alone && line.starts_with(b"{");
        let is_record = match json::whole(line, None) {
            Whole::Value => match self.level {
                DoubtLevel::None => true,
                DoubtLevel::Damaged => is_object,
                DoubtLevel::Line => is_object && has_field(line),
            },
            Whole::Unfinished(end) => {
                let (text, before) = (line.to_vec(), self.level);
                self.begun = Some(PartialDocument { text, end, before });
                false
            }
            Whole::Bad => false,
        };
        self.level = match is_record {
            true => DoubtLevel::None,
            false => self.level.max(match line.trim_ascii() {
                // After a line that ends in `{`, the next line cannot contain an object.
                [b'"' | b'}' | b']' | b',' | b':', ..] | [.., b',' | b'[' | b':'] => {
                    DoubtLevel::Line
                }
                _ => DoubtLevel::Damaged,
            }),
        };
        is_record
    }

    /// Reports whether a line continues a document.
    fn goes_on(&mut self, begun: PartialDocument, line: &[u8], largest: usize) -> bool {
        let PartialDocument {
            mut text,
            end,
            before,
        } = begun;
        text.push(b'\n');
        text.extend_from_slice(line);
        match json::whole(&text, Some(end)) {
            Whole::Value => self.level = before,
            Whole::Unfinished(end) if text.len() <= largest => {
                self.begun = Some(PartialDocument { text, end, before });
            }
            // The document is too long to keep, and this line may continue it.
            Whole::Unfinished(_) => {
                self.level = DoubtLevel::Line;
                return false;
            }
            Whole::Bad => return false,
        }
        true
    }
}

/// Marks the records before a damaged record of this level that may be parts of it.
fn mark_before(batch: &mut Batch, at: usize, level: DoubtLevel, has_field: impl Fn(&[u8]) -> bool) {
    for slot in batch.slots[..at].iter_mut().rev() {
        let text = &batch.bytes[slot.range.clone()];
        let is_object = text.starts_with(b"{");
        let is_known = is_object && (level != DoubtLevel::Line || has_field(text));
        if slot.kind != SlotKind::Record || is_known {
            return;
        }
        slot.kind = SlotKind::Fragment;
    }
}

/// Reports whether brackets and quotes show that the value is a complete object or array: no quote
/// is adjacent to a word, so none is missing, and each bracket has its counterpart.
fn is_balanced(value: &[u8]) -> bool {
    let (mut open, mut in_string, mut is_escaped, mut last) = (Vec::new(), false, false, b' ');
    for &byte in value {
        match byte {
            0..=0x1f if in_string => return false,
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' if !in_string && is_word(last) => return false,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            _ if last == b'"' && is_word(byte) => return false,
            b'{' | b'[' => open.push(byte),
            // In ASCII a closing bracket is two characters after the opening one.
            b'}' | b']' if open.pop() != Some(byte - 2) => return false,
            _ => {}
        }
        last = byte;
    }
    open.is_empty() && !in_string && matches!(last, b'}' | b']')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_-'\\".contains(&byte)
}
