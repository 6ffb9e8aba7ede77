//! The fields of OTLP-JSON: the values of attributes, and the bodies of log records. Lists of
//! attributes are recognized wherever a line has them: in resources, scopes, records, events and
//! links of spans, and in nested lists. One walk looks at each byte once.

use alloc::{
    borrow::Cow, borrow::ToOwned, collections::BTreeMap, format, string::String, vec::Vec,
};
use core::{mem, ops::Range};

use super::{
    Bad, Container, Event, Fields, Located, Missed, NewAttribute, OtlpPlace, Scanner, Why,
    decode_bytes, decode_string, same_key,
};
use crate::{
    blob::is_blob,
    rules::{Rule, Selector, otlp::OtlpField},
};

/// Finds the fields of OTLP rules in a line, and why others may not be found.
///
/// # Errors
/// An error if the line is not JSON, or has more than `max_fields` fields.
pub(crate) fn locate(line: &[u8], rules: &[Rule], max_fields: usize) -> Result<Fields, Bad> {
    let mut walk = Walk::over(line, rules, max_fields)?;
    if !walk.is_otlp || !rules.iter().all(Rule::is_otlp) {
        walk.refuse(Missed::NotOtlp);
    }
    // A body is found at the end of its record.
    walk.fields.found.sort_by_key(|field| field.value.start);
    Ok(walk.fields)
}

/// The members of a value, as the specification and as protobuf spells them.
pub(crate) const KINDS: [&str; 14] = [
    "stringValue",
    "string_value",
    "boolValue",
    "bool_value",
    "intValue",
    "int_value",
    "doubleValue",
    "double_value",
    "bytesValue",
    "bytes_value",
    "arrayValue",
    "array_value",
    "kvlistValue",
    "kvlist_value",
];

/// The ending of the key of a status, after the key of the field.
const STATUS_ENDING: &str = ".decrypt_status";
/// The key of the status of a body.
const BODY_STATUS: &str = "body.decrypt_status";

/// The members of a line that is OTLP. Collectors also read the names of protobuf.
const ROOTS: [&str; 8] = [
    "resourceLogs",
    "resource_logs",
    "scopeLogs",
    "scope_logs",
    "resourceSpans",
    "resource_spans",
    "scopeSpans",
    "scope_spans",
];
/// The arrays whose items are records.
const RECORDS: [&str; 3] = ["logRecords", "log_records", "spans"];
/// The members that are arrays.
const LISTS: [&str; 5] = ["attributes", "values", RECORDS[0], RECORDS[1], RECORDS[2]];
const EVENT_NAMES: [&str; 2] = ["eventName", "event_name"];
/// The attribute that has the event's name where there is no such member.
const EVENT_ATTRIBUTE: &str = "event.name";

/// A walk over a line.
struct Walk<'r> {
    line: &'r [u8],
    rules: &'r [Rule],
    max_fields: usize,
    fields: Fields,
    is_otlp: bool,
}

/// An object or array that has not ended.
#[derive(Default)]
struct Open {
    start: usize,
    /// The name of the current member.
    key: Range<usize>,
    /// The end of the previous child, if there is one.
    before: Option<usize>,
    has_records: bool,
    is_record: bool,
    /// The index of the record that it is in, or is.
    record: Option<usize>,
    /// Set if the items are attributes.
    has_attributes: bool,
    /// The number of members.
    members: usize,
    /// Set if a member is one of those of values.
    has_kind: bool,
    /// The member that makes an object a string.
    string: Option<Range<usize>>,
    pair: Pair,
    log: LogRecord,
    list: List,
}

/// The members by which an object is an attribute.
#[derive(Default)]
struct Pair {
    key: Option<Range<usize>>,
    value: Option<Value>,
    is_repeated: bool,
    /// Set if a rule names any of its keys.
    is_named: bool,
}

/// A value of OTLP, or what is in its place.
struct Value {
    range: Range<usize>,
    /// The string that is the whole value, with its quotes.
    string: Option<Range<usize>>,
    /// Set if it is a value: an object with a known member or none, or null.
    is_valid: bool,
}

