//! All strings of a record, for programs that look for blobs in fields of any name.

use alloc::{string::String, vec::Vec};
use core::{fmt, ops::Range};

use super::{
    Bad, Event, MAX_STRINGS, Scanner, decode_bytes,
    inside::{self, Inside},
};

/// The path of a value, such as `.Metadata.encrypted_matched_data` or `.list[0]`.
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
                        text,
                        steps: steps_now,
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

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(around) = self.around {
            around.fmt(f)?;
        }
        self.steps.iter().try_for_each(|step| match step {
            Step::Item(index) => write!(f, "[{index}]"),
            Step::Member(name) => {
                let name = decode_bytes(&self.text[name.clone()]).unwrap_or_default();
                write!(f, ".{}", String::from_utf8_lossy(&name))
            }
        })
    }
}
