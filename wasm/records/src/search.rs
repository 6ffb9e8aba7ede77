//! The events of a record, and the rows that the page makes of their sealed fields.

use std::{borrow::Cow, ops::Range};

use pqseal_records::{
    Finder, Found, Problem,
    find::Field,
    json::{decode_bytes, event_of, validate},
    order::sort_by_key,
};

/// A record that was searched.
pub(crate) enum Searched<'a> {
    /// It could not be searched.
    Damaged(Problem),
    /// It is a sealed text without a record around it.
    Alone(Cow<'a, [u8]>),
    /// It is a document.
    Document {
        record: &'a [u8],
        found: Found<'a>,
        /// Its events. Without an array of events it is the only one.
        events: Vec<Range<usize>>,
    },
}

/// The state of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowState<'f> {
    /// A sealed value. It is JSON if `is_object` is set.
    Sealed {
        text: Cow<'f, [u8]>,
        is_object: bool,
    },
    /// The event has no sealed value.
    Absent,
    /// The field is not a sealed value.
    Bad(Problem),
}

/// A row: an event with one of its fields.
pub(crate) struct PageRow<'f> {
    /// The index of the event in its record.
    pub(crate) event: usize,
    /// The index of the field in [`Found::fields`], and that of its name.
    pub(crate) field: Option<(usize, usize)>,
    pub(crate) state: RowState<'f>,
}

impl<'a> Searched<'a> {
    /// Searches a record. `has_events` is set if it may be a document with many events.
    pub(crate) fn new(finder: &'a Finder, record: &'a [u8], has_events: bool) -> Self {
        if let Some(text) = text_alone(record) {
            return Self::Alone(text.into());
        }
        let searched = Self::in_record(finder, record, has_events);
        // A longer text in quotes, which is JSON.
        if let Self::Document { found, .. } = &searched
            && !found.has_field()
            && let Some(text) = decode_bytes(record.trim_ascii())
        {
            return Self::Alone(text);
        }
        searched
    }

    /// Searches a record. A text without a record around it is damaged.
    pub(crate) fn in_record(finder: &'a Finder, record: &'a [u8], has_events: bool) -> Self {
        let found = finder.record(record);
        if let Some(problem) = found.problem() {
            return Self::Damaged(problem);
        }
        let has_fields = found.has_field();
        let events = match has_events && has_fields && record.contains(&b'[') {
            true => found.events(),
            false => Vec::new(),
        };
        Self::Document {
            record,
            found,
            events,
        }
    }

    /// Returns the number of events.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Document { events, .. } => events.len().max(1),
            Self::Damaged(_) | Self::Alone(_) => 1,
        }
    }

    /// Returns the rows, in the order of events and of fields in each. Each event has a row. `alone`
    /// is the index of the name of texts without a record.
    pub(crate) fn rows(&self, alone: usize) -> Vec<PageRow<'_>> {
        let (found, events) = match self {
            Self::Damaged(problem) => {
                return Vec::from([PageRow {
                    event: 0,
                    field: None,
                    state: RowState::Bad(*problem),
                }]);
            }
            Self::Alone(text) => {
                let (text, is_object) = (Cow::Borrowed(&**text), false);
                return Vec::from([PageRow {
                    event: 0,
                    field: Some((0, alone)),
                    state: RowState::Sealed { text, is_object },
                }]);
            }
            Self::Document { found, events, .. } => (found, events),
        };
        let mut rows = Vec::new();
        for (number, field) in found.fields().enumerate() {
            let (at, rule) = (field.at, field.rule);
            let event = event_of(events, at).unwrap_or_default();
            if let Some(state) = state(field) {
                let field = Some((number, rule));
                rows.push((
                    at,
                    PageRow {
                        event,
                        field,
                        state,
                    },
                ));
            }
        }
        let mut has_row = vec![false; self.count()];
        rows.iter().for_each(|(_, row)| has_row[row.event] = true);
        let absent = (0..has_row.len()).filter(|event| !has_row[*event]);
        rows.extend(absent.map(|event| {
            let (field, state) = (None, RowState::Absent);
            (
                0,
                PageRow {
                    event,
                    field,
                    state,
                },
            )
        }));
        sort_by_key(&mut rows, |(at, row)| (row.event, *at));
        rows.into_iter().map(|(_, row)| row).collect()
    }
}

/// Returns the state of a field, or `None` for one that is empty.
fn state(field: Field<'_>) -> Option<RowState<'_>> {
    let is_object = field.is_object;
    match field.text {
        Ok(text) => {
            let text = text.filter(|text| !text.is_empty())?;
            Some(RowState::Sealed { text, is_object })
        }
        Err(problem) => Some(RowState::Bad(problem)),
    }
}

/// Returns a sealed text that may be alone in its line: a word in quotes, without them and a comma
/// after them, or what is not JSON.
fn text_alone(record: &[u8]) -> Option<&[u8]> {
    let text = record.trim_ascii();
    let first = *text.first()?;
    match first {
        b'"' | b'\'' | b'`' if quoted(text, first).is_some() => quoted(text, first),
        b'{' | b'[' | b'"' | b'}' | b']' => None,
        // A number is a record.
        _ => validate(text).is_err().then_some(text),
    }
}

/// Returns the content of a word in quotes, perhaps with a comma after it.
fn quoted(text: &[u8], quote: u8) -> Option<&[u8]> {
    let text = text.strip_suffix(b",").unwrap_or(text);
    let word = text.strip_prefix(&[quote])?.strip_suffix(&[quote])?;
    let mut bytes = word.iter();
    bytes
        .all(|byte| byte.is_ascii_alphanumeric() || b"_+/=-".contains(byte))
        .then_some(word)
}
