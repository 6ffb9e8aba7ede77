//! The members of a value by name, for programs that show records as the rows of a table.

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::ops::Range;

use super::{Fields, Node, decode_bytes, node::string_end, scan::is_blank};

/// The maximum number of members of a value that are visited.
pub const MAX_MEMBERS: usize = 2000;
/// The maximum depth whose members are visited. A deeper object or array is one member.
const MAX_DEPTH: usize = 8;
/// The longest name in bytes below which members are visited. Clients choose some names, and each
/// member repeats that of the object around it.
const MAX_NAME: usize = 500;

/// Gets the name of each member, and its text. Returns `false` to end the visit.
pub type Visitor<'v> = dyn FnMut(&[u8], Cow<'_, [u8]>) -> bool + 'v;

/// A choice of members.
pub struct Members<'m> {
    /// The names of members that are left out.
    pub left_out: &'m [String],
    /// Ranges of arrays that are left out, in order.
    pub apart: &'m [Range<usize>],
    /// Set if arrays of objects are left out, for members of a document around such an array.
    pub is_around: bool,
}

/// Visits the members of a value of a valid record, in order. The names of nested members are joined
/// with dots; pairs of key and value are members. The text of a string is its content, and that of
/// an object or array is compact JSON. `fields` are those that were found in the record: the JSON
/// texts in strings that contain them have members, too.
pub fn members(
    record: &[u8],
    value: Range<usize>,
    fields: &Fields,
    members: &Members<'_>,
    visit: &mut Visitor<'_>,
) {
    let mut walk = Walk {
        fields,
        texts: fields.texts_by_place(),
        members,
        left: MAX_MEMBERS,
        name: Vec::new(),
        visit,
    };
    let node = Node {
        bytes: record,
        range: value,
    };
    walk.value(&node, None, 0);
}

struct Walk<'w> {
    fields: &'w Fields,
    /// The indexes of texts, by their places.
    texts: Vec<usize>,
    members: &'w Members<'w>,
    /// The number of members that may still be visited.
    left: usize,
    /// The name of the current value.
    name: Vec<u8>,
    visit: &'w mut Visitor<'w>,
}

impl Walk<'_> {
    /// Visits a value. `text` is the index of the text that contains it.
    fn value(&mut self, node: &Node<'_>, text: Option<usize>, depth: usize) {
        if self.left == 0 {
            return;
        }
        let may_enter = depth < MAX_DEPTH && self.name.len() <= MAX_NAME;
        if !node.is_object() && !node.is_array() {
            let raw = node.raw();
            self.give(decode_bytes(raw).unwrap_or(raw.into()));
            self.inside(node, text, depth);
        } else if !may_enter || node.is_array() && is_flat(node) {
            if !self.members.is_around || is_flat(node) {
                self.give(compact(node.raw()).into());
            }
            if may_enter && !self.texts.is_empty() {
                for (number, child) in node.children().enumerate() {
                    self.named(format!("{number}").as_bytes(), |walk| {
                        walk.inside(&child.value, text, depth + 1);
                    });
                }
            }
        } else {
            self.children(node, text, depth);
        }
    }

    fn children(&mut self, node: &Node<'_>, text: Option<usize>, depth: usize) {
        let is_array = node.is_array();
        if is_array {
            let apart = self.members.apart;
            let place = apart.binary_search_by_key(&node.range.start, |array| array.start);
            let is_apart = text.is_none() && place.is_ok();
            if is_apart
                || self.members.is_around
                    && node.children().any(|child| pair(&child.value).is_none())
            {
                return;
            }
        }
        for (number, child) in node.children().enumerate() {
            let pair = if is_array { pair(&child.value) } else { None };
            let key = &node.bytes[child.key.clone()];
            let (own, value) = match pair {
                Some((key, value)) => (decode_bytes(key.raw()).unwrap_or_default(), value),
                None if is_array => (format!("{number}").into_bytes().into(), child.value),
                None => (decode_bytes(key).unwrap_or_default(), child.value),
            };
            let mut left_out = self.members.left_out.iter();
            if !left_out.any(|name| name.as_bytes() == &*own) {
                self.named(&own, |walk| walk.value(&value, text, depth + 1));
            }
        }
    }

    /// Visits the members of the JSON text in a string, if fields were found in it.
    fn inside(&mut self, node: &Node<'_>, text: Option<usize>, depth: usize) {
        if self.texts.is_empty() || depth == MAX_DEPTH || !node.is_string() {
            return;
        }
        if let Some(number) = self.fields.text_at(&self.texts, text, &node.range) {
            let inner = Node::root(&self.fields.texts[number].bytes);
            self.value(&inner, Some(number), depth + 1);
        }
    }

    /// Appends a name to that of the current value for a visit.
    fn named(&mut self, own: &[u8], visit: impl FnOnce(&mut Self)) {
        let length = self.name.len();
        if length > 0 {
            self.name.push(b'.');
        }
        self.name.extend_from_slice(own);
        visit(self);
        self.name.truncate(length);
    }

    fn give(&mut self, text: Cow<'_, [u8]>) {
        let name = match self.name.is_empty() {
            true => b"value",
            false => &*self.name,
        };
        self.left = match (self.visit)(name, text) {
            true => self.left - 1,
            false => 0,
        };
    }
}

