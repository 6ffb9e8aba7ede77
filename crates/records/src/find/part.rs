//! The fields that were found in one cell of a record.

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

use super::{Change, Text};
use crate::{
    ALL,
    answer::{Answer, AsAnswer, Problem},
    json::{self, Container, Fields, Located, Node, on_one_line, same_key, write_string},
    layout::{Cell, Document, Layout, opened},
    rules::{OnField, STATUS},
    splice::{Edits, Spliced, edit, text, write_name},
};

/// The fields that were found in one cell.
pub(super) enum Part<'a> {
    Document {
        document: &'a Document,
        text: Cow<'a, [u8]>,
        fields: Fields,
    },
    Cell {
        cell: &'a Cell,
        text: Option<Cow<'a, [u8]>>,
        done: bool,
        has_result: bool,
    },
    /// A whole record that was sealed.
    Whole(Whole<'a>),
}

/// A field to process.
pub(super) struct PendingField<'a> {
    pub(super) raw: Raw<'a>,
    /// See [`Field`](super::Field) for these.
    pub(super) rule: usize,
    pub(super) at: usize,
    pub(super) has_result: bool,
}

/// The content of a field.
pub(super) enum Raw<'a> {
    /// The text, if there is one.
    Cell(Option<&'a [u8]>),
    /// A JSON value, unchanged.
    Json(&'a [u8]),
    /// A value of OTLP, unchanged; the string that it is, and the index of its record.
    Otlp {
        value: &'a [u8],
        string: Option<&'a [u8]>,
        record: Option<usize>,
    },
}

impl Part<'_> {
    /// Returns the fields to process.
    pub(super) fn to_do(&self) -> impl Iterator<Item = PendingField<'_>> {
        let (document, other) = match self {
            Self::Document {
                document,
                text,
                fields,
            } => (Some((document, text, fields)), None),
            Self::Cell { done: true, .. } => (None, None),
            Self::Cell {
                cell,
                text,
                has_result,
                ..
            } => (
                None,
                Some(PendingField {
                    raw: Raw::Cell(text.as_deref()),
                    rule: cell.rule,
                    at: 0,
                    has_result: *has_result,
                }),
            ),
            Self::Whole(whole) => (
                None,
                Some(PendingField {
                    raw: Raw::Json(&whole.text[whole.sealed.clone()]),
                    rule: usize::MAX,
                    at: 0,
                    has_result: false,
                }),
            ),
        };
        let located = document.into_iter().flat_map(|(document, text, fields)| {
            to_do(fields).map(move |found| PendingField {
                raw: raw(text, fields, found),
                rule: document.places[found.rule],
                at: fields.position(found),
                has_result: !found.results.is_empty(),
            })
        });
        located.chain(other)
    }

    pub(super) fn is_done(&self) -> bool {
        match self {
            Self::Document { fields, .. } => fields.found.iter().any(|found| found.done),
            Self::Cell { done, .. } => *done,
            Self::Whole(_) => false,
        }
    }

    /// Reports whether a field is skipped because its result is already present.
    pub(super) fn is_skipped(&self) -> bool {
        self.is_done() && !matches!(self, Self::Cell { text: None, .. })
    }

    /// Returns the reason, if any, why the rules may not reach all fields that they name.
    pub(super) fn missed(&self) -> Option<Problem> {
        let Self::Document {
            document,
            text,
            fields,
        } = self
        else {
            return None;
        };
        let has_members = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        match has_members || !document.must_parse {
            true if fields.is_otlp => fields.missed.map(Problem::from),
            true => json::missed(text, &document.rules.rules).map(Problem::from),
            false => Some(Problem::NotAnObject),
        }
    }

    /// Adds the changes that follow from the answers. Returns the number of plaintexts that were
    /// not UTF-8.
    ///
    /// # Errors
    /// An error if fields overlap.
    pub(super) fn finish<'f, O: AsAnswer>(
        &'f self,
        answers: &[O],
        layout: &Layout,
        changes: &mut Vec<Change<'f>>,
    ) -> Result<u64, Problem> {
        Ok(match self {
            Self::Document {
                document,
                text,
                fields,
            } => {
                let (mut edits, mut lossy) = (Edits::new(fields.texts.len()), 0);
                for (found, answer) in to_do(fields).zip(answers) {
                    let edits = edits.of(found.text);
                    let (rules, delimiter) = (&document.rules, layout.delimiter());
                    lossy += u64::from(edit(found, answer.answer(), rules, delimiter, edits));
                }
                let edits = edits.raised(text, fields)?;
                if !edits.is_empty() {
                    changes.push(Change {
                        column: document.column,
                        text: Some(Text::Spliced(Spliced::new(text, edits)?)),
                    });
                }
                lossy
            }
            Self::Cell { .. } | Self::Whole(_) if !ALL => 0,
            Self::Cell { cell, .. } => answers
                .iter()
                .map(|answer| finish(cell, answer.answer(), layout, changes))
                .sum(),
            Self::Whole(whole) => {
                let answer = answers.first().map(AsAnswer::answer);
                changes.extend(answer.and_then(|answer| whole.finish(answer)));
                0
            }
        })
    }
}

