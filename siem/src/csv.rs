//! Rows of cells (RFC 4180, whatever byte is between cells): where cells are in a row, and texts
//! put into cells.

use std::{borrow::Cow, ops::Range};

/// Where a reader of a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum At {
    #[default]
    CellStart,
    /// In a cell, or a part of one, that no quotes are around: quotes mean nothing there.
    Bare,
    Quoted,
    /// After a quote within quotes: they end there, or it was the first of two, which stand for
    /// one.
    Quote,
}

/// A row, which has no line break at its end but may have the carriage return of one.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    bytes: &'a [u8],
    pub(crate) cells: Vec<Range<usize>>,
}

impl At {
    /// After one byte more.
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
    /// `None` if a quote is never closed.
    pub(crate) fn parse(bytes: &'a [u8], delimiter: u8) -> Option<Self> {
        let end = bytes.len() - usize::from(bytes.ends_with(b"\r"));
        let (mut cells, mut start, mut at) = (Vec::new(), 0, At::default());
        for (place, byte) in bytes[..end].iter().enumerate() {
            at = at.after(*byte, delimiter);
            if at == At::CellStart {
                cells.push(start..place);
                start = place + 1;
            }
        }
        cells.push(start..end);
        (at != At::Quoted).then_some(Self { bytes, cells })
    }

    /// The text of a cell.
    pub(crate) fn cell(&self, column: usize) -> Cow<'a, [u8]> {
        decode(self.raw(column))
    }

    fn raw(&self, column: usize) -> &'a [u8] {
        &self.bytes[self.cells[column].clone()]
    }

    /// Writes the row with other texts in some of its cells, and with cells added up to `columns`.
    /// Cells that stay keep their quoting.
    pub(crate) fn write(
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

fn decode(raw: &[u8]) -> Cow<'_, [u8]> {
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
        // Outside of its quotes a cell has no delimiter and no line break, so this one says
        // nothing.
        at = at.after(*byte, b'\n');
        if at != At::Quote {
            text.push(*byte);
        }
    }
    text.into()
}

/// A text in place of the cell `old`. It is quoted if it must be; without need a cell that has
/// quotes in it and none around it is left so, since its reader may know no quoting.
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
            std::slice::from_ref(byte)
        })
    });
    out.push(b'"');
}
