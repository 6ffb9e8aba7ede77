//! Tables with secrets in columns of a name, and in documents in cells.

use pqseal_pipeline::{Framing, Limits};

use super::{Case, Choices, documents};

/// The kind of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Public,
    Secret,
    /// Documents with secrets in them.
    Documents,
}

/// The style in which a table is written.
struct Style {
    delimiter: u8,
    /// Set if a quote may be unclosed. No cell then has a quote that could close it.
    has_open: bool,
}

pub(super) fn case(choices: &mut Choices<'_>) -> Case {
    let path = choices.one_of(&["secret", "a.secret"]);
    let style = Style {
        delimiter: choices.one_of(b",\t;"),
        has_open: choices.fault(6),
    };
    let columns = columns(choices, path);
    let end = match choices.fault(8) {
        true => b"\r",
        false => choices.one_of(&[b"\n" as &[u8], b"\r\n"]),
    };
    let mut input = Vec::new();
    if choices.chance(6) {
        input.extend_from_slice(b"\xef\xbb\xbf");
    }
    let names: Vec<_> = columns.iter().map(|(name, _)| name.clone()).collect();
    input.extend(names.join(&[style.delimiter][..]));
    input.extend_from_slice(end);
    for _ in 0..1 + choices.below(6) {
        input.extend(row(choices, &columns, &style));
        let end = match choices.fault(20) {
            true => choices.one_of(&[b"\r" as &[u8], b"\r\r\n"]),
            false => end,
        };
        input.extend_from_slice(end);
        if choices.chance(8) {
            input.extend_from_slice(end);
        }
    }
    let record = choices.one_of(&[10_000, 60, 150]);
    choices.is_clean &= record == 10_000;
    Case {
        input,
        framing: Framing::Rows(style.delimiter),
        path,
        limits: Limits {
            record,
            batch_records: 3,
            batch_bytes: 100,
            ..Limits::default()
        },
        size: choices.one_of(&[10_000, 300, 150, 64]) + choices.below(50),
    }
}

/// Returns a header in which at least one column has the field.
fn columns(choices: &mut Choices<'_>, path: &str) -> Vec<(Vec<u8>, Column)> {
    let mut columns = Vec::new();
    for _ in 0..1 + choices.below(3) {
        let of_documents = path == "a.secret" && choices.chance(2);
        let name = match (of_documents, path) {
            (true, _) => "a",
            (_, "secret") => "secret",
            _ => choices.one_of(&["a.secret", "a_secret", "a/secret"]),
        };
        let name = match choices.below(5) {
            0 | 1 => name.to_owned(),
            2 => format!("\"{name}\""),
            3 => format!("{name} "),
            _ => format!(
                "{}{name}",
                choices.one_of(&[" ", "\u{feff}", "\u{a0}\u{200b}"])
            ),
        };
        let kind = match of_documents {
            true => Column::Documents,
            false => Column::Secret,
        };
        columns.push((name.into_bytes(), kind));
    }
    for name in ["id", "note", "Secret", "\"two\nlines\"", "secret_id"] {
        let is_fault = name.contains('\n');
        if !is_fault && choices.chance(2) || is_fault && choices.fault(8) {
            let at = choices.below(columns.len() + 1);
            columns.insert(at, (name.as_bytes().to_vec(), Column::Public));
        }
    }
    columns
}

fn row(choices: &mut Choices<'_>, columns: &[(Vec<u8>, Column)], style: &Style) -> Vec<u8> {
    let mut cells: Vec<_> = columns
        .iter()
        .map(|(_, kind)| cell(choices, *kind, style))
        .collect();
    if cells.len() > 1 && choices.fault(12) {
        cells.remove(choices.below(cells.len()));
    } else if choices.fault(12) {
        cells.insert(choices.below(cells.len() + 1), b"more".to_vec());
    }
    let mut row = cells.join(&[style.delimiter][..]);
    if choices.chance(10) {
        row.splice(0..0, vec![0; 1 + choices.below(50)]);
    }
    row
}

fn cell(choices: &mut Choices<'_>, kind: Column, style: &Style) -> Vec<u8> {
    let text = match kind {
        Column::Public => match style.has_open {
            true => choices.one_of(&[b"x" as &[u8], b"yy", b"3"]).to_vec(),
            false => public(choices),
        },
        Column::Secret if choices.chance(8) => Vec::new(),
        Column::Secret => {
            let secret = choices.secret();
            let more = match style.has_open {
                true => "",
                false => choices.one_of(&["", ",;\t", "\"", "\nnext", "\r", " "]),
            };
            format!("{secret}{more}").into_bytes()
        }
        Column::Documents => {
            let mut document = documents::object(choices, &["secret"]);
            if style.has_open {
                document.retain(|byte| *byte != b'\n');
            }
            match choices.fault(12) {
                true => [document.as_slice(), b"}"].concat(),
                false => document,
            }
        }
    };
    written(choices, &text, style)
}

fn public(choices: &mut Choices<'_>) -> Vec<u8> {
    let texts = [
        "x",
        "some words",
        "a,b;c\td",
        "say \"hi\"",
        "two\nlines",
        "",
        "\r",
    ];
    choices.one_of(&texts).as_bytes().to_vec()
}

/// Writes a cell, either as usual or as no writer should.
fn written(choices: &mut Choices<'_>, text: &[u8], style: &Style) -> Vec<u8> {
    let special = |byte: &u8| *byte == style.delimiter || b"\"\r\n".contains(byte);
    let inside = text.iter().flat_map(|byte| match byte {
        b'"' => b"\"\"".to_vec(),
        byte => vec![*byte],
    });
    let quoted = [b"\"", inside.collect::<Vec<_>>().as_slice(), b"\""].concat();
    if text.is_empty() {
        return choices
            .one_of(&[b"" as &[u8], b"\"\""][..1 + usize::from(!style.has_open)])
            .to_vec();
    }
    // Where cells are depends on how it is read if a cell has quotes or line breaks, too.
    let is_special = text.iter().any(special);
    if !is_special && choices.fault(10) {
        return match choices.below(4) {
            0 => [quoted.as_slice(), b"x"].concat(),
            1 => [b" ", quoted.as_slice()].concat(),
            2 if style.has_open => [b"\"", text].concat(),
            _ => [b"b\rc", text].concat(),
        };
    }
    match is_special || choices.chance(2) {
        true => quoted,
        false => text.to_vec(),
    }
}
