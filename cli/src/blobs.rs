//! Text into blobs: one blob, wrapped or not, or one per line.

use envelope::{Blob, Error, Trailing};

/// The bytes of a blob, or what is wrong with its text.
pub type Decoded = Result<Vec<u8>, Error>;

/// One blob of an input.
#[derive(Debug)]
pub struct Entry {
    /// Its line, counted from 1, if the input has one blob per line.
    pub line: Option<usize>,
    /// Its bytes.
    pub blob: Decoded,
}

/// Every blob of an input, in order; at least one. Several lines are a blob each if `one_per_line`,
/// otherwise one blob that was wrapped.
pub fn all(input: &[u8]) -> Vec<Entry> {
    let input = without_mark(input);
    if Blob::is_binary(input) {
        return vec![Entry {
            line: None,
            blob: Ok(input.to_vec()),
        }];
    }
    let lines: Vec<_> = lines(input).collect();
    if one_per_line(&lines) {
        return lines
            .into_iter()
            .map(|(number, line)| Entry {
                line: Some(number),
                blob: Blob::decode(line),
            })
            .collect();
    }
    vec![Entry {
        line: None,
        blob: Blob::decode(input),
    }]
}

/// Whether lines are a blob each. One that is whole by itself says so, since no later line of a
/// wrapped blob begins as a blob does (for version 4, one in 2^48 does). The first line does not
/// say so if it is of version 4, which has no length field: any beginning of such a blob that holds
/// the encapsulated key looks whole.
fn one_per_line(lines: &[(usize, &[u8])]) -> bool {
    match lines {
        [] | [_] => false,
        [(_, first), rest @ ..] => has_end(first) || rest.iter().any(|(_, line)| is_whole(line)),
    }
}

/// The first blob of an input, and whether lines after it were left out.
pub fn first(input: &[u8]) -> (Decoded, bool) {
    let input = without_mark(input);
    let mut lines = lines(input);
    match lines.next() {
        Some((_, line)) if is_whole(line) => (Blob::decode(line), lines.next().is_some()),
        _ => (Blob::decode(input), false),
    }
}

/// Whether one line is a whole blob, or the word that replaces one.
pub fn is_whole(line: &[u8]) -> bool {
    has_end(line) || Blob::decode(line).is_ok_and(|blob| is_v4(&blob))
}

/// The same of what says itself where it ends: versions 1 to 3, and the word `truncated`.
fn has_end(line: &[u8]) -> bool {
    match Blob::decode(line) {
        Ok(blob) => matches!(Blob::parse(&blob, Trailing::Ignore), Ok(Blob::V1to3(_))),
        Err(error) => error == Error::Truncated,
    }
}

/// A version 4 blob is distinguished from the middle of another by its suite, which is supported.
fn is_v4(blob: &[u8]) -> bool {
    Blob::describe(blob).is_ok_and(|found| found.version == 4 && found.problem.is_none())
}

/// Lines that are not blank, with their numbers.
fn lines(input: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let numbered = input.split(|byte| *byte == b'\n').enumerate();
    numbered
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim_ascii().is_empty())
}

/// Editors on Windows put a byte order mark before text.
fn without_mark(input: &[u8]) -> &[u8] {
    input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input)
}
