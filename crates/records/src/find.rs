//! The fields that are found in a record, and the changes to them.

mod apart;
mod part;

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

use part::{Part, PendingField, Raw, Whole, to_do};

use crate::{
    ALL, FieldPath,
    answer::{AsAnswer, Problem},
    blob::is_blob,
    json,
    layout::{Cell, CellPath, Document, Layout, Target},
    rules::{JsonValues, ResultFormat},
    splice::Spliced,
};

/// A record, with the fields that were found in it.
pub struct Found<'a> {
    layout: &'a Layout,
    parts: Vec<Part<'a>>,
    /// The reason why the record could not be searched.
    bad: Option<Problem>,
    bound: Bound,
    /// The number of the record in its input.
    number: u64,
    /// Set if the record came with a result beside a field.
    has_result: bool,
    /// What the fields of each record of a line of OTLP are bound to.
    records: Vec<Bound>,
}

/// What the fields of a record are bound to, and its origin.
struct Bound {
    aad: Result<Vec<u8>, Problem>,
    origin: Vec<u8>,
}

/// A field to open or to seal.
pub struct Field<'f> {
    /// Its text; `None` for an empty cell and for null.
    pub text: Result<Option<Cow<'f, [u8]>>, Problem>,
    /// Set if the field is an object.
    pub is_object: bool,
    /// The value that it is bound to.
    pub aad: &'f [u8],
    /// The origin of the record.
    pub origin: &'f [u8],
    /// The index of the rule that found it, and `usize::MAX` for a whole record.
    pub rule: usize,
    /// The position in a document. A field in a string is at the position of the string.
    pub at: usize,
    /// Set if the record came with the result of the field.
    pub has_result: bool,
    /// Set if the text contains a lone surrogate, which requires an escape. Only when sealing.
    pub has_surrogate: bool,
}

/// The changes to a record.
#[derive(Default)]
pub struct RecordChanges<'a> {
    /// The cells that change. A document is one cell.
    pub changes: Vec<Change<'a>>,
    /// The problem of the record, apart from answers that are failures.
    pub problem: Option<Problem>,
    /// The number of plaintexts that were not UTF-8.
    pub lossy: u64,
}

/// A cell with a new text, which is assembled only when it is written.
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

impl<'a> Found<'a> {
    /// Searches a record, given its cells.
    pub fn new(layout: &'a Layout, cell: impl Fn(usize) -> Option<Cow<'a, [u8]>>) -> Self {
        let mut found = Self::empty(layout);
        for target in &layout.targets {
            match target {
                Target::Document(document) => found.document(document, cell(document.column)),
                Target::Cell(sealed) if ALL => found.cell(sealed, &cell),
                Target::Cell(_) => {}
            }
        }
        if ALL
            && let Some(name) = layout.whole
            && !layout.is_sealing()
            && found.bad.is_none()
            && let Some(whole) = cell(0).and_then(|text| Whole::to_open(name, text))
        {
            // The record has no other member that the blob could be bound to.
            return Self {
                parts: Vec::from([Part::Whole(whole)]),
                ..Self::empty(layout)
            };
        }
        if found.is_otlp() {
            found.bind_records();
            return found;
        }
        if !ALL {
            return found;
        }
        if let Some(at) = &layout.aad {
            let value = at.as_ref().and_then(|at| found.value_at(at, &cell));
            found.bound.aad = value
                .map(|raw| {
                    json::decode_string(&raw)
                        .map(Cow::into_owned)
                        .unwrap_or(raw)
                })
                .ok_or(Problem::NoAad);
        }
        for at in &layout.origin {
            found
                .bound
                .origin
                .extend(found.value_at(at, &cell).unwrap_or_default());
        }
        found
    }

    /// Creates a record that could not be searched for this reason.
    pub fn unsearched(layout: &'a Layout, problem: Problem) -> Self {
        Self {
            bad: Some(problem),
            ..Self::empty(layout)
        }
    }

    /// Creates a record without fields.
    const fn empty(layout: &'a Layout) -> Self {
        Self {
            layout,
            parts: Vec::new(),
            bad: None,
            bound: Bound {
                aad: Ok(Vec::new()),
                origin: Vec::new(),
            },
            number: 0,
            has_result: false,
            records: Vec::new(),
        }
    }

