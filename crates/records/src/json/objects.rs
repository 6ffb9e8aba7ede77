//! The objects of a record that are sought by their members, for programs that look for them in
//! fields of any name.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Range;

use super::{
    Bad, Event, Scanner,
    strings::{Place, Step, next},
};

/// Notes of a sought object, filled by its members.
pub trait Notes: Default {
    /// Takes a member: its name with the quotes, and its value.
    fn member(&mut self, name: &[u8], value: &[u8]);

    /// Reports whether the object with these members is sought.
    fn is_sought(&self) -> bool;
}

/// An object or array that has not ended.
struct Open<N> {
    start: usize,
    notes: N,
    /// The number of objects that were found before it began.
    before: usize,
}

/// Finds the sought objects of a record, in order, with their paths. The objects within a found one
/// are not reported. Each byte is looked at once, however deep objects are nested.
///
/// # Errors
/// An error if the record is not JSON.
pub fn objects<N: Notes>(record: &[u8]) -> Result<Vec<(String, Range<usize>)>, Bad> {
    let (mut found, mut open, mut steps) = (Vec::new(), Vec::<Open<N>>::new(), Vec::new());
    for event in Scanner::new(record) {
        let value = match event? {
            Event::Begin(start) => {
                open.push(Open {
                    start,
                    notes: N::default(),
                    before: found.len(),
                });
                steps.push(Step::Item(0));
                continue;
            }
            Event::Key(key) => {
                if let Some(step) = steps.last_mut() {
                    *step = Step::Member(key);
                }
                continue;
            }
            Event::Scalar(value) => value,
            Event::End(value) => {
                steps.pop();
                if let Some(ended) = open.pop()
                    && record[ended.start] == b'{'
                    && ended.notes.is_sought()
                {
                    found.truncate(ended.before);
                    let place = Place::new(record, &steps);
                    found.push((place.to_string(), value.clone()));
                }
                value
            }
        };
        if let (Some(parent), Some(Step::Member(name))) = (open.last_mut(), steps.last()) {
            parent.notes.member(&record[name.clone()], &record[value]);
        }
        next(&mut steps);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, format};

    use super::*;
    use crate::json::{same_key, strings};

    /// Seeks objects with `"a":1`.
    #[derive(Default)]
    struct A(bool);

    impl Notes for A {
        fn member(&mut self, name: &[u8], value: &[u8]) {
            if same_key(name, "a") {
                self.0 = value == b"1";
            }
        }

        fn is_sought(&self) -> bool {
            self.0
        }
    }

    fn found(record: &str) -> Vec<(String, String)> {
        let found = objects::<A>(record.as_bytes()).unwrap().into_iter();
        found
            .map(|(path, range)| (path, record[range].to_owned()))
            .collect()
    }

    #[test]
    fn objects_are_found_with_their_paths() {
        for (record, expected) in [
            (r#" {"a":1} "#, &[("", r#"{"a":1}"#)][..]),
            (
                r#"[{"a":1},{"b":[0,{"c":{"\u0061":1}}]},{"a":[1]},["a",1]]"#,
                &[("[0]", r#"{"a":1}"#), ("[1].b[1].c", r#"{"\u0061":1}"#)],
            ),
            // The outer one only, wherever its member is.
            (
                r#"{"x":{"b":{"a":1},"a":1,"c":{"a":1}},"y":{"a":1}}"#,
                &[
                    (".x", r#"{"b":{"a":1},"a":1,"c":{"a":1}}"#),
                    (".y", r#"{"a":1}"#),
                ],
            ),
            // The last member of a name counts.
            (r#"{"x":{"a":1,"a":2}}"#, &[]),
            (r#""{\"a\":1}""#, &[]),
        ] {
            let found = found(record);
            let found: Vec<_> = found
                .iter()
                .map(|(path, text)| (&**path, &**text))
                .collect();
            assert_eq!(found, expected, "{record}");
        }
        assert!(objects::<A>(b"{").is_err());
    }

    #[test]
    fn each_byte_is_looked_at_once() {
        let depth = 10_000;
        let record = r#"{"b":[{"a":"#.repeat(depth) + r#"{"a":1}"# + &"}]}".repeat(depth);
        let before = crate::json::scan::looked_at();
        assert_eq!(found(&record).len(), 1);
        let looked_at = crate::json::scan::looked_at() - before;
        assert!(looked_at <= record.len(), "{looked_at}");
    }

    /// The paths of all values together take memory in proportion to the record.
    #[test]
    fn long_paths_are_cut() {
        let name = "k".repeat(80_000);
        let deep = 20_000;
        for (before, after) in [
            (format!(r#"{{"{name}":["#), "]}".to_owned()),
            ("[".repeat(deep), "]".repeat(deep)),
            (
                r#"{"":"#.repeat(deep) + "[",
                "]".to_owned() + &"}".repeat(deep),
            ),
        ] {
            let values = [r#"{"a":1},"s""#; 1000].join(",");
            let record = before + &values + &after;
            let found = objects::<A>(record.as_bytes()).unwrap();
            assert_eq!(found.len(), 1000);
            let mut paths: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
            strings(record.as_bytes(), &mut |place, _| {
                paths.push(place.to_string())
            })
            .unwrap();
            assert_eq!(paths.len(), 2000);
            for path in paths {
                assert!(
                    path.len() <= 512 + "…".len() && path.ends_with('…'),
                    "{path}"
                );
            }
        }
        let (name, escaped) = ("k".repeat(511), r"\u006b".repeat(511));
        assert_eq!(
            found(&format!(r#"{{"{escaped}":{{"a":1}}}}"#))[0].0,
            format!(".{name}")
        );
        assert_eq!(found(&format!(r#"{{"{name}k":{{"a":1}}}}"#))[0].0, "…");
    }
}
