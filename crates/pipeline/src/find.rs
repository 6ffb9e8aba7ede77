//! The fields that are found in a record, and the changes to them.

mod change;
mod whole;

use std::{borrow::Cow, collections::BTreeMap};

pub(crate) use change::{Change, Done, Text};
use whole::Whole;

use pqseal_records::{
    json::{self, Located},
    layout::{Cell, CellPath, Document, Layout, Target, opened},
    rules::{OnField, ResultFormat},
};

use crate::{
    batch::{Failure, Outcome, Record, Transform},
    reason::Reason,
    splice::{Spliced, edit, text},
    stats::Stats,
};

/// A record, with the fields that were found in it.
pub(crate) struct RecordFields<'a> {
    layout: &'a Layout,
    parts: Vec<Part<'a>>,
    /// The reason why the record could not be searched.
    bad: Option<Reason>,
    aad: Result<Vec<u8>, Reason>,
    origin: Vec<u8>,
}

/// The fields that were found in one cell.
enum Part<'a> {
    Document {
        document: &'a Document,
        text: Cow<'a, [u8]>,
        found: Vec<Located>,
    },
    Cell {
        cell: &'a Cell,
        text: Option<Cow<'a, [u8]>>,
        done: bool,
    },
    /// A whole record that was sealed.
    Whole(Whole<'a>),
}

/// The text of a field, or `Ok(None)` if it has none.
type Value<'a> = Result<Option<Cow<'a, [u8]>>, Reason>;

/// Processes records and counts each once, except that failed records are left to the caller to
/// count. The changes to a record are computed when the iterator reaches it, so its memory can be
/// reused for the next.
pub(crate) fn process<'f>(
    finds: &'f [RecordFields<'_>],
    transform: &impl Transform,
    stats: &'f mut Stats,
) -> impl Iterator<Item = Done<'f>> {
    let outcomes = outcomes(finds, transform, stats);
    let mut next = 0;
    finds.iter().map(move |find| {
        let first = next;
        next += find.to_do().count();
        find.finish(&outcomes[first..next], stats)
    })
}

