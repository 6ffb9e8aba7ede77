//! Tables recognized by their header, and their rows as JSON objects, for programs that show
//! records of all formats alike.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};

use crate::{
    csv::{self, Fault, Row},
    json::{validate, write_string},
    layout::is_column_of,
    order::order,
    split::SEPARATOR,
};

/// Returns the delimiter of a table whose first row begins a text, or `None` if the text is not a
/// table. A line that is one of the fields is the header of a table of one column.
///
/// ```
/// use pqseal_records::table::delimiter;
///
/// let fields = ["encrypted_matched_data"];
/// assert_eq!(delimiter(b"RayID;encrypted_matched_data\n", &fields), Some(b';'));
/// assert_eq!(delimiter(b"encrypted_matched_data\n", &fields), Some(b','));
/// // JSON, and a blob with a comma after it.
/// assert_eq!(delimiter(b"{\"a\":1,\"b\":2}\n", &fields), None);
/// assert_eq!(delimiter(b"\"AzTY8x+/\",\n", &fields), None);
/// ```
#[must_use]
pub fn delimiter(text: &[u8], fields: &[&str]) -> Option<u8> {
    let line = text.split(|byte| *byte == b'\n').next()?.trim_ascii();
    if fields.iter().any(|field| field.as_bytes() == line) {
        return Some(b',');
    }
    match line.first() {
        Some(b'{' | b'[' | &SEPARATOR) => None,
        _ if is_word(line) => None,
        _ => csv::separator(line),
    }
}

/// Reports whether a line is only one word, such as a blob, perhaps with quotes and a comma.
fn is_word(line: &[u8]) -> bool {
    let from = usize::from(line.first().is_some_and(|byte| !in_word(byte)));
    let word = line[from..].iter().take_while(|byte| in_word(byte)).count();
    word > 0 && !line[from + word..].iter().any(in_word)
}

/// Reports whether a byte may be a part of a blob or of a name.
fn in_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_+/=-".contains(byte)
}

/// A table whose rows become JSON objects.
///
/// ```
/// use pqseal_records::table::Objects;
///
/// let header = b"n,Metadata.encrypted_matched_data";
/// let objects = Objects::new(header, b',', &["encrypted_matched_data"])?;
/// let mut out = Vec::new();
/// objects.write(b"7,AzTY", &mut out)?;
/// assert_eq!(
///     out,
///     br#"{"n":"7","Metadata.encrypted_matched_data":{"encrypted_matched_data":"AzTY"}}"#,
/// );
/// # Ok::<(), pqseal_records::csv::Fault>(())
/// ```
#[derive(Debug)]
pub struct Objects {
    delimiter: u8,
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// The name of the member. It is unique.
    name: String,
    /// The field that the cells hold.
    field: Option<String>,
}

