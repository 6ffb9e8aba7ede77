//! The rows of a table as JSON objects.

use pqseal_records::{
    csv::{Fault, Row, declared_separator},
    detect::trim_start,
    split::Place,
    table::Objects,
};

use crate::block::Block;

/// A table. Its first row is the header.
pub(crate) struct Rows {
    pub(crate) delimiter: u8,
    fields: Vec<String>,
    /// Set if a line before the header declares the delimiter.
    is_declared: bool,
    header: Header,
}

enum Header {
    Expected,
    Read(Objects),
    /// It is not a row, so the rows have no names.
    Bad,
}

impl Rows {
    pub(crate) fn new(beginning: &[u8], delimiter: u8, fields: &[&str]) -> Self {
        let first = trim_start(beginning).split(|byte| *byte == b'\n').next();
        let declared = first.and_then(declared_separator);
        Self {
            delimiter: declared.unwrap_or(delimiter),
            fields: fields.iter().map(|field| (*field).to_owned()).collect(),
            is_declared: declared.is_some(),
            header: Header::Expected,
        }
    }

    /// Adds a row to a block. A line that is not a row is added as it is.
    pub(crate) fn add(&mut self, row: &[u8], number: u64, place: Place, block: &mut Block) {
        if row.trim_ascii().is_empty() {
            return;
        }
        let objects = match &self.header {
            Header::Expected => return self.read_header(row),
            Header::Read(objects) => Some(objects),
            Header::Bad => None,
        };
        block.add(number, place, |out| {
            if objects.is_none_or(|objects| objects.write(row, out).is_err()) {
                out.extend_from_slice(row);
            }
        });
    }

    fn read_header(&mut self, row: &[u8]) {
        if std::mem::take(&mut self.is_declared) {
            return;
        }
        let fields: Vec<_> = self.fields.iter().map(String::as_str).collect();
        let objects = Objects::new(row, self.delimiter, &fields);
        self.header = objects.map_or(Header::Bad, Header::Read);
    }

    /// Reports whether the last row has a quote that is never closed.
    pub(crate) fn has_open_quote(&self, row: &[u8]) -> bool {
        let fault = Row::parse(row, self.delimiter).err();
        fault == Some(Fault::Quotes) && Row::parse(&[row, b"\""].concat(), self.delimiter).is_ok()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        match &self.header {
            Header::Read(objects) => objects.names().map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }
}