/// Returns the outcome of each field to process, in order.
fn outcomes(
    finds: &[RecordFields<'_>],
    transform: &impl Transform,
    stats: &mut Stats,
) -> Vec<Outcome> {
    let fields = finds.iter().flat_map(RecordFields::values);
    let fields: Vec<(&RecordFields<'_>, Value<'_>)> = fields.collect();
    if transform.seals() {
        let halves = fields.iter().filter(|(find, value)| find.has_half(value));
        stats.surrogates += halves.count() as u64;
    }
    let records = fields
        .iter()
        .filter_map(|(find, value)| Some(find.record(value.as_ref().ok()?)));
    let mut outcomes = transform.chunk(&records.collect::<Vec<_>>()).into_iter();
    let outcome = |(_, value): &(_, Value<'_>)| match value {
        Ok(_) => outcomes.next().expect("one outcome per record"),
        Err(reason) => Outcome::Failed(Failure::new(reason.clone())),
    };
    fields.iter().map(outcome).collect()
}

impl<'a> RecordFields<'a> {
    /// Searches a record, given its cells.
    pub(crate) fn new(layout: &'a Layout, cell: impl Fn(usize) -> Option<Cow<'a, [u8]>>) -> Self {
        let mut find = Self::bad(layout, None);
        for target in &layout.targets {
            match target {
                Target::Document(document) => find.document(document, cell(document.column)),
                Target::Cell(sealed) => find.cell(sealed, &cell),
            }
        }
        if let Some(name) = layout.whole
            && !layout.seals
            && find.bad.is_none()
            && let Some(whole) = cell(0).and_then(|text| Whole::to_open(name, text))
        {
            // The record has no other member that the blob could be bound to.
            return Self {
                parts: vec![Part::Whole(whole)],
                ..Self::bad(layout, None)
            };
        }
        if let Some(spot) = &layout.aad {
            let value = spot.as_ref().and_then(|spot| find.value_at(spot, &cell));
            find.aad = value
                .map(|raw| {
                    json::decode_string(&raw)
                        .map(Cow::into_owned)
                        .unwrap_or(raw)
                })
                .ok_or(Reason::NoAad);
        }
        find.origin = layout
            .origin
            .iter()
            .filter_map(|spot| find.value_at(spot, &cell))
            .collect::<Vec<_>>()
            .concat();
        find
    }

    /// Creates a record that cannot be searched, for this reason.
    pub(crate) fn bad(layout: &'a Layout, bad: Option<Reason>) -> Self {
        Self {
            layout,
            parts: Vec::new(),
            bad,
            aad: Ok(Vec::new()),
            origin: Vec::new(),
        }
    }

    fn document(&mut self, document: &'a Document, text: Option<Cow<'a, [u8]>>) {
        let Some(text) = text.filter(|text| !text.trim_ascii().is_empty()) else {
            return;
        };
        match json::locate(&text, &document.rules.rules) {
            Ok(mut found) => {
                // Opening writes a status. When sealing, a member of that name belongs to the
                // record.
                if self.layout.seals {
                    found.iter_mut().for_each(|found| found.stale = None);
                }
                self.parts.push(Part::Document {
                    document,
                    text,
                    found,
                });
            }
            Err(_) if document.must_parse => self.bad = Some(Reason::BadJson),
            Err(_) => {}
        }
    }

    fn cell(&mut self, sealed: &'a Cell, cell: &impl Fn(usize) -> Option<Cow<'a, [u8]>>) {
        let has_result = |column| cell(column).is_some_and(|text| !text.is_empty());
        let done = sealed.result != sealed.column
            && sealed.result < self.layout.columns
            && has_result(sealed.result);
        let text = cell(sealed.column).filter(|text| !text.is_empty());
        self.parts.push(Part::Cell {
            cell: sealed,
            text,
            done,
        });
    }

    fn value_at(
        &self,
        spot: &CellPath,
        cell: &impl Fn(usize) -> Option<Cow<'a, [u8]>>,
    ) -> Option<Vec<u8>> {
        let text = cell(spot.column)?;
        if spot.path.0.is_empty() {
            return Some(text.into_owned());
        }
        let parsed = |part: &Part<'_>| matches!(part, Part::Document { document, .. } if document.column == spot.column);
        if !self.parts.iter().any(parsed) {
            json::validate(&text).ok()?;
        }
        json::values(&text, &spot.path)
            .first()
            .map(|node| node.raw().to_vec())
    }

    /// Reports whether a field was found in a document.
    pub(crate) fn has_field(&self) -> bool {
        let has =
            |part: &Part<'_>| matches!(part, Part::Document { found, .. } if !found.is_empty());
        self.parts.iter().any(has)
    }

    /// Returns the fields to process.
    fn to_do(&self) -> impl Iterator<Item = Field<'_>> {
        self.parts.iter().flat_map(Part::to_do)
    }

    /// Returns the text of each field to process.
    fn values(&self) -> impl Iterator<Item = (&Self, Value<'_>)> {
        self.to_do().map(move |field| (self, self.value(field)))
    }

    fn value<'f>(&'f self, field: Field<'f>) -> Value<'f> {
        let seals = self.layout.seals;
        let text = match field {
            Field::Cell(None) | Field::Json(b"null") => return Ok(None),
            Field::Cell(Some(text)) => text.into(),
            Field::Json(raw) if seals && self.layout.form == ResultFormat::Exact => raw.into(),
            Field::Json(raw) => match json::decode_string(raw) {
                Some(text) => text,
                None if seals => json::decode_bytes(raw).unwrap_or(raw.into()),
                None if raw.starts_with(b"\"") => return Err(Reason::BadString),
                None => return Err(Reason::NotAString),
            },
        };
        self.aad.as_ref().map(|_| Some(text)).map_err(Reason::clone)
    }

    /// Reports whether a value is a JSON string with a lone surrogate, which requires an escape.
    /// The text is borrowed only if strings are sealed with their quotes and escapes.
    fn has_half(&self, value: &Value<'_>) -> bool {
        match value {
            Ok(Some(Cow::Owned(text))) => json::has_surrogate(text),
            Ok(Some(Cow::Borrowed(raw)))
                if self.layout.form == ResultFormat::Exact && raw.contains(&b'\\') =>
            {
                json::decode_bytes(raw).is_some_and(|text| json::has_surrogate(&text))
            }
            _ => false,
        }
    }

    /// Returns the input of a [`Transform`] for a field with this text.
    fn record<'r>(&'r self, text: &'r Option<Cow<'_, [u8]>>) -> Record<'r> {
        Record {
            text: text.as_deref(),
            aad: self.aad.as_deref().unwrap_or_default(),
            origin: &self.origin,
        }
    }

    fn finish(&self, outcomes: &[Outcome], stats: &mut Stats) -> Done<'_> {
        let (mut changes, mut rest, mut overlap) = (Vec::new(), outcomes, None);
        for part in &self.parts {
            let (own, others) = rest.split_at(part.to_do().count());
            rest = others;
            match part.finish(own, self.layout, &mut changes) {
                Ok(lossy) => stats.lossy += lossy,
                Err(reason) => overlap = Some(reason),
            }
            part.count(&mut stats.found);
        }
        if overlap.is_some() {
            changes.clear();
        }
        for outcome in outcomes {
            if let Outcome::Opened { key, .. } = outcome {
                *stats.keys.entry(*key).or_default() += 1;
            }
        }
        let own = self.bad.clone().or_else(|| self.refused()).or(overlap);
        let own = own.map(Failure::new);
        let failure = own.or_else(|| outcomes.iter().find_map(failure).cloned());
        if failure.is_none() {
            self.count(stats, outcomes);
        }
        stats.records += 1;
        Done { changes, failure }
    }

    /// Returns the reason, if any, why the found fields cannot be sealed without leaving plaintext.
    fn refused(&self) -> Option<Reason> {
        if !self.layout.seals {
            return None;
        }
        if self.parts.iter().any(Part::is_skipped) {
            return Some(Reason::AlreadyThere);
        }
        self.parts.iter().find_map(Part::missed)
    }

    fn count(&self, stats: &mut Stats, outcomes: &[Outcome]) {
        let has = |wanted: fn(&Outcome) -> bool| outcomes.iter().any(wanted);
        let count = match () {
            () if has(|outcome| matches!(outcome, Outcome::Opened { .. })) => &mut stats.opened,
            () if has(|outcome| *outcome == Outcome::Truncated) => &mut stats.truncated,
            () if self.parts.iter().any(Part::is_done) => &mut stats.already,
            () => &mut stats.absent,
        };
        *count += 1;
    }
}