/// The members of a record that concern its body.
#[derive(Default)]
struct LogRecord {
    body: Option<Value>,
    has_two_bodies: bool,
    /// The names of its event.
    events: Vec<Range<usize>>,
    attributes: Option<NewAttribute>,
    status: Option<Status>,
}

/// The items of a list of attributes.
#[derive(Default)]
struct List {
    /// The last blob, by the name of its status.
    fields: BTreeMap<String, usize>,
    /// The strings of [`EVENT_ATTRIBUTE`].
    events: Vec<Range<usize>>,
    body_status: Option<Status>,
}

/// A status that an earlier run wrote.
#[derive(Clone)]
struct Status {
    pair: Range<usize>,
    /// The range that removes it, with a comma if there is one.
    removed: Range<usize>,
    /// Set if the range ends where the next item begins.
    is_first: bool,
}

impl Open {
    /// Returns what ended in this range as a value.
    fn value(&self, line: &[u8], range: Range<usize>) -> Value {
        let is_valid = match line[range.start] {
            b'{' => self.has_kind || self.members == 0,
            _ => &line[range.clone()] == b"null",
        };
        Value {
            range,
            string: self.string.clone().filter(|_| self.members == 1),
            is_valid,
        }
    }
}

impl<'r> Walk<'r> {
    fn over(line: &'r [u8], rules: &'r [Rule], max_fields: usize) -> Result<Self, Bad> {
        let mut walk = Self {
            line,
            rules,
            max_fields,
            fields: Fields {
                is_otlp: true,
                ..Fields::default()
            },
            is_otlp: false,
        };
        let mut open: Vec<Open> = Vec::new();
        for event in Scanner::new(line) {
            let (value, ended) = match event? {
                Event::Begin(start) => {
                    let child = walk.begin(start, open.last());
                    open.push(child);
                    continue;
                }
                Event::Key(key) => {
                    if let Some(object) = open.last_mut() {
                        object.key = key;
                    }
                    continue;
                }
                Event::Scalar(value) => (value, Open::default()),
                Event::End(value) => (value, open.pop().unwrap_or_default()),
            };
            let is_root = open.len() == 1;
            if let Some(parent) = open.last_mut() {
                let end = value.end;
                match line[parent.start] {
                    b'{' => walk.member(parent, value, ended, is_root),
                    _ => walk.item(parent, value, ended)?,
                }
                parent.before = Some(end);
            }
        }
        Ok(walk)
    }

    fn begin(&mut self, start: usize, parent: Option<&Open>) -> Open {
        let is_object = self.line[start] == b'{';
        // A record in another one belongs to it.
        let is_record =
            is_object && parent.is_some_and(|parent| parent.has_records && parent.record.is_none());
        if is_record {
            self.fields.records.push(start..start);
        }
        let list = parent.filter(|parent| !is_object && self.line[parent.start] == b'{');
        let list = list.map(|parent| &parent.key);
        Open {
            start,
            has_records: list.is_some_and(|name| self.is_any(name, &RECORDS)),
            has_attributes: list.is_some_and(|name| self.is_any(name, &["attributes"])),
            is_record,
            record: match is_record {
                true => Some(self.fields.records.len() - 1),
                false => parent.and_then(|parent| parent.record),
            },
            ..Open::default()
        }
    }

    fn member(&mut self, parent: &mut Open, value: Range<usize>, ended: Open, is_root: bool) {
        let key = &self.line[parent.key.clone()];
        self.is_otlp |= is_root && self.is_any(&parent.key, &ROOTS);
        let raw = &self.line[value.clone()];
        let is_list = raw.starts_with(b"[") || raw == b"null";
        let is_named_list = self.is_any(&parent.key, &LISTS) || self.is_any(&parent.key, &ROOTS);
        if is_named_list && !is_list || ended.pair.is_named {
            // No reader takes what is in it as fields, but it may be meant as such.
            self.refuse(Missed::NotOtlp);
        }
        parent.members += 1;
        parent.has_kind |= self.is_any(&parent.key, &KINDS);
        if self.is_any(&parent.key, &KINDS[..2]) {
            parent.string = Some(value.clone()).filter(|_| raw.starts_with(b"\""));
        }
        if same_key(key, "key") {
            if raw.starts_with(b"\"") {
                let is_event = same_key(raw, EVENT_ATTRIBUTE) && self.names_events();
                parent.pair.is_named |= is_event || self.rule_of(raw).is_some();
                parent.pair.is_repeated |= parent.pair.key.replace(value).is_some();
            } else {
                self.refuse(Missed::NotOtlp);
            }
        } else if same_key(key, "value") {
            let value = ended.value(self.line, value);
            parent.pair.is_repeated |= parent.pair.value.replace(value).is_some();
        } else if parent.is_record {
            self.record_member(&mut parent.log, &parent.key, value, ended);
        } else if same_key(key, "body") && self.names_bodies() {
            self.refuse(Missed::NotOtlp);
        }
    }

