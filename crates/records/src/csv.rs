//! Rows of cells (RFC 4180, with any delimiter): the positions of cells, and texts put into them.
//!
//! A line that RFC 4180 does not allow is refused, since another reader may split it into other
//! cells: text after a closing quote, an unclosed quote, or a lone carriage return. There is one
//! exception: quotes inside an unquoted cell are text.

use alloc::{borrow::Cow, vec::Vec};
use core::ops::Range;

/// The delimiters that are detected. The one that gives the most cells is chosen; of several, the
/// first.
const SEPARATORS: [u8; 4] = [b'\t', b';', b'|', b','];

/// The state of a reader of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum At {
    /// At the start of a cell.
    #[default]
    CellStart,
    /// In an unquoted cell or a part of one, where quotes have no meaning.
    Bare,
    /// Within quotes.
    Quoted,
    /// After a quote within quotes, which either closes them or is the first of two that stand for
    /// one.
    Quote,
}

/// The reason why a line is not a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Text follows a closing quote, or a quote is never closed.
    Quotes,
    /// A carriage return is not followed by a line feed.
    CarriageReturn,
}

/// A row without its line break, except that a final carriage return may remain.
#[derive(Debug)]
pub struct Row<'a> {
    bytes: &'a [u8],
    /// The range of each cell, with its quotes.
    pub cells: Vec<Range<usize>>,
}

impl At {
    /// Returns the state after one more byte.
    pub(crate) fn after(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Quoted, _) | (Self::CellStart | Self::Quote, b'"') => Self::Quoted,
            _ if byte == delimiter => Self::CellStart,
            _ => Self::Bare,
        }
    }
}

impl<'a> Row<'a> {
    /// Parses a row.
    ///
    /// # Errors
    /// [`Fault`] if the line is not a row.
    pub fn parse(bytes: &'a [u8], delimiter: u8) -> Result<Self, Fault> {
        let end = bytes.len() - usize::from(bytes.ends_with(b"\r"));
        let (mut cells, mut start, mut at) = (Vec::new(), 0, At::default());
        for (place, byte) in bytes[..end].iter().enumerate() {
            let before = at;
            at = at.after(*byte, delimiter);
            match at {
                At::CellStart => {
                    cells.push(start..place);
                    start = place + 1;
                }
                At::Bare if *byte == b'\r' => return Err(Fault::CarriageReturn),
                At::Bare if before == At::Quote => return Err(Fault::Quotes),
                _ => {}
            }
        }
        cells.push(start..end);
        match at {
            At::Quoted => Err(Fault::Quotes),
            _ => Ok(Self { bytes, cells }),
        }
    }

    /// Reports whether a cell has blanks before its opening quote. The quotes are text here, but
    /// programs that write such cells mean them as quotes, and there may be delimiters between
    /// them.
    pub fn has_late_quotes(&self) -> bool {
        self.cells.iter().any(|cell| {
            let raw = &self.bytes[cell.clone()];
            !raw.starts_with(b"\"") && raw.trim_ascii_start().starts_with(b"\"")
        })
    }

