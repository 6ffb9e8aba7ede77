//! The sealed fields of records, and the records with what was in them.

use std::{iter, slice};

use pqseal_records::{
    Answer, FieldPath, Finder, Found, JsonValues, ResultFormat, Rule, Rules, Segment, find::Change,
    json::write_string, rules::SEALED,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    answers::Answers,
    found::Arrays,
    js::{Object, Opener},
    search::Searched,
};

/// A finder of the fields with some names, anywhere in records.
#[wasm_bindgen]
pub struct RecordFinder {
    names: Vec<String>,
    preset: Option<KindPreset>,
    all: Finder,
    /// A finder for each name.
    single: Vec<Finder>,
}

/// A preset, whose fields have one kind of sealed value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KindPreset {
    AiGateway,
    /// Results are apart from records.
    AgentReceipts,
}

#[wasm_bindgen]
impl RecordFinder {
    /// Creates a finder for fields with these names. With the kind of all values, `ai-gateway` or
    /// `agent-receipt`, fields and results are those of that preset of `pqseal logs open`.
    #[wasm_bindgen(constructor)]
    pub fn new(names: Vec<String>, kind: Option<String>) -> Self {
        let preset = match kind.as_deref() {
            Some("ai-gateway") => Some(KindPreset::AiGateway),
            Some("agent-receipt") => Some(KindPreset::AgentReceipts),
            _ => None,
        };
        let all = finder(&names, preset);
        let single = names
            .iter()
            .map(|name| finder(slice::from_ref(name), preset))
            .collect();
        Self {
            names,
            preset,
            all,
            single,
        }
    }

    /// Finds the sealed fields of records, which are one directly after another, and the members of
    /// their events. Values longer than `longest` are cut. `hasEvents` is set if a record may be a
    /// document with many events.
    #[wasm_bindgen(unchecked_return_type = "Found")]
    pub fn find(
        &self,
        records: &[u8],
        ends: &[u32],
        #[wasm_bindgen(js_name = hasEvents)] has_events: bool,
        longest: u32,
    ) -> Object {
        let mut arrays = Arrays::new(Some(longest as usize));
        for record in parts(records, ends) {
            let searched = self.search(record, has_events);
            arrays.add(&searched, &self.names);
        }
        arrays.into_js()
    }

    /// Returns the lines of records with what was sealed in them, one for each event that is
    /// wanted. `answer` gets what was found, without members, and opens it. `numbers` has the number
    /// of each record in its input.
    ///
    /// # Errors
    /// What `answer` throws.
    pub fn write(
        &self,
        records: &[u8],
        ends: &[u32],
        #[wasm_bindgen(js_name = hasEvents)] has_events: bool,
        numbers: &[u32],
        answer: &Opener,
    ) -> Result<Option<Vec<u8>>, JsValue> {
        let records = parts(records, ends);
        let searched: Vec<_> = records
            .map(|record| (record, self.search(record, has_events)))
            .collect();
        let mut arrays = Arrays::new(None);
        for (_, searched) in &searched {
            arrays.add(searched, &self.names);
        }
        let Some(answered) = answer.call(&JsValue::UNDEFINED, arrays.into_js())? else {
            return Ok(None);
        };
        let mut answers = Answers::new(&answered);
        let mut out = Vec::new();
        for (at, (record, searched)) in searched.iter().enumerate() {
            let number = numbers.get(at).copied().unwrap_or_default();
            self.write_record((record, number), searched, &mut answers, &mut out);
        }
        Ok(Some(out))
    }
}

impl RecordFinder {
    fn search<'a>(&'a self, record: &'a [u8], has_events: bool) -> Searched<'a> {
        match self.preset {
            // A text that is no receipt has no line, and a receipt is no list of events.
            Some(KindPreset::AgentReceipts) => Searched::in_record(&self.all, record, false),
            _ => Searched::new(&self.all, record, has_events),
        }
    }