    /// Sets the number of the record in its input, for [`Rules::apart`](crate::Rules::apart).
    #[must_use]
    pub fn numbered(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    fn document(&mut self, document: &'a Document, text: Option<Cow<'a, [u8]>>) {
        let Some(text) = text.filter(|text| !text.trim_ascii().is_empty()) else {
            return;
        };
        let locate = match document.rules.is_otlp() {
            true => json::locate_otlp,
            false => json::locate,
        };
        match locate(&text, &document.rules.rules, document.rules.max_fields) {
            Ok(mut fields) => {
                // Opening writes a status. When sealing, a member of that name belongs to the
                // record.
                if self.layout.is_sealing() {
                    fields
                        .found
                        .iter_mut()
                        .for_each(|found| found.stale.clear());
                    if fields.is_otlp {
                        fields.keep_outermost();
                    }
                }
                let is_apart = self.layout.apart.is_some();
                // Results of such a rule are not written into the record, so no member of it is
                // one.
                self.has_result |= !is_apart && fields.found.iter().any(|found| found.done);
                if is_apart || self.layout.again {
                    fields.found.iter_mut().for_each(|found| found.done = false);
                }
                self.parts.push(Part::Document {
                    document,
                    text,
                    fields,
                });
            }
            Err(bad) if document.must_parse || bad.why != json::Why::Syntax => {
                self.bad = Some(bad.into());
            }
            Err(_) => {}
        }
    }

    fn cell(&mut self, sealed: &'a Cell, cell: &impl Fn(usize) -> Option<Cow<'a, [u8]>>) {
        let has_result = sealed.result != sealed.column
            && sealed.result < self.layout.columns
            && cell(sealed.result).is_some_and(|text| !text.is_empty());
        self.has_result |= has_result;
        let done = has_result && !self.layout.again;
        let text = cell(sealed.column).filter(|text| !text.is_empty());
        self.parts.push(Part::Cell {
            cell: sealed,
            text,
            done,
            has_result,
        });
    }

    fn value_at(
        &self,
        at: &CellPath,
        cell: &impl Fn(usize) -> Option<Cow<'a, [u8]>>,
    ) -> Option<Vec<u8>> {
        let text = cell(at.column)?;
        if at.path.0.is_empty() {
            return Some(text.into_owned());
        }
        let is_parsed = self.parts.iter().any(
            |part| matches!(part, Part::Document { document, .. } if document.column == at.column),
        );
        if !is_parsed {
            json::validate(&text).ok()?;
        }
        json::value(&text, &at.path)
    }

    fn is_otlp(&self) -> bool {
        ALL && self
            .parts
            .iter()
            .any(|part| matches!(part, Part::Document { fields, .. } if fields.is_otlp))
    }

    /// Finds what each record of a line of OTLP is bound to, and its origin. A field outside
    /// records has neither.
    fn bind_records(&mut self) {
        let layout = self.layout;
        let Some(Part::Document { text, fields, .. }) = self.parts.first() else {
            return;
        };
        let records = fields.records.iter().map(|record| {
            let record = &text[record.clone()];
            let aad = match &layout.aad {
                None => Ok(Vec::new()),
                Some(at) => at
                    .as_ref()
                    .and_then(|at| Some(bound_value(&at.path, &json::value(record, &at.path)?)))
                    .ok_or(Problem::NoAad),
            };
            let origins = layout.origin.iter();
            let origins = origins.flat_map(|at| json::value(record, &at.path));
            Bound {
                aad,
                origin: origins.flatten().collect(),
            }
        });
        self.records = records.collect();
        if layout.aad.is_some() {
            self.bound.aad = Err(Problem::NoAad);
        }
    }

    /// Returns the events of a document: see [`json::events`]. A row has none.
    pub fn events(&self) -> Vec<Range<usize>> {
        match self.parts.as_slice() {
            [Part::Document { text, fields, .. }] if self.layout.delimiter().is_none() => {
                json::events(text, fields)
            }
            _ => Vec::new(),
        }
    }

    /// Visits the members of a value in a document: see [`json::members`]. A row has none.
    pub fn members(
        &self,
        value: Range<usize>,
        choice: &json::Members<'_>,
        visit: &mut json::Visitor<'_>,
    ) {
        if let [Part::Document { text, fields, .. }] = self.parts.as_slice()
            && self.layout.delimiter().is_none()
        {
            json::members(text, value, fields, choice, visit);
        }
    }

    /// Returns the reason, if any, why the record could not be searched.
    pub const fn problem(&self) -> Option<Problem> {
        self.bad
    }

    /// Reports whether a field was found in a document.
    pub fn has_field(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Document { fields, .. } if !fields.found.is_empty()))
    }

    /// Reports whether a field is skipped because it already has its result.
    pub fn is_done(&self) -> bool {
        self.parts.iter().any(Part::is_done)
    }

    /// Reports whether the record came with the result of a field, skipped or not.
    pub const fn has_result(&self) -> bool {
        self.has_result
    }

    /// Returns the number of fields to open or to seal.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| part.to_do().count()).sum()
    }

    /// Returns the fields to open or to seal, in order.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        let all = self.parts.iter().flat_map(Part::to_do);
        all.map(|to_do| {
            let PendingField {
                raw,
                rule,
                at,
                has_result,
            } = to_do;
            let is_object = matches!(raw, Raw::Json(raw) if raw.starts_with(b"{"));
            let record = match raw {
                Raw::Otlp { record, .. } => record.map(|record| &self.records[record]),
                _ => None,
            };
            let Bound { aad, origin } = record.unwrap_or(&self.bound);
            let text = self.text(raw, aad);
            let has_surrogate = self.layout.is_sealing() && self.has_surrogate(&text);
            Field {
                text,
                is_object,
                aad: aad.as_deref().unwrap_or_default(),
                origin,
                rule,
                at,
                has_result,
                has_surrogate,
            }
        })
    }

    /// Returns the index of the rule of each field that was found, empty or not, and `usize::MAX`
    /// for a whole record, which is found without a rule.
    pub fn rules(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|part| {
            let (document, cell) = match part {
                Part::Document {
                    document, fields, ..
                } => (Some((document, fields)), None),
                Part::Cell { cell, .. } => (None, Some(cell.rule)),
                Part::Whole(_) => (None, Some(usize::MAX)),
            };
            let places = document.into_iter().flat_map(|(document, fields)| {
                let found = fields.found.iter();
                found.map(|located| document.places[located.rule])
            });
            places.chain(cell)
        })
    }

    fn text<'f>(
        &'f self,
        raw: Raw<'f>,
        aad: &Result<Vec<u8>, Problem>,
    ) -> Result<Option<Cow<'f, [u8]>>, Problem> {
        let seals = self.layout.is_sealing();
        let text = match raw {
            Raw::Cell(None) | Raw::Json(b"null") | Raw::Otlp { value: b"null", .. } => {
                return Ok(None);
            }
            Raw::Otlp { value, .. } if seals => value.into(),
            // A value that is not a blob is in the clear.
            Raw::Otlp { string, .. } => match string.and_then(json::decode_string) {
                Some(text) if is_blob(&text) => text,
                _ => return Ok(None),
            },
            Raw::Cell(Some(text)) => text.into(),
            Raw::Json(raw) if seals && self.layout.form == ResultFormat::Exact => raw.into(),
            Raw::Json(raw) => match json::decode_string(raw) {
                Some(text) => text,
                None if seals => json::decode_bytes(raw).unwrap_or(raw.into()),
                None if raw.starts_with(b"\"") => return Err(Problem::BadString),
                None => match self.layout.json {
                    JsonValues::Objects if raw.starts_with(b"{") => raw.into(),
                    JsonValues::All => raw.into(),
                    JsonValues::Refused | JsonValues::Objects => return Err(Problem::NotAString),
                },
            },
        };
        match aad {
            Ok(_) => Ok(Some(text)),
            Err(problem) => Err(*problem),
        }
    }

    /// Reports whether a text to seal has a lone surrogate. It is borrowed only if strings are
    /// sealed with their quotes and escapes.
    fn has_surrogate(&self, text: &Result<Option<Cow<'_, [u8]>>, Problem>) -> bool {
        match text {
            Ok(Some(Cow::Owned(text))) => json::has_surrogate(text),
            Ok(Some(Cow::Borrowed(raw)))
                if self.layout.form == ResultFormat::Exact && raw.contains(&b'\\') =>
            {
                json::decode_bytes(raw).is_some_and(|text| json::has_surrogate(&text))
            }
            _ => false,
        }
    }

    /// Returns the changes that follow from the answers to [`Found::fields`], in their order.
    pub fn finish<O: AsAnswer>(&self, answers: &[O]) -> RecordChanges<'_> {
        let (mut done, mut rest, mut overlap) = (RecordChanges::default(), answers, None);
        for part in &self.parts {
            let (own, others) = rest.split_at(part.to_do().count());
            rest = others;
            match part.finish(own, self.layout, &mut done.changes) {
                Ok(lossy) => done.lossy += lossy,
                Err(problem) => overlap = Some(problem),
            }
        }
        if overlap.is_some() {
            done.changes.clear();
        }
        done.problem = self.bad.or_else(|| self.refused()).or(overlap);
        if let Some(id) = &self.layout.apart {
            done.changes = Vec::from([self.apart(id, answers, done.problem)]);
        }
        done
    }

    /// Returns the reason, if any, why the found fields cannot be sealed without leaving plaintext.
    fn refused(&self) -> Option<Problem> {
        if !self.layout.is_sealing() {
            return None;
        }
        if self.parts.iter().any(Part::is_skipped) {
            return Some(Problem::AlreadyThere);
        }
        self.parts.iter().find_map(Part::missed)
    }
}

/// The members with ids, which programs write in either case.
const IDS: [&str; 6] = [
    "traceId",
    "trace_id",
    "spanId",
    "span_id",
    "parentSpanId",
    "parent_span_id",
];

/// Returns what a blob is bound to, by the value of a member of its record: the characters of a
/// string, in lower case for ids, or the text of another value. A time is the same as a string and
/// as a number.
fn bound_value(path: &FieldPath, value: &[u8]) -> Vec<u8> {
    let text = json::decode_string(value).unwrap_or(value.into());
    match path.name().is_some_and(|name| IDS.contains(&name)) {
        true => text.to_ascii_lowercase(),
        false => text.into_owned(),
    }
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
