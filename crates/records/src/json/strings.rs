//! All strings of a record, and the objects that are sought by their members, for programs that look
//! for blobs and sealed objects in fields of any name.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{fmt, ops::Range};

use super::{
    Bad, Event, MAX_STRINGS, Scanner, decode_bytes,
    inside::{self, Inside},
};

/// The number of bytes of a path, in the record or in a string around the text, that are shown. A
/// record may have as many values at a long path as it has bytes, so longer paths would take memory
/// in proportion to its square.
const MAX_SHOWN: usize = 512;

/// The path of a value, such as `.Metadata.encrypted_matched_data` or `.list[0]`. If it is longer
/// than 512 bytes, `…` is in the place of the rest.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The path of the string around the text.
    around: Option<&'p Place<'p>>,
    text: &'p [u8],
    steps: &'p [Step],
}

/// A step into a container.
#[derive(Clone, Debug)]
enum Step {
    /// A member, by the range of its name.
    Member(Range<usize>),
    /// An item, by its index.
    Item(usize),
}

/// Passes each string to `visit`, in order, with its path and with its quotes. JSON inside strings
/// is entered, up to [`MAX_STRINGS`] deep. `visit` receives all strings before the error, too.
///
/// ```
/// use pqseal_records::json::{decode_string, strings};
///
/// let mut seen = Vec::new();
/// let record = br#"{"a":[1,"x"],"log":"{\"b\":\"y\"}\n"}"#;
/// strings(record, &mut |place, string| {
///     seen.push((place.to_string(), decode_string(string).unwrap().into_owned()));
/// })?;
/// assert_eq!(seen, [(".a[1]".to_owned(), b"x".to_vec()), (".log.b".to_owned(), b"y".to_vec())]);
/// # Ok::<(), pqseal_records::json::Bad>(())
/// ```
///
/// # Errors
/// An error if the record is not JSON.
pub fn strings(record: &[u8], visit: &mut dyn FnMut(&Place<'_>, &[u8])) -> Result<(), Bad> {
    walk(record, None, MAX_STRINGS, visit)
}

fn walk(
    text: &[u8],
    around: Option<&Place<'_>>,
    depth: u8,
    visit: &mut dyn FnMut(&Place<'_>, &[u8]),
) -> Result<(), Bad> {
    let mut steps: Vec<Step> = Vec::new();
    for event in Scanner::new(text) {
        match event? {
            // A member's step is set by its name.
            Event::Begin(_) => steps.push(Step::Item(0)),
            Event::Key(key) => {
                if let Some(step) = steps.last_mut() {
                    *step = Step::Member(key);
                }
                continue;
            }
            Event::End(_) => {
                steps.pop();
                next(&mut steps);
            }
            Event::Scalar(value) => {
                let (value, steps_now) = (&text[value], steps.as_slice());
                if value.starts_with(b"\"") {
                    let place = Place {
                        around,
                        ..Place::new(text, steps_now)
                    };
                    match inside::look(value) {
                        Inside::Json(inner) if depth > 0 => {
                            walk(&inner, Some(&place), depth - 1, visit)?;
                        }
                        _ => visit(&place, value),
                    }
                }
                next(&mut steps);
            }
        }
    }
    Ok(())
}

/// Steps to the next item of an array.
fn next(steps: &mut [Step]) {
    if let Some(Step::Item(index)) = steps.last_mut() {
        *index += 1;
    }
}

impl<'p> Place<'p> {
    const fn new(text: &'p [u8], steps: &'p [Step]) -> Self {
        Self {
            around: None,
            text,
            steps,
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(around) = self.around {
            around.fmt(f)?;
        }
        let mut rest = MAX_SHOWN;
        for step in self.steps {
            let shown = step.shown(self.text, rest);
            let Some(shown) = shown.filter(|shown| shown.len() <= rest) else {
                return f.write_str("…");
            };
            rest -= shown.len();
            f.write_str(&shown)?;
        }
        Ok(())
    }
}

impl Step {
    /// Returns the step as text, or `None` if it is longer than `most` bytes, and then nothing may
    /// have been decoded.
    fn shown(&self, text: &[u8], most: usize) -> Option<String> {
        match self {
            Self::Item(index) => Some(format!("[{index}]")),
            // The longest escape has six bytes for one.
            Self::Member(name) if name.len() > 6 * most + 2 => None,
            Self::Member(name) => {
                let name = decode_bytes(&text[name.clone()]).unwrap_or_default();
                Some(format!(".{}", String::from_utf8_lossy(&name)))
            }
        }
    }
}

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
    use crate::json::same_key;

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
        let before = crate::json::looked_at();
        assert_eq!(found(&record).len(), 1);
        let looked_at = crate::json::looked_at() - before;
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
