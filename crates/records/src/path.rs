//! Paths to fields in a record: JSON Pointers (RFC 6901), or the dotted paths of jq and VRL.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::{fmt, str::FromStr};

/// The maximum number of nested JSON strings that a path, or the search for a field name, enters.
pub const MAX_STRINGS: u8 = 3;

/// A path to a field. `/Metadata/a.b`, `.Metadata."a.b"`, `Metadata."a.b"` and `Metadata["a.b"]` are
/// equal. `.list[].value` selects that member of every item, or of every member of an object.
/// `.list[0]` and `/list/0` are the first item.
///
/// ```
/// use pqseal_records::FieldPath;
///
/// let pointer: FieldPath = "/Metadata/a.b".parse()?;
/// let dotted: FieldPath = r#".Metadata."a.b""#.parse()?;
/// assert_eq!(pointer, dotted);
/// assert_eq!(pointer, r#"Metadata["a.b"]"#.parse()?);
/// let error = ".Metadata.".parse::<FieldPath>().unwrap_err();
/// assert_eq!(error.to_string(), "character 11: a name is missing after the last dot");
/// # Ok::<(), pqseal_records::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(pub Vec<Segment>);

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// A member of this name, or the item with this index.
    Name(String),
    /// Every item or member.
    Each,
}

/// The reason why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// The position of the step with the problem, or of what follows it, in characters from the
    /// start.
    pub offset: usize,
    /// The problem at that position.
    pub problem: PathProblem,
}

/// A problem in the text of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathProblem {
    /// The path has no steps, so it is the whole record.
    WholeRecord,
    /// A `~` in a JSON Pointer is not followed by `0` or `1`.
    Tilde,
    /// The path ends with a dot.
    LastDot,
    /// Something other than `.` or `[` follows a step.
    Separator,
    /// A `[` is not closed by `]`.
    OpenBracket,
    /// The text between `[` and `]` is not a number.
    Index,
    /// A `"` is not closed.
    OpenQuote,
    /// Two dots are adjacent.
    NoName,
}

impl FromStr for FieldPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let segments = if text.starts_with('/') {
            pointer(text)
        } else {
            dotted(text)
        }
        .map_err(|PathError { offset, problem }| {
            let before = text.get(..offset).unwrap_or(text);
            let offset = before.chars().count();
            PathError { offset, problem }
        })?;
        if segments.is_empty() {
            return Err(PathError {
                offset: 0,
                problem: PathProblem::WholeRecord,
            });
        }
        Ok(Self(segments))
    }
}

impl FieldPath {
    /// Returns the name at the end of the path, unless it ends with `[]` or a number.
    pub fn name(&self) -> Option<&str> {
        match self.0.last() {
            Some(Segment::Name(name)) if name.parse::<usize>().is_err() => Some(name),
            _ => None,
        }
    }

    /// Reports whether both paths may lead to the same field, or one to a part of the other's
    /// field. `[]` stands for every item and every member.
    ///
    /// ```
    /// use pqseal_records::FieldPath;
    ///
    /// let list: FieldPath = ".list[]".parse()?;
    /// assert!(list.overlaps(&".list[0].value".parse()?));
    /// assert!(!list.overlaps(&".other[]".parse()?));
    /// # Ok::<(), pqseal_records::PathError>(())
    /// ```
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        let mut steps = self.0.iter().zip(&other.0);
        steps.all(|(own, other)| own.overlaps(other))
    }

    /// Reports whether both fields may be members of the same object.
    #[must_use]
    pub fn is_beside(&self, other: &Self) -> bool {
        let parents = self.0.len().saturating_sub(1);
        let mut steps = self.0.iter().zip(&other.0).take(parents);
        self.0.len() == other.0.len() && steps.all(|(own, other)| own.overlaps(other))
    }
}

impl Segment {
    /// Reports whether both may lead to the same value. `0` and `00` are the same item of an
    /// array.
    fn overlaps(&self, other: &Self) -> bool {
        let (Self::Name(own), Self::Name(other)) = (self, other) else {
            return true;
        };
        let number = own.parse::<usize>();
        own == other || number.is_ok_and(|number| other.parse() == Ok(number))
    }

    /// Returns the name, unless the step is `[]`.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Each => None,
        }
    }
}