/// The content of a field.
enum Field<'a> {
    /// The text, if there is one.
    Cell(Option<&'a [u8]>),
    /// A JSON value, unchanged.
    Json(&'a [u8]),
}

impl Part<'_> {
    /// Returns the fields to process.
    fn to_do(&self) -> impl Iterator<Item = Field<'_>> {
        let (text, found, other) = match self {
            Self::Document { text, found, .. } => (&**text, found.as_slice(), None),
            Self::Cell { done: true, .. } => Default::default(),
            Self::Cell { text, .. } => (&[][..], &[][..], Some(Field::Cell(text.as_deref()))),
            Self::Whole(whole) => (&[][..], &[][..], Some(whole.field())),
        };
        let values = to_do(found).map(|found| Field::Json(&text[found.value.clone()]));
        values.chain(other)
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Document { found, .. } => found.iter().any(|found| found.done),
            Self::Cell { done, .. } => *done,
            Self::Whole(_) => false,
        }
    }

    /// Counts the fields that were found, by the indexes of the rules.
    fn count(&self, fields: &mut BTreeMap<usize, u64>) {
        let mut count = |place| *fields.entry(place).or_default() += 1;
        match self {
            Self::Document {
                document, found, ..
            } => found
                .iter()
                .for_each(|found| count(document.places[found.rule])),
            Self::Cell { cell, .. } => count(cell.rule),
            // A whole record is found without a rule.
            Self::Whole(_) => count(usize::MAX),
        }
    }

    /// Reports whether a field is skipped because its result is already present.
    fn is_skipped(&self) -> bool {
        self.is_done() && !matches!(self, Self::Cell { text: None, .. })
    }

    /// Returns the reason, if any, why the rules may not reach all fields that they name.
    fn missed(&self) -> Option<Reason> {
        let Self::Document { document, text, .. } = self else {
            return None;
        };
        let has_members = matches!(text.trim_ascii_start().first(), Some(b'{' | b'['));
        match has_members || !document.must_parse {
            true => json::missed(text, &document.rules.rules).map(Reason::from),
            false => Some(Reason::NotAnObject),
        }
    }

    /// Adds the changes that follow from the outcomes. Returns the number of plaintexts that were
    /// not UTF-8.
    ///
    /// # Errors
    /// An error if fields overlap.
    fn finish<'f>(
        &'f self,
        outcomes: &[Outcome],
        layout: &Layout,
        changes: &mut Vec<Change<'f>>,
    ) -> Result<u64, Reason> {
        Ok(match self {
            Self::Document {
                document,
                text,
                found,
            } => {
                let (mut edits, mut lossy) = (Vec::new(), 0);
                for (found, outcome) in to_do(found).zip(outcomes) {
                    let (rules, separator) = (&document.rules, layout.separator);
                    lossy += u64::from(edit(found, outcome, rules, separator, &mut edits));
                }
                if !edits.is_empty() {
                    changes.push(Change {
                        column: document.column,
                        text: Some(Text::Spliced(Spliced::new(text, edits)?)),
                    });
                }
                lossy
            }
            Self::Cell { cell, .. } => outcomes
                .iter()
                .map(|outcome| finish(cell, outcome, layout, changes))
                .sum(),
            Self::Whole(whole) => {
                changes.extend(outcomes.first().and_then(|outcome| whole.finish(outcome)));
                0
            }
        })
    }
}

fn to_do(found: &[Located]) -> impl Iterator<Item = &Located> {
    found.iter().filter(|found| !found.done)
}

fn finish(cell: &Cell, outcome: &Outcome, layout: &Layout, changes: &mut Vec<Change<'_>>) -> u64 {
    let (word, lossy) = match outcome {
        Outcome::Opened { plaintext, .. } => {
            let (text, lossy) = text(plaintext, layout.form, layout.separator);
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
        Outcome::Absent => ("absent", false),
        Outcome::Truncated => ("truncated", false),
        Outcome::Failed(failure) => (failure.code(), false),
    };
    changes.extend(cell.status.map(|column| Change {
        column,
        text: Some(Text::New(word.into())),
    }));
    u64::from(lossy)
}

fn failure(outcome: &Outcome) -> Option<&Failure> {
    match outcome {
        Outcome::Failed(failure) => Some(failure),
        _ => None,
    }
}