    /// Appends the lines of the wanted events of a record, which has this number.
    fn write_record(
        &self,
        (record, number): (&[u8], u32),
        searched: &Searched<'_>,
        answers: &mut Answers,
        out: &mut Vec<u8>,
    ) {
        let rows = searched.rows(self.names.len());
        let (wanted, given) = answers.take(searched.count(), &rows);
        let answers = &*answers;
        if !wanted.contains(&1) {
            return;
        }
        match searched {
            Searched::Damaged(_) if self.preset == Some(KindPreset::AgentReceipts) => {
                let found = self.all.record(record).numbered(number.into());
                let changes = found.finish::<Answer<'_>>(&[]).changes;
                self.all.write_changed(record, changes, out);
            }
            Searched::Damaged(_) => write_whole(&self.all, record, Vec::new(), out),
            Searched::Alone(text) => {
                let answer = given
                    .first()
                    .map_or(Answer::Absent, |(_, at)| answers.get(*at));
                self.write_alone(text, answer, out);
            }
            Searched::Document { found, events, .. } => {
                let finder = self.writer(found);
                let found = finder.record(record).numbered(number.into());
                let is_apart = self.preset == Some(KindPreset::AgentReceipts);
                let own = own_answers(&found, &given, answers, is_apart);
                let changes = found.finish(&own).changes;
                if !events.is_empty() {
                    let events = events.iter().zip(wanted);
                    for (event, _) in events.filter(|(_, wanted)| *wanted == 1) {
                        finder.write_event(record, &changes, event.clone(), out);
                        out.push(b'\n');
                    }
                    return;
                }
                match self.preset {
                    // One change replaces the record.
                    Some(KindPreset::AgentReceipts) => finder.write_changed(record, changes, out),
                    _ => write_whole(finder, record, changes, out),
                }
            }
        }
        out.push(b'\n');
    }

    /// Appends a text that was in no record, as a record.
    fn write_alone(&self, text: &[u8], answer: Answer<'_>, out: &mut Vec<u8>) {
        let name = self.names.first().map_or(SEALED, String::as_str);
        let mut record = b"{".to_vec();
        write_string(name.as_bytes(), &mut record);
        record.push(b':');
        write_string(text, &mut record);
        record.push(b'}');
        let finder = self.single.first().unwrap_or(&self.all);
        let found = finder.record(&record);
        // A problem of the record would have kept the text from being a member.
        let _ = finder.write(&record, &found, &[answer], out);
    }

    /// Returns the finder whose names of results are those that `pqseal logs open` uses. Except for
    /// the fields of a preset, only in a record with fields of several names each result has a status
    /// of its own.
    fn writer(&self, found: &Found<'_>) -> &Finder {
        if self.preset.is_some() {
            return &self.all;
        }
        let mut rules = found.rules();
        let first = rules.next().unwrap_or_default();
        match rules.all(|rule| rule == first) {
            true => self.single.get(first).unwrap_or(&self.all),
            false => &self.all,
        }
    }
}

/// Appends a record with changes. One over several lines becomes one line.
fn write_whole(finder: &Finder, record: &[u8], changes: Vec<Change<'_>>, out: &mut Vec<u8>) {
    match record.contains(&b'\n') {
        true => finder.write_event(record, &changes, 0..record.len(), out),
        false => finder.write_changed(record, changes, out),
    }
}

/// Creates a finder that also opens fields whose result is there: anyone could have written it.
fn finder(names: &[String], preset: Option<KindPreset>) -> Finder {
    let mut rules = Rules {
        rules: names.iter().cloned().map(Rule::anywhere).collect(),
        again: true,
        json: match preset {
            Some(_) => JsonValues::All,
            None => JsonValues::Objects,
        },
        ..Rules::default()
    };
    if preset == Some(KindPreset::AgentReceipts) {
        // The parser of paths would be two fifths of this module.
        rules.apart = Some(FieldPath(Vec::from([Segment::Name("id".to_owned())])));
        rules.form = ResultFormat::Json;
        for (rule, name) in rules.rules.iter_mut().zip(names) {
            rule.into = name.strip_suffix("_disclosure").unwrap_or(name).to_owned();
        }
    }
    Finder::documents(&rules, false)
}

/// Returns the answer to each field of a record. A result that is there stays, unless results are
/// apart from the record, of which then no member is a result.
fn own_answers<'a>(
    found: &'a Found<'_>,
    given: &[(usize, usize)],
    answers: &'a Answers,
    is_apart: bool,
) -> Vec<Answer<'a>> {
    let has_result: Vec<_> = found
        .fields()
        .map(|field| field.has_result && !is_apart)
        .collect();
    let own = found.fields().map(|field| match field.text {
        Err(problem) if is_apart || !field.has_result => Answer::Failed(problem.code()),
        _ => Answer::Absent,
    });
    let mut all: Vec<_> = own.collect();
    for (field, answer) in given {
        if let (Some(own), Some(false)) = (all.get_mut(*field), has_result.get(*field)) {
            *own = answers.get(*answer);
        }
    }
    all
}

/// Returns the parts of bytes that end at these positions.
fn parts<'a>(bytes: &'a [u8], ends: &'a [u32]) -> impl Iterator<Item = &'a [u8]> {
    let ends = ends.iter().map(|end| *end as usize);
    let starts = iter::once(0).chain(ends.clone());
    starts
        .zip(ends)
        .map(move |(start, end)| bytes.get(start..end).unwrap_or_default())
}