fn raw<'a>(text: &'a [u8], fields: &'a Fields, found: &'a Located) -> Raw<'a> {
    let value = fields.value(text, found);
    match &found.place {
        Container::Otlp(place) => Raw::Otlp {
            value,
            string: place.string.clone().map(|string| &text[string]),
            record: place.record,
        },
        _ => Raw::Json(value),
    }
}

pub(super) fn to_do(fields: &Fields) -> impl Iterator<Item = &Located> {
    fields.found.iter().filter(|found| !found.done)
}

fn finish(cell: &Cell, answer: Answer<'_>, layout: &Layout, changes: &mut Vec<Change<'_>>) -> u64 {
    let (word, lossy) = match answer {
        Answer::Opened(plaintext) => {
            let (text, lossy) = text(plaintext, layout.form, layout.delimiter());
            if layout.mode == OnField::Drop && cell.result != cell.column {
                changes.push(Change {
                    column: cell.column,
                    text: None,
                });
            }
            changes.push(Change {
                column: cell.result,
                text: Some(Text::New(text)),
            });
            (opened(lossy), lossy)
        }
        Answer::Absent => ("absent", false),
        Answer::Truncated => ("truncated", false),
        Answer::Failed(code) => (code, false),
    };
    let is_closed = matches!(answer, Answer::Truncated | Answer::Failed(_));
    if layout.again && is_closed && cell.result != cell.column && cell.result < layout.columns {
        // Anyone may have written the result that is there.
        changes.push(Change {
            column: cell.result,
            text: None,
        });
    }
    changes.extend(cell.status.map(|column| Change {
        column,
        text: Some(Text::New(word.into())),
    }));
    u64::from(lossy)
}

/// A record that was sealed as a whole, because its fields could not be sealed: a line that was not
/// JSON, or one in which plaintext would have remained.
pub(super) struct Whole<'a> {
    /// The name of the only member.
    name: &'static str,
    text: Cow<'a, [u8]>,
    /// The position of the blob to open, as a JSON value.
    sealed: Range<usize>,
}

impl<'a> Whole<'a> {
    /// Recognises an object whose only member has this name, apart from the status of an earlier
    /// failure. The record must be valid JSON.
    pub(super) fn to_open(name: &'static str, text: Cow<'a, [u8]>) -> Option<Self> {
        let sealed = only_member(name, &text)?;
        Some(Self { name, text, sealed })
    }

    /// Returns the change that replaces the record with the result, or adds the code of the failure.
    fn finish(&self, answer: Answer<'_>) -> Option<Change<'static>> {
        let text = match answer {
            // The opened record must not contain a line break, whoever sealed it.
            Answer::Opened(plaintext) => on_one_line(plaintext, b"\n"),
            Answer::Failed(code) => {
                let mut object = b"{".to_vec();
                write_name(self.name, &mut object);
                object.extend_from_slice(&self.text[self.sealed.clone()]);
                object.push(b',');
                write_name(STATUS, &mut object);
                write_string(code.as_bytes(), &mut object);
                object.push(b'}');
                object
            }
            _ => return None,
        };
        Some(Change {
            column: 0,
            text: Some(Text::New(text)),
        })
    }
}

/// Returns the value of the only member of an object, if it has this name.
fn only_member(name: &str, text: &[u8]) -> Option<Range<usize>> {
    let root = Node::root(text);
    let mut members = root.children().filter(|_| root.is_object());
    let first = members.next()?;
    let is_only =
        same_key(&text[first.key], name) && members.all(|child| same_key(&text[child.key], STATUS));
    is_only.then_some(first.value.range)
}