    /// Returns the text of a cell.
    pub fn cell(&self, column: usize) -> Cow<'a, [u8]> {
        let raw = self.raw(column);
        let Some(quoted) = raw.strip_prefix(b"\"") else {
            return raw.into();
        };
        if let Some(inner) = quoted
            .strip_suffix(b"\"")
            .filter(|inner| !inner.contains(&b'"'))
        {
            return inner.into();
        }
        let (mut text, mut at) = (Vec::with_capacity(quoted.len()), At::Quoted);
        for byte in quoted {
            // Outside its quotes a cell has no delimiter and no line break, so this delimiter has no
            // effect.
            at = at.after(*byte, b'\n');
            if at != At::Quote {
                text.push(*byte);
            }
        }
        text.into()
    }

    fn raw(&self, column: usize) -> &'a [u8] {
        &self.bytes[self.cells[column].clone()]
    }

    /// Writes the row with new texts in some of its cells, and with cells added up to `columns`.
    /// The other cells keep their quoting.
    pub fn write(
        &self,
        texts: &[(usize, Cow<'_, [u8]>)],
        columns: usize,
        delimiter: u8,
        out: &mut Vec<u8>,
    ) {
        for column in 0..columns {
            if column > 0 {
                out.push(delimiter);
            }
            let old = if column < self.cells.len() {
                Some(self.raw(column))
            } else {
                None
            };
            match (texts.iter().find(|(changed, _)| *changed == column), old) {
                (Some((_, text)), _) => encode(text, old.unwrap_or_default(), delimiter, out),
                (None, Some(old)) => out.extend_from_slice(old),
                (None, None) => {}
            }
        }
        out.extend_from_slice(&self.bytes[self.cells.last().map_or(0, |cell| cell.end)..]);
    }
}

/// Writes a text in place of the cell `old`, with quotes if necessary. If `old` is unquoted and
/// contains quotes, a text is not quoted only because of quotes inside it, since its reader may not
/// know quoting.
fn encode(text: &[u8], old: &[u8], delimiter: u8, out: &mut Vec<u8>) {
    let bare = !old.starts_with(b"\"") && old.contains(&b'"');
    let breaks =
        |byte: &u8| *byte == delimiter || matches!(byte, b'\r' | b'\n') || (*byte == b'"' && !bare);
    if !old.starts_with(b"\"") && !text.starts_with(b"\"") && !text.iter().any(breaks) {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    text.iter().for_each(|byte| {
        out.extend_from_slice(if *byte == b'"' {
            b"\"\""
        } else {
            core::slice::from_ref(byte)
        })
    });
    out.push(b'"');
}

/// Returns the delimiter of a table, detected from its header, or `None` if the header has one
/// cell.
#[must_use]
pub fn separator(table: &[u8]) -> Option<u8> {
    let header = table.split(|byte| *byte == b'\n').next()?;
    let counts = SEPARATORS.map(|delimiter| {
        let row = Row::parse(header, delimiter);
        (row.map_or(0, |row| row.cells.len()), delimiter)
    });
    // `max_by_key` returns the last of several maxima.
    let (cells, best) = counts.into_iter().rev().max_by_key(|(cells, _)| *cells)?;
    (cells > 1).then_some(best)
}

/// Returns the delimiter that a first line such as `sep=;` declares for Excel. Such a line is not a
/// row.
#[must_use]
pub fn declared_separator(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let quoted = line
        .strip_prefix(b"\"")
        .and_then(|line| line.strip_suffix(b"\""));
    match quoted.unwrap_or(line).split_at_checked(DECLARES.len())? {
        (name, [delimiter]) if name.eq_ignore_ascii_case(DECLARES) => Some(*delimiter),
        _ => None,
    }
}

/// Reports whether a text is the beginning of such a line, so that more of it is needed.
#[must_use]
pub fn may_declare_separator(start: &[u8]) -> bool {
    let bare = start.strip_prefix(b"\"").unwrap_or(start);
    let known = bare.len().min(DECLARES.len());
    !start.contains(&b'\n')
        && start.len() < DECLARES.len() + b"\";\"\r\n".len()
        && bare[..known].eq_ignore_ascii_case(&DECLARES[..known])
}

const DECLARES: &[u8] = b"sep=";

/// Returns the texts of the cells of a row (RFC 4180), or `None` if a quote is never closed, text
/// follows a closing quote, or there is a lone carriage return.
#[must_use]
pub fn cells(row: &[u8], delimiter: u8) -> Option<Vec<Cow<'_, [u8]>>> {
    let row = Row::parse(row, delimiter).ok()?;
    Some(
        (0..row.cells.len())
            .map(|column| row.cell(column))
            .collect(),
    )
}