    fn record_member(
        &self,
        log: &mut LogRecord,
        key: &Range<usize>,
        value: Range<usize>,
        ended: Open,
    ) {
        if self.is_any(key, &["body"]) {
            let value = ended.value(self.line, value);
            log.has_two_bodies |= log.body.replace(value).is_some();
        } else if self.is_any(key, &EVENT_NAMES) {
            log.events.push(value);
        } else if self.is_any(key, &["attributes"]) {
            log.events.extend(ended.list.events);
            log.status = ended.list.body_status;
            log.attributes = Some(match (self.line[value.start], ended.before) {
                (b'[', None) => NewAttribute::First(value.end - 1),
                (b'[', Some(last)) => NewAttribute::After(last),
                _ => NewAttribute::Nowhere,
            });
        }
    }

    fn item(&mut self, list: &mut Open, value: Range<usize>, ended: Open) -> Result<(), Bad> {
        if let Some(status) = &mut list.list.body_status
            && mem::take(&mut status.is_first)
        {
            status.removed.end = value.start;
        }
        if let Some(number) = ended.record.filter(|_| ended.is_record) {
            if ended.pair.is_named {
                self.refuse(Missed::NotOtlp);
            }
            self.fields.records[number] = value;
            return self.body(&ended.log, number);
        }
        let is_empty = ended.members == 0 && self.line[value.start] == b'{';
        let key = match (&ended.pair.key, &ended.pair.value) {
            (Some(key), _) => &self.line[key.clone()],
            // Writers may leave an empty key out.
            (None, Some(_)) => b"\"\"",
            (None, None) => {
                if list.has_attributes && !is_empty {
                    self.refuse(Missed::NotOtlp);
                }
                return Ok(());
            }
        };
        if ended.pair.is_named && ended.pair.is_repeated {
            self.refuse(Missed::RepeatedName);
        }
        let string = ended
            .pair
            .value
            .as_ref()
            .and_then(|value| value.string.clone());
        if let Some(string) = &string {
            self.note(list, key, value.clone(), string);
        }
        // The name of an event is a string, and a named attribute has nothing beside its value.
        let has_other = ended.pair.value.is_none() && ended.members > 1;
        let is_event = same_key(key, EVENT_ATTRIBUTE) && self.names_events();
        if ended.pair.is_named && has_other || is_event && string.is_none() {
            self.refuse(Missed::NotOtlp);
        }
        let (Some(rule), Some(sealed)) = (self.rule_of(key), ended.pair.value) else {
            return Ok(());
        };
        let name = text(key);
        let name = format!("{}{STATUS_ENDING}", String::from_utf8_lossy(&name));
        if string.is_some_and(|string| self.is_blob(&string)) {
            let number = self.fields.found.len();
            list.list.fields.insert(name.clone(), number);
        }
        let place = OtlpPlace {
            string: sealed.string.clone(),
            record: ended.record,
            status: name,
            earlier: None,
            new: NewAttribute::After(value.end),
        };
        self.add(rule, &sealed, place, Vec::new())
    }