impl Objects {
    /// Creates a table with this header. `fields` are the names of sealed fields, which columns may
    /// have with a prefix, as in `Metadata.encrypted_matched_data`.
    ///
    /// # Errors
    /// The reason why the header is not a row.
    pub fn new(header: &[u8], delimiter: u8, fields: &[&str]) -> Result<Self, Fault> {
        let row = Row::parse(header, delimiter)?;
        let given = (0..row.cells.len())
            .map(|cell| String::from_utf8_lossy(&row.cell(cell)).trim().to_owned());
        let given: Vec<_> = given.collect();
        let fields = given
            .iter()
            .map(|given| fields.iter().find(|field| is_column_of(given, field)));
        let fields: Vec<_> = fields.collect();
        let columns = unique(given).into_iter().zip(fields);
        let columns = columns.map(|(name, field)| Column {
            name,
            field: field.map(|field| (*field).to_owned()),
        });
        let columns = columns.collect();
        Ok(Self { delimiter, columns })
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Appends a row as an object. A row with fewer or more cells than the header has fewer members,
    /// or members without a name. A cell that is an object or array in JSON stays one, and an empty
    /// cell of a field is `null`.
    ///
    /// # Errors
    /// The reason why the line is not a row.
    pub fn write(&self, row: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let row = Row::parse(row, self.delimiter)?;
        for column in 0..row.cells.len() {
            out.push(if column == 0 { b'{' } else { b',' });
            let cell = row.cell(column);
            let Some(Column { name, field }) = self.columns.get(column) else {
                write_string(unnamed(column).as_bytes(), out);
                out.push(b':');
                write_cell(&cell, out);
                continue;
            };
            write_string(name.as_bytes(), out);
            out.push(b':');
            let inner = field.as_ref().filter(|field| *field != name);
            if let Some(field) = inner {
                out.push(b'{');
                write_string(field.as_bytes(), out);
                out.push(b':');
            }
            match field {
                Some(_) if cell.is_empty() => out.extend_from_slice(b"null"),
                _ => write_cell(&cell, out),
            }
            if inner.is_some() {
                out.push(b'}');
            }
        }
        out.push(b'}');
        Ok(())
    }
}

fn write_cell(cell: &[u8], out: &mut Vec<u8>) {
    let is_json = matches!(cell.trim_ascii_start().first(), Some(b'{' | b'['));
    if is_json && validate(cell).is_ok() {
        out.extend_from_slice(cell);
    } else {
        write_string(cell, out);
    }
}

fn unnamed(column: usize) -> String {
    format!("column {}", column + 1)
}

/// Returns the names of columns: one that an earlier column has gets a number.
fn unique(mut given: Vec<String>) -> Vec<String> {
    for (column, name) in given.iter_mut().enumerate() {
        if name.is_empty() {
            *name = unnamed(column);
        }
    }
    let sorted = order(given.len(), &|one, other| given[one].cmp(&given[other]));
    // By the first column of a name: the last number of that name, 1 for the name without a number.
    let mut numbers = vec![0_usize; given.len()];
    let names = given.iter().map(|name| {
        let own = first(&given, &sorted, name).unwrap_or_default();
        let mut called = name.clone();
        while let Some(column) = first(&given, &sorted, &called) {
            if numbers[column] == 0 {
                numbers[column] = 1;
                break;
            }
            numbers[own] += 1;
            called = format!("{name} ({})", numbers[own]);
        }
        called
    });
    names.collect()
}

/// Returns the first column of a name. `sorted` has the columns in the order of their names.
fn first(given: &[String], sorted: &[usize], name: &str) -> Option<usize> {
    let at = sorted.partition_point(|column| *given[*column] < *name);
    let column = sorted.get(at).copied();
    column.filter(|column| given[*column] == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: [&str; 2] = ["encrypted_matched_data", "matched_vars"];

    #[test]
    fn tables_are_told_by_their_header() {
        let tables: [(&[u8], u8); 7] = [
            (b"RayID,encrypted_matched_data\na,b", b','),
            (b"RayID\tencrypted_matched_data\r\n5\" a\tb", b'\t'),
            (b"note;Metadata.encrypted_matched_data\n", b';'),
            (b"a|b\n", b'|'),
            (b"\"Ray;ID\",\"encrypted_matched_data\"\r\n", b','),
            (b"matched_vars\r\nAzTY\n", b','),
            (b"  a,b", b','),
        ];
        for (text, expected) in tables {
            assert_eq!(
                delimiter(text, &FIELDS),
                Some(expected),
                "{}",
                text.escape_ascii()
            );
        }
        let others: [&[u8]; 9] = [
            b"",
            b"\x1e[1,2]\n",
            b"{\"a\":1,\"b\":2}",
            b"[1,2]",
            b"\"AzTY\",\n\"AzTY\"",
            b"'AzTY8x+/=',",
            b"AzTY8x+/",
            b"text of no table",
            b"\"never closed,a\n",
        ];
        for text in others {
            assert_eq!(delimiter(text, &FIELDS), None, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn names_of_columns_are_unique() {
        let given = [
            "n", "", "n", "n (2)", "n (2)", "n", "m (2)", "m", "m", "column 2",
        ];
        let expected = [
            "n",
            "column 2",
            "n (2)",
            "n (2) (2)",
            "n (2) (3)",
            "n (3)",
            "m (2)",
            "m",
            "m (3)",
            "column 2 (2)",
        ];
        assert_eq!(unique(given.map(str::to_owned).into()), expected);
    }

    #[test]
    fn rows_become_objects() {
        let header = "\"RayID\",n,n,,n (2),Metadata.encrypted_matched_data ,matched_vars";
        let objects = Objects::new(header.as_bytes(), b',', &FIELDS).unwrap();
        let names: Vec<_> = objects.names().collect();
        let expected = [
            "RayID",
            "n",
            "n (2)",
            "column 4",
            "n (2) (2)",
            "Metadata.encrypted_matched_data",
            "matched_vars",
        ];
        assert_eq!(names, expected);
        for (row, expected) in [
            ("a", r#"{"RayID":"a"}"#),
            (
                r#""a""b",12345678901234567890, {"x": 1} ,[1,"#,
                r#"{"RayID":"a\"b","n":"12345678901234567890","n (2)": {"x": 1} ,"column 4":"[1","n (2) (2)":""}"#,
            ),
            (
                ",,,,,AzTY,,more",
                r#"{"RayID":"","n":"","n (2)":"","column 4":"","n (2) (2)":"","Metadata.encrypted_matched_data":{"encrypted_matched_data":"AzTY"},"matched_vars":null,"column 8":"more"}"#,
            ),
        ] {
            let mut out = Vec::new();
            objects.write(row.as_bytes(), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
        let mut out = Vec::new();
        assert_eq!(objects.write(b"\"a\"b,c", &mut out), Err(Fault::Quotes));
        assert!(out.is_empty());
    }
}