/// The dotted form, which is unique: equal paths have equal texts.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|segment| match segment {
            Segment::Each => f.write_str("[]"),
            // Quoted as in JSON.
            Segment::Name(name) if name.is_empty() || name.contains(['.', '[', '"']) => {
                write!(f, ".{}", serde_json::Value::from(name.as_str()))
            }
            Segment::Name(name) => write!(f, ".{name}"),
        })
    }
}

fn pointer(text: &str) -> Result<Vec<Segment>, PathError> {
    let mut offset = 0;
    let tokens = text.split('/').skip(1).map(|token| {
        let start = offset + 1;
        offset = start + token.len();
        let after_tilde = token.split('~').skip(1);
        if after_tilde
            .clone()
            .any(|rest| !rest.starts_with(['0', '1']))
        {
            return Err(PathError {
                offset: start,
                problem: PathProblem::Tilde,
            });
        }
        Ok(Segment::Name(token.replace("~1", "/").replace("~0", "~")))
    });
    tokens.collect()
}

fn dotted(text: &str) -> Result<Vec<Segment>, PathError> {
    let mut segments = Vec::new();
    let mut rest = text.strip_prefix('.').unwrap_or(text);
    while !rest.is_empty() {
        let offset = text.len() - rest.len();
        let (segment, after) = step(rest).map_err(|problem| PathError { offset, problem })?;
        segments.push(segment);
        rest = match after.strip_prefix('.') {
            Some("") => {
                return Err(PathError {
                    offset: text.len(),
                    problem: PathProblem::LastDot,
                });
            }
            Some(after) => after,
            None if after.is_empty() || after.starts_with('[') => after,
            None => {
                return Err(PathError {
                    offset: text.len() - after.len(),
                    problem: PathProblem::Separator,
                });
            }
        };
    }
    Ok(segments)
}

/// Parses the first step of a dotted path. Returns it with the rest of the path.
fn step(rest: &str) -> Result<(Segment, &str), PathProblem> {
    if let Some(inside) = rest.strip_prefix('[')
        && inside.starts_with('"')
    {
        let (name, after) = quoted(inside)?;
        let after = after.strip_prefix(']').ok_or(PathProblem::OpenBracket)?;
        return Ok((Segment::Name(name), after));
    }
    if let Some(inside) = rest.strip_prefix('[') {
        let (inside, after) = inside.split_once(']').ok_or(PathProblem::OpenBracket)?;
        return match inside {
            "" => Ok((Segment::Each, after)),
            _ if inside.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok((Segment::Name(inside.to_owned()), after))
            }
            _ => Err(PathProblem::Index),
        };
    }
    if rest.starts_with('"') {
        let (name, after) = quoted(rest)?;
        return Ok((Segment::Name(name), after));
    }
    let end = rest.find(['.', '[', '"']).unwrap_or(rest.len());
    match rest.split_at(end) {
        ("", _) => Err(PathProblem::NoName),
        (name, after) => Ok((Segment::Name(name.to_owned()), after)),
    }
}

/// Parses the quoted name at the beginning of a text. Returns it with the rest of the text.
fn quoted(text: &str) -> Result<(String, &str), PathProblem> {
    let mut names = serde_json::Deserializer::from_str(text).into_iter::<String>();
    match names.next() {
        Some(Ok(name)) => Ok((name, &text[names.byte_offset()..])),
        _ => Err(PathProblem::OpenQuote),
    }
}

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "character {}: {}", self.offset + 1, self.problem)
    }
}

impl fmt::Display for PathProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WholeRecord => "it names the whole record; name a field of it",
            Self::Tilde => "in a JSON Pointer `~` is written ~0, and `/` in a name ~1",
            Self::LastDot => "a name is missing after the last dot",
            Self::Separator => "expected `.` or `[`",
            Self::OpenBracket => "`]` is missing",
            Self::Index => "between `[` and `]` must be a number, a name in double quotes, or nothing; in a shell, quote the path",
            Self::OpenQuote => "the closing `\"` is missing",
            Self::NoName => "a name is missing",
        })
    }
}

impl core::error::Error for PathError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        for (text, offset) in [(".öä..a", 4), (".é[x]", 2), ("/é~/a", 1), ("/a/é/~", 5)] {
            let error = FieldPath::from_str(text).unwrap_err();
            assert_eq!(error.offset, offset, "{text}: {error}");
        }
    }
}