/// Returns the key and the value of an object such as `{"key": "a", "value": 1}`.
fn pair<'a>(node: &Node<'a>) -> Option<(Node<'a>, Node<'a>)> {
    let key = node.member("key")?.value;
    let value = node.member("value")?.value;
    key.is_string().then_some((key, value))
}

/// Reports whether an object or array has no others in it.
fn is_flat(node: &Node<'_>) -> bool {
    let mut values = node.children().map(|child| child.value);
    values.all(|value| !value.is_object() && !value.is_array())
}

/// Returns JSON without white space between its values.
fn compact(json: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(json.len()), 0);
    while let Some(byte) = json.get(at) {
        let end = match byte {
            b'"' => string_end(json, at),
            _ => at + 1,
        };
        if !is_blank(*byte) {
            out.extend_from_slice(&json[at..end]);
        }
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, vec};
    use core::slice;

    use super::*;
    use crate::{Preset, json::locate};

    fn all(record: &str, choice: &Members<'_>) -> Vec<(String, String)> {
        let rules = Preset::Auto.rules().rules;
        let fields = locate(record.as_bytes(), &rules, 100).unwrap();
        let mut found = Vec::new();
        let root = Node::root(record.as_bytes()).range;
        members(
            record.as_bytes(),
            root,
            &fields,
            choice,
            &mut |name, value| {
                let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
                found.push((text(name), text(&value)));
                true
            },
        );
        found
    }

    fn own(record: &str) -> Vec<(String, String)> {
        let left_out = ["encrypted_matched_data".to_owned()];
        let choice = Members {
            left_out: &left_out,
            apart: &[],
            is_around: false,
        };
        all(record, &choice)
    }

    #[test]
    fn members_have_names_joined_with_dots() {
        for (record, expected) in [
            ("5", &[("value", "5")][..]),
            (
                r#"{"n":12345678901234567890,"e":1.50,"s":"a\\\"}","x":null,"":true}"#,
                &[
                    ("n", "12345678901234567890"),
                    ("e", "1.50"),
                    ("s", r#"a\"}"#),
                    ("x", "null"),
                    ("value", "true"),
                ],
            ),
            (
                r#"{"a":{"b":[1, " x "],"c":[{"d":1},[]],"e":{}},"encrypted_matched_data":{"f":1}}"#,
                &[("a.b", r#"[1," x "]"#), ("a.c.0.d", "1"), ("a.c.1", "[]")],
            ),
            (
                r#"{"m":[{"key":"a","value":1},{"key":"encrypted_matched_data","value":"x"},{"key":1,"value":2}]}"#,
                &[("m.a", "1"), ("m.2.key", "1"), ("m.2.value", "2")],
            ),
            // A program's line is a member, and has members.
            (
                r#"{"log":"{\"a\":1,\"encrypted_matched_data\":\"x\"}\n","l":["{\"encrypted_matched_data\":1,\"b\":2}"],"o":"{\"a\":1}"}"#,
                &[
                    ("log", "{\"a\":1,\"encrypted_matched_data\":\"x\"}\n"),
                    ("log.a", "1"),
                    ("l", r#"["{\"encrypted_matched_data\":1,\"b\":2}"]"#),
                    ("l.0.b", "2"),
                    ("o", r#"{"a":1}"#),
                ],
            ),
        ] {
            let found = own(record);
            let found: Vec<_> = found
                .iter()
                .map(|(name, text)| (&**name, &**text))
                .collect();
            assert_eq!(found, expected, "{record}");
        }
    }

    #[test]
    fn members_around_an_array_are_not_those_of_objects_in_arrays() {
        let record = r#"{"ip":"a","r":{"m":"GET"},"l":[{"a":1}],"p":[{"key":"k","value":1}],"s":[1],"events":[{"x":1}]}"#;
        let choice = Members {
            left_out: &[],
            apart: &[],
            is_around: true,
        };
        let expected = [("ip", "a"), ("r.m", "GET"), ("p.k", "1"), ("s", "[1]")];
        let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(all(record, &choice), expected);
        let start = record.find("[{\"x").unwrap();
        let events = start..record.len() - 1;
        let choice = Members {
            left_out: &[],
            apart: slice::from_ref(&events),
            is_around: false,
        };
        let found = all(record, &choice);
        assert!(found.iter().all(|(name, _)| !name.starts_with("events")));
        assert!(found.contains(&("l.0.a".to_owned(), "1".to_owned())));
    }

    #[test]
    fn long_names_and_deep_values_take_memory_in_proportion_to_the_record() {
        let below: Vec<_> = (0..10_000)
            .map(|number| format!("\"m{number}\":1"))
            .collect();
        let below = below.join(",");
        let record = format!(
            r#"{{"{}":{{{below}}},"short":{{{below}}}}}"#,
            "n".repeat(100_000)
        );
        let found = own(&record);
        assert_eq!(found.len(), MAX_MEMBERS);
        assert_eq!(found[1], ("short.m0".to_owned(), "1".to_owned()));
        for deep in [900, 5000, 60_000] {
            let record = format!(
                r#"{{"deep":{}{},"r":"x"}}"#,
                "[".repeat(deep),
                "]".repeat(deep)
            );
            let before = crate::json::looked_at();
            let found = own(&record);
            let looked_at = crate::json::looked_at() - before;
            assert_eq!(found.last().unwrap().1, "x");
            assert!(looked_at < 60 * record.len(), "{looked_at}");
        }
        assert_eq!(own("[[[1]]]"), vec![("0.0".to_owned(), "[1]".to_owned())]);
    }
}
