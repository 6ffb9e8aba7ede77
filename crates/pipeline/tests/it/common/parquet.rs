//! Parquet files for tests.

use std::{fs::File, io::Write, sync::Arc};

use parquet::{
    basic::Compression,
    data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type, Int96, Int96Type},
    errors::Result,
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        reader::{FileReader, SerializedFileReader},
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::parser::parse_message_type,
};
use pqseal_pipeline::{Error, Framing, Stats};
use pqseal_records::Rules;
use tempfile::tempfile;

use super::{Silent, pipeline};

const SCHEMA: &str = "message events {
    required binary s (STRING);
    optional group Metadata { optional binary encrypted_matched_data; required int32 version; }
    optional int64 id;
    required int96 at;
    optional group tags (LIST) { repeated group list { optional binary element (STRING); } }
    optional binary doc (JSON);
}";

/// The key under which Spark stores its schema.
pub(crate) const SPARK: &str = "org.apache.spark.sql.parquet.row.metadata";

/// Fields of Spark's schema with comments.
const FIELDS: &str = r#"{"type":"struct","fields":[
    {"name":"s","type":"string","nullable":false,"metadata":{"comment":"quoted"}},
    {"name":"id","type":"long","nullable":true,"metadata":{"comment":"kept"}}
]}"#;

/// A row: `s`, the sealed field of `Metadata` if there is one, `id`, `doc`.
pub(crate) type Row<'a> = (
    &'a str,
    Option<Option<&'a str>>,
    Option<i64>,
    Option<&'a str>,
);

/// Returns a file with these row groups.
pub(crate) fn file(groups: &[&[Row<'_>]], compression: Compression) -> Vec<u8> {
    let pairs = [("note", "kept"), (SPARK, FIELDS)];
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_bloom_filter_enabled(true)
        .set_key_value_metadata(Some(
            pairs
                .map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()))
                .into(),
        ));
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build())).unwrap();
    for rows in groups {
        let mut group = writer.next_row_group().unwrap();
        write(&mut group, rows).unwrap();
        group.close().unwrap();
    }
    writer.into_inner().unwrap()
}

type Group<'w> = SerializedRowGroupWriter<'w, Vec<u8>>;

fn write(group: &mut Group<'_>, rows: &[Row<'_>]) -> Result<()> {
    let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    column::<ByteArrayType>(group, rows.iter().map(|row| text(row.0)), None, None)?;
    let levels: Vec<i16> = rows
        .iter()
        .map(|row| row.1.map_or(0, |field| 1 + i16::from(field.is_some())))
        .collect();
    column::<ByteArrayType>(
        group,
        rows.iter().filter_map(|row| row.1.flatten().map(text)),
        Some(&levels),
        None,
    )?;
    let levels: Vec<_> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
    column::<Int32Type>(
        group,
        rows.iter().filter_map(|row| row.1.map(|_| 57)),
        Some(&levels),
        None,
    )?;
    let levels: Vec<_> = rows.iter().map(|row| i16::from(row.2.is_some())).collect();
    column::<Int64Type>(
        group,
        rows.iter().filter_map(|row| row.2),
        Some(&levels),
        None,
    )?;
    column::<Int96Type>(
        group,
        rows.iter().map(|_| Int96::from(vec![1, 2, 2_440_588])),
        None,
        None,
    )?;
    // Two tags a row.
    let (levels, repeated) = (vec![3; rows.len() * 2], [0, 1].repeat(rows.len()));
    let tags = rows.iter().flat_map(|_| ["a", "b"].map(text));
    column::<ByteArrayType>(group, tags, Some(&levels), Some(&repeated))?;
    let levels: Vec<_> = rows.iter().map(|row| i16::from(row.3.is_some())).collect();
    column::<ByteArrayType>(
        group,
        rows.iter().filter_map(|row| row.3.map(text)),
        Some(&levels),
        None,
    )
}

fn column<T: DataType>(
    group: &mut Group<'_>,
    values: impl Iterator<Item = T::T>,
    levels: Option<&[i16]>,
    repeated: Option<&[i16]>,
) -> Result<()> {
    let mut column = group.next_column()?.unwrap();
    column
        .typed::<T>()
        .write_batch(&values.collect::<Vec<_>>(), levels, repeated)?;
    column.close()
}

pub(crate) fn run(input: &[u8], rules: Rules) -> std::result::Result<(Vec<u8>, Stats), Error> {
    let mut out = Vec::new();
    let pipeline = pipeline(rules, Framing::Auto);
    let stats =
        pqseal_pipeline::parquet::run(&pipeline, &on_disk(input), &mut out, "test", &mut Silent)?;
    Ok((out, stats))
}

pub(crate) fn on_disk(bytes: &[u8]) -> File {
    let mut file = tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

pub(crate) fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
    SerializedFileReader::new(on_disk(bytes)).unwrap()
}

/// Returns the rows, each as one line.
pub(crate) fn rows(bytes: &[u8]) -> Vec<String> {
    reader(bytes)
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect()
}