    /// Notes an attribute that is the name of an event, or the status of a field before it or of a
    /// body. A status is a text other than a blob.
    fn note(&mut self, list: &mut Open, key: &[u8], pair: Range<usize>, string: &Range<usize>) {
        let before = list.before;
        let list = &mut list.list;
        if same_key(key, EVENT_ATTRIBUTE) {
            list.events.push(string.clone());
        }
        let name = text(key);
        if !name.ends_with(STATUS_ENDING.as_bytes()) || self.is_blob(string) {
            return;
        }
        let status = Status {
            removed: before.unwrap_or(pair.start)..pair.end,
            is_first: before.is_none(),
            pair,
        };
        let name = String::from_utf8_lossy(&name);
        if let Some(field) = list.fields.remove(&*name) {
            // It is after the field, which stays, so there is a comma before it.
            let field = &mut self.fields.found[field];
            field.stale = Vec::from([status.removed]);
            if let Container::Otlp(of_field) = &mut field.place {
                of_field.earlier = Some(status.pair);
            }
        } else if name == BODY_STATUS {
            list.body_status = Some(status);
        }
    }

    /// Adds the body of a record, if a rule names it.
    fn body(&mut self, log: &LogRecord, record: usize) -> Result<(), Bad> {
        let (Some(body), Some(rule)) = (&log.body, self.body_rule(log)) else {
            return Ok(());
        };
        if log.has_two_bodies {
            self.refuse(Missed::RepeatedName);
        }
        let end = body.range.end;
        let stale = log.status.iter().map(|status| status.removed.clone());
        let place = OtlpPlace {
            string: body.string.clone(),
            record: Some(record),
            status: BODY_STATUS.to_owned(),
            earlier: log.status.as_ref().map(|status| status.pair.clone()),
            new: log.attributes.unwrap_or(NewAttribute::InNewList(end)),
        };
        self.add(rule, body, place, stale.collect())
    }

    fn add(
        &mut self,
        rule: usize,
        value: &Value,
        place: OtlpPlace,
        stale: Vec<Range<usize>>,
    ) -> Result<(), Bad> {
        if !value.is_valid {
            self.refuse(Missed::NotOtlp);
            return Ok(());
        }
        if self.fields.found.len() >= self.max_fields {
            return Err(Bad {
                offset: 0,
                why: Why::TooManyFields,
            });
        }
        let range = value.range.clone();
        let mut field = Located::new(rule, None, range, Container::Otlp(place));
        field.stale = stale;
        self.fields.found.push(field);
        Ok(())
    }

    /// Notes why a line cannot be sealed. The first reason counts.
    fn refuse(&mut self, missed: Missed) {
        self.fields.missed.get_or_insert(missed);
    }

    fn is_blob(&self, string: &Range<usize>) -> bool {
        decode_string(&self.line[string.clone()]).is_some_and(|text| is_blob(&text))
    }

    fn is_any(&self, key: &Range<usize>, names: &[&str]) -> bool {
        let key = &self.line[key.clone()];
        names.iter().any(|name| same_key(key, name))
    }

    /// Returns the rule that names an attribute.
    fn rule_of(&self, key: &[u8]) -> Option<usize> {
        self.rules.iter().position(|rule| match &rule.find {
            Selector::Otlp(OtlpField::Attribute(name)) => same_key(key, name),
            Selector::Otlp(OtlpField::Attributes(start)) => text(key).starts_with(start.as_bytes()),
            _ => false,
        })
    }

    fn body_rule(&self, log: &LogRecord) -> Option<usize> {
        self.rules.iter().position(|rule| match &rule.find {
            Selector::Otlp(OtlpField::Body) => true,
            Selector::Otlp(OtlpField::BodyOfEvents(start)) => {
                let mut events = log
                    .events
                    .iter()
                    .map(|event| text(&self.line[event.clone()]));
                events.any(|event| event.starts_with(start.as_bytes()))
            }
            _ => false,
        })
    }

    fn names_bodies(&self) -> bool {
        let mut finds = self.rules.iter().map(|rule| &rule.find);
        finds.any(|find| matches!(find, Selector::Otlp(OtlpField::Body))) || self.names_events()
    }

    fn names_events(&self) -> bool {
        let mut finds = self.rules.iter().map(|rule| &rule.find);
        finds.any(|find| matches!(find, Selector::Otlp(OtlpField::BodyOfEvents(_))))
    }
}

/// Returns the content of a string, with halves of surrogate pairs, or nothing for another value.
fn text(string: &[u8]) -> Cow<'_, [u8]> {
    let decoded = decode_string(string).or_else(|| decode_bytes(string));
    decoded.unwrap_or_default()
}
