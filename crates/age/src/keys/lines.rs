//! Files with one key per line.

use crate::{Error, KeyError};

/// An error of a key file, with its line.
#[derive(Debug)]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// The problem with the line.
    pub error: Error,
}

impl LineError {
    pub(super) fn new(line: usize, error: Error) -> Self {
        Self { line, error }
    }
}

/// Applies `read` to each line that is not empty or a comment.
pub(super) fn each_line<T>(
    text: &str,
    read: impl Fn(&str) -> Result<T, Error>,
) -> Result<Vec<T>, LineError> {
    each_line_numbered(text, |line, _| read(line))
}

/// Applies `read` to each such line and its number, counted from 1.
pub(super) fn each_line_numbered<T>(
    text: &str,
    mut read: impl FnMut(&str, usize) -> Result<T, Error>,
) -> Result<Vec<T>, LineError> {
    let lines = text.lines().zip(1..).filter(|(line, _)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let keys: Result<Vec<T>, LineError> = lines
        .map(|(line, number)| read(line, number).map_err(|e| LineError::new(number, e)))
        .collect();
    match keys? {
        keys if keys.is_empty() => Err(LineError::new(1, KeyError::Empty.into())),
        keys => Ok(keys),
    }
}
