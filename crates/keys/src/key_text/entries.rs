//! The entries of a key file, with their lines and comments.

use serde::de::IgnoredAny;

use super::Content;
use crate::{
    pem, read_private,
    secret::has_private_line,
    trim::{is_invisible, undo},
};

/// A part of a key file that should be a key.
pub struct Entry<'a> {
    /// The number of its first line, from 1.
    pub line: usize,
    /// The key.
    pub content: Content<'a>,
    comment: Option<&'a str>,
}

/// An iterator over the entries of a text.
pub(super) struct Entries<'a> {
    rest: &'a str,
    line: usize,
    /// The comment on the line above, which an empty line cancels.
    above: Option<&'a str>,
}

impl<'a> Entry<'a> {
    pub(super) fn binary(bytes: &'a [u8]) -> Self {
        Self {
            line: 1,
            content: Content::Binary(bytes),
            comment: None,
        }
    }

    /// Returns the comment as a label, which may be shown. A comment that holds a key, such as one
    /// that was commented out, is not a label.
    pub fn label(&self) -> Option<String> {
        let comment = self.comment?.trim_start_matches('#').trim();
        let is_key = |word: &str| word.len() >= 32 && read_private(word, None).is_ok();
        let secret = has_private_line(comment)
            || comment.split([' ', '\t', ':', '"', '\'', ',']).any(is_key);
        (!comment.is_empty() && !secret).then(|| comment.to_owned())
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        while !self.rest.is_empty() {
            let line = self.line;
            let (content, beside) = self.part();
            let comment = beside.or(self.above.take());
            match content {
                Some(content) => {
                    return Some(Entry {
                        line,
                        content,
                        comment,
                    });
                }
                None => self.above = beside,
            }
        }
        None
    }
}

impl<'a> Entries<'a> {
    pub(super) const fn new(rest: &'a str) -> Self {
        Self {
            rest,
            line: 1,
            above: None,
        }
    }

    /// Takes the line, block or object at the beginning, and the comment next to it; either may be
    /// missing.
    ///
    /// An object is parsed before the end of the line is searched, since one line may have
    /// thousands of objects and would be scanned once for each.
    fn part(&mut self) -> (Option<Content<'a>>, Option<&'a str>) {
        let start = self
            .rest
            .trim_start_matches(|c| is_invisible(c) && c != '\n');
        if start.starts_with('{') {
            let object = self.take(self.rest.len() - start.len() + object(start));
            let line = self.rest.split('\n').next().unwrap_or_default();
            let comment = line.trim_start().strip_prefix('#');
            if comment.is_some() {
                self.take(line.len());
            }
            return (Some(Content::detect(object)), comment);
        }
        let line = self.rest.find('\n').map_or(self.rest.len(), |end| end + 1);
        if !start.starts_with('#') && self.rest[..line].contains(pem::BEGIN) {
            let block = self.take(block(self.rest, line));
            return (Some(Content::detect(block)), None);
        }
        let line = self.take(line);
        let (key, comment) = match line.split_once('#') {
            Some((key, comment)) => (key, Some(comment)),
            None => (line, None),
        };
        let content = Some(undo(key)).filter(|key| !key.is_empty());
        (content.map(Content::Line), comment)
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }
}

/// Returns the text below lines that are empty or begin with `#`.
pub(super) fn after_comments(mut text: &str) -> &str {
    while let Some(comment) = text.trim_start().strip_prefix('#') {
        text = comment.split_once('\n').map_or("", |(_, below)| below);
    }
    text
}

/// Returns the length of the JSON object at the beginning, or of all that follows if it is not
/// valid.
fn object(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => text.len(),
    }
}

/// Returns the length up to the end of the line that ends the block, or up to the next block or the
/// end of the text if there is no such line.
fn block(rest: &str, first: usize) -> usize {
    let mut length = first;
    if rest[..first].contains(pem::END) {
        return length;
    }
    for line in rest[first..].split_inclusive('\n') {
        if line.contains(pem::BEGIN) {
            break;
        }
        length += line.len();
        if line.contains(pem::END) {
            break;
        }
    }
    length
}
