//! Parquet files with secrets in columns of a name.

use std::{fs::File, io::Write, sync::Arc};

use parquet::{
    data_type::{ByteArray, ByteArrayType},
    file::{properties::WriterProperties, writer::SerializedFileWriter},
    schema::parser::parse_message_type,
};
use pqseal_pipeline::{Framing, Limits};
use proptest::prelude::*;

use super::{Case, Choices, REFUSED, Refused, documents, heard, seen};

/// Members of the schema, each with the paths that select one of its columns, and their
/// kind.
const MEMBERS: [&str; 9] = [
    "optional binary secret (STRING);",
    "required binary secret (STRING);",
    "optional group a { optional binary secret (STRING); }",
    "optional group a { optional binary secret (STRING); optional binary secret (STRING); }",
    "optional binary a.secret (STRING);",
    "optional binary a_secret;",
    "optional binary a (JSON);",
    "optional binary id (STRING);",
    "required group b { required binary secret; }",
];

pub(super) fn check(choices: &mut Choices<'_>) -> Result<(), TestCaseError> {
    let path = choices.one_of(&["secret", "a.secret", "b.secret"]);
    let members: Vec<_> = (0..1 + choices.below(5))
        .map(|_| choices.one_of(&MEMBERS))
        .collect();
    let schema = format!("message m {{ {} }}", members.join("\n"));
    let input = file(choices, &schema, path);
    let case = Case {
        input: Vec::new(),
        framing: Framing::Auto,
        path,
        limits: Limits::default(),
        size: 0,
    };
    // A schema without the field is refused.
    choices.is_clean = false;
    for refused in REFUSED {
        let (mut heard, mut out) = (heard(refused), Vec::new());
        let table = on_disk(&input);
        let pipeline = case.pipeline(refused);
        let ran = pqseal_pipeline::parquet::run(&pipeline, &table, &mut out, "test", &mut heard);
        let goes_on = matches!(refused, Refused::Apart | Refused::Both);
        seen(choices, &input, &out, &heard, &ran, goes_on)?;
    }
    Ok(())
}

/// Returns a file of this schema, with secrets in the columns of this path.
fn file(choices: &mut Choices<'_>, schema: &str, path: &str) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema.clone(), properties).unwrap();
    let rows = choices.below(4);
    for _ in 0..1 + choices.below(2) {
        let mut group = writer.next_row_group().unwrap();
        while let Some(mut column) = group.next_column().unwrap() {
            let untyped = column.untyped();
            let descriptor = match untyped {
                parquet::column::writer::ColumnWriter::ByteArrayColumnWriter(typed) => {
                    typed.get_descriptor().clone()
                }
                _ => unreachable!("all columns are of bytes"),
            };
            let (name, most) = (descriptor.path().string(), descriptor.max_def_level());
            let (mut texts, mut levels) = (Vec::new(), Vec::new());
            for _ in 0..rows {
                let is_null = most > 0 && choices.chance(5);
                levels.push(if is_null { most - 1 } else { most });
                if !is_null {
                    texts.push(ByteArray::from(cell(choices, &name, path)));
                }
            }
            let levels = (most > 0).then_some(levels.as_slice());
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&texts, levels, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn cell(choices: &mut Choices<'_>, name: &str, path: &str) -> Vec<u8> {
    let is_named = name.replace('_', ".") == path;
    match (is_named, name, path) {
        (true, ..) => {
            let more = choices.one_of(&[b"" as &[u8], b"\xff", b"\""]);
            [choices.secret().as_bytes(), more].concat()
        }
        (_, "a", "a.secret") => {
            let document = documents::object(choices, &["secret"]);
            match choices.chance(8) {
                true => [document.as_slice(), b"}"].concat(),
                false => document,
            }
        }
        _ => b"public".to_vec(),
    }
}

fn on_disk(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}
