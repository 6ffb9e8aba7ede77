//! All strings of a record, for programs that look for blobs in fields of any name.

use alloc::{format, string::String, vec::Vec};
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
pub(super) enum Step {
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
pub(super) fn next(steps: &mut [Step]) {
    if let Some(Step::Item(index)) = steps.last_mut() {
        *index += 1;
    }
}

impl<'p> Place<'p> {
    pub(super) const fn new(text: &'p [u8], steps: &'p [Step]) -> Self {
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
