//! Parquet: rows are kept and get new columns, and unchanged columns are not even decoded.

use std::{io::Seek, ops::ControlFlow, path::Path};

use parquet::{
    basic::{Compression, ConvertedType, GzipLevel, ZstdLevel},
    data_type::{ByteArray, ByteArrayType, FixedLenByteArrayType},
    file::{
        reader::FileReader,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
};
use pqseal_pipeline::{
    Error, Framing, InputError, Observer, Pipeline, Reason, Stats, Warning,
    files::{self, FinishedFile, Job, OutputCompression, Settings, Task},
};
use pqseal_records::{OnField, Preset, ResultFormat, Rules};

use crate::common::{
    self, Mock, Silent, accounted, fields,
    parquet::{Row, SPARK, file, on_disk, reader, rows, run},
    with,
};

const ROWS: [Row<'_>; 5] = [
    (
        "open:x",
        Some(Some("open:y")),
        Some(7),
        Some(r#"{"encrypted_matched_data":"open:z"}"#),
    ),
    ("", Some(None), None, Some("no json")),
    ("truncated", None, Some(8), None),
    ("?", Some(Some("open:")), Some(9), Some("{}")),
    ("open:v", Some(Some("")), Some(-1), Some(r#"{"a":1.0}"#)),
];

#[track_caller]
fn opened(input: &[u8], rules: Rules) -> (Vec<u8>, Stats) {
    let (out, stats) = run(input, rules).unwrap();
    accounted(&stats);
    (out, stats)
}

/// Returns the cells of these columns in each row.
fn columns(bytes: &[u8], names: &[&str]) -> Vec<Vec<String>> {
    let cell = |row: &parquet::record::Row, wanted: &&str| {
        row.get_column_iter()
            .find(|(name, _)| name == wanted)
            .map_or("none".to_owned(), |(_, field)| field.to_string())
    };
    let reader = reader(bytes);
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| {
        names
            .iter()
            .map(|name| cell(row.as_ref().unwrap(), name))
            .collect()
    })
    .collect()
}

#[test]
fn results_come_in_columns_after_the_tables_own() {
    let input = file(&[&ROWS[..2], &ROWS[2..]], Compression::SNAPPY);
    let (out, stats) = opened(&input, fields(&["s"]));
    assert_eq!(
        (
            stats.records,
            stats.opened,
            stats.absent,
            stats.truncated,
            stats.failures()
        ),
        (5, 2, 1, 1, 1)
    );
    let expected = [
        ("\"x\"", "opened"),
        ("null", "absent"),
        ("null", "truncated"),
        ("null", "no_key_matched"),
        ("\"v\"", "opened"),
    ];
    let expected = rows(&input)
        .iter()
        .zip(expected)
        .map(|(row, (result, status))| {
            format!(
                "{}, decrypted_s: {result}, decrypt_status: \"{status}\"}}",
                row.trim_end_matches('}').to_owned() + if row.ends_with("}}") { "}" } else { "" }
            )
        })
        .collect::<Vec<_>>();
    assert_eq!(rows(&out), expected);
    let (empty, stats) = opened(
        &file(&[&[], &ROWS[..1], &[]], Compression::SNAPPY),
        fields(&["s"]),
    );
    assert_eq!(
        (reader(&empty).metadata().num_row_groups(), stats.records),
        (3, 1)
    );
    let again = opened(&out, fields(&["s"]));
    assert_eq!((rows(&again.0), again.1.already), (rows(&out), 2));
}

#[test]
fn structs_documents_and_presets() {
    let input = file(&[&ROWS], Compression::UNCOMPRESSED);
    let (out, stats) = opened(&input, Preset::CfLogpush.rules());
    let result = ["decrypted_matched_data", "decrypt_status"];
    let expected = [
        ["\"y\"", "\"opened\""],
        ["null", "\"absent\""],
        ["null", "\"absent\""],
        ["\"\"", "\"opened\""],
        ["null", "\"absent\""],
    ];
    assert_eq!(
        columns(&out, &result),
        expected.map(|row| row.map(str::to_owned).to_vec())
    );
    assert_eq!(stats.opened, 2);
    // Anywhere: in the struct, and within the documents of `doc`.
    let (out, stats) = opened(&input, Preset::Auto.rules());
    assert_eq!(
        (columns(&out, &result), stats.opened),
        (
            expected.map(|row| row.map(str::to_owned).to_vec()).to_vec(),
            2
        )
    );
    let docs = columns(&out, &["doc"]).concat();
    assert_eq!(
        docs[0],
        r#""{"encrypted_matched_data":"open:z","decrypted_matched_data":"z"}""#
    );
    assert_eq!(docs[1..], columns(&input, &["doc"]).concat()[1..]);
    let (out, stats) = opened(&input, fields(&["doc.encrypted_matched_data"]));
    assert_eq!(
        (
            columns(&out, &["doc"]).concat(),
            stats.failed.get("bad_json")
        ),
        (docs, Some(&1))
    );
}

#[test]
fn modes_forms_and_what_a_blob_is_bound_to() {
    let input = file(&[&ROWS], Compression::LZ4_RAW);
    let (out, _) = opened(
        &input,
        with(OnField::Replace, ResultFormat::String, fields(&["s"])),
    );
    let cells = columns(&out, &["s", "decrypted_s", "decrypt_status"]);
    assert_eq!(
        (&cells[0], &cells[3]),
        (
            &vec!["\"x\"".to_owned(), "none".into(), "\"opened\"".into()],
            &vec![
                "\"?\"".to_owned(),
                "none".into(),
                "\"no_key_matched\"".into()
            ]
        )
    );
    let (out, _) = opened(
        &input,
        with(
            OnField::Drop,
            ResultFormat::Bytes,
            fields(&["s", "Metadata.encrypted_matched_data"]),
        ),
    );
    // A cell that may not be null is empty; one in a struct is null, and the struct is not.
    let cells = columns(
        &out,
        &["s", "Metadata", "decrypted_s", "decrypted_matched_data"],
    );
    assert_eq!(
        cells[0][..2],
        ["\"\"", "{encrypted_matched_data: null, version: 57}"]
    );
    assert_eq!(cells[2][..2], ["\"truncated\"", "null"]);
    let metadata = reader(&out)
        .metadata()
        .file_metadata()
        .schema_descr()
        .column(7)
        .converted_type();
    assert_eq!(metadata, ConvertedType::NONE, "bytes");
    let bound = |path: &str| Rules {
        aad_from: Some(path.parse().unwrap()),
        ..fields(&["s"])
    };
    let cells = |path: &str| {
        columns(
            &opened(&input, bound(path)).0,
            &["decrypted_s", "decrypt_status"],
        )
    };
    assert_eq!(cells("id")[0][0], "\"x7\"");
    assert_eq!(cells("Metadata.version")[4][0], "\"v57\"");
    assert_eq!(cells("doc.a")[4][0], "\"v1.0\"");
    assert_eq!(cells("doc.a")[0][1], "\"no_aad\"");
    for path in ["at", "tags.list.element"] {
        assert!(
            matches!(run(&input, bound(path)), Err(Error::Table(_))),
            "{path}"
        );
    }
}

/// Codecs, names, metadata and row groups are kept. So are the bytes of unchanged columns.
#[test]
fn what_does_not_change_is_copied() {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    for codec in codecs {
        let input = file(&[&ROWS[..2], &ROWS[2..]], codec);
        let (out, _) = opened(
            &input,
            with(
                OnField::Drop,
                ResultFormat::String,
                fields(&["s", "doc.none"]),
            ),
        );
        let (before, after) = (reader(&input), reader(&out));
        let (before, after) = (before.metadata(), after.metadata());
        assert_eq!((before.num_row_groups(), after.num_row_groups()), (2, 2));
        for (old, new) in before.row_groups().iter().zip(after.row_groups()) {
            assert!(
                new.columns()
                    .iter()
                    .all(|column| std::mem::discriminant(&column.compression())
                        == std::mem::discriminant(&codec))
            );
            for (old, new) in old.columns().iter().zip(new.columns()).skip(1) {
                let bytes = |bytes: &[u8], (start, length): (u64, u64)| {
                    bytes[start.try_into().unwrap()..][..length.try_into().unwrap()].to_vec()
                };
                assert_eq!(
                    bytes(&input, old.byte_range()),
                    bytes(&out, new.byte_range()),
                    "{}",
                    old.column_path()
                );
                assert_eq!(
                    (old.statistics(), new.bloom_filter_offset().is_some()),
                    (new.statistics(), true)
                );
            }
        }
        let (before, after) = (before.file_metadata(), after.file_metadata());
        assert_eq!(
            before.schema().get_fields(),
            &after.schema().get_fields()[..6]
        );
        let value = |key: &str| {
            after
                .key_value_metadata()
                .unwrap()
                .iter()
                .find(|pair| pair.key == key)
                .unwrap()
                .value
                .clone()
                .unwrap()
        };
        assert_eq!(value("note"), "kept");
        assert!(
            value(SPARK).contains(
                r#"{"name":"decrypted_s","type":"string","nullable":true,"metadata":{}}"#
            )
        );
    }
}

/// More rows than a batch, with the first change in the JSON after that. The column is then
/// written from its start.
#[test]
fn many_rows() {
    let texts: Vec<_> = (0..5000).map(|n| format!("open:{n}")).collect();
    let late = r#"{"encrypted_matched_data":"open:z"}"#;
    let row = |n: usize| {
        (
            texts[n].as_str(),
            None,
            Some(n as i64),
            Some(if n == 4321 { late } else { "{}" }),
        )
    };
    let all: Vec<_> = (0..texts.len()).map(row).collect();
    let input = file(&[&all[..100], &all[100..]], Compression::SNAPPY);
    let (out, stats) = opened(&input, fields(&["s", "doc.encrypted_matched_data"]));
    assert_eq!((stats.records, stats.opened), (5000, 5000));
    for (n, cells) in columns(&out, &["s", "doc", "id", "decrypted_s"])
        .iter()
        .enumerate()
    {
        let doc = if n == 4321 {
            late.replace('}', ",\"decrypted_matched_data\":\"z\"}")
        } else {
            "{}".to_owned()
        };
        assert_eq!(
            cells[..],
            [
                format!("\"open:{n}\""),
                format!("\"{doc}\""),
                n.to_string(),
                format!("\"{n}\"")
            ]
        );
    }
}

#[test]
fn unsupported_columns_are_reported() {
    let input = file(&[&ROWS], Compression::SNAPPY);
    for (path, expected) in [
        ("id", "of type INT64"),
        ("tags.list.element", "in a list"),
        ("id.x", "of type INT64"),
    ] {
        let error = run(&input, fields(&[path])).unwrap_err().to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    // A preset also finds that name in a list, which is not opened.
    let (out, stats) = opened(&in_a_list(), Preset::Auto.rules());
    assert_eq!((stats.records, stats.absent), (1, 1));
    assert_eq!(rows(&out).len(), 1);
    assert_eq!(opened(&input, fields(&["none"])).1.absent, 5);
    let strict = common::pipeline(fields(&["s"]), Framing::Auto).strict();
    let (table, mut out) = (on_disk(&input), Vec::new());
    let error = pqseal_pipeline::parquet::run(&strict, &table, &mut out, "test", &mut Silent);
    let error = error.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Record {
                number: 4,
                reason: Reason::Blob(pqseal_matched_data::Error::NoKeyOpens)
            }
        ),
        "{error}"
    );
    // From a stream.
    let error = common::run(&input, Framing::Auto, fields(&["s"])).unwrap_err();
    assert!(
        matches!(error, Error::Input(InputError::ParquetStream)),
        "{error}"
    );
    let long = "open:".to_owned() + &"x".repeat(3000);
    let (out, stats) = opened(
        &file(&[&[(&long, None, None, None)]], Compression::SNAPPY),
        fields(&["s"]),
    );
    assert_eq!(
        (
            stats.failed["too_large"],
            columns(&out, &["decrypt_status"])[0][0].as_str()
        ),
        (1, "null")
    );
}

/// Returns a file with a sealed field only in a list.
fn in_a_list() -> Vec<u8> {
    let schema = "message m { optional group ls (LIST) { repeated group list {
        optional group element { optional binary encrypted_matched_data (STRING); } } } }";
    written(schema, |group| {
        let mut column = group.next_column().unwrap().unwrap();
        let values = [ByteArray::from("open:x")];
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&values, Some(&[4]), Some(&[0])).unwrap();
        column.close().unwrap();
    })
}

/// Each failure has a dead letter with the cells that were searched.
#[test]
fn letters_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("a.log");
    let two = file(&[&ROWS[..2], &ROWS[2..]], Compression::SNAPPY);
    std::fs::write(&input, two).unwrap();
    let output = folder.path().join("out/a.log");
    let mut done = one_file(&input, &output).unwrap();
    let mut letters = done.letters.take().unwrap();
    letters.rewind().unwrap();
    let letter: serde_json::Value = serde_json::from_reader(letters).unwrap();
    assert_eq!(
        (&letter["line"], &letter["record"]),
        (&4.into(), &serde_json::json!({ "s": "?" }))
    );
    let written = std::fs::read(&output).unwrap();
    assert_eq!(
        (rows(&written).len(), done.stats.bytes_out),
        (5, written.len() as u64)
    );
    std::fs::write(&input, &file(&[&ROWS], Compression::SNAPPY)[..500]).unwrap();
    let error = one_file(&input, &folder.path().join("out/b")).unwrap_err();
    assert!(
        matches!(
            &error,
            files::Error::Run(Error::Input(InputError::Parquet(_)))
        ),
        "{error:?}"
    );
    assert_eq!(
        std::fs::read_dir(folder.path().join("out"))
            .unwrap()
            .count(),
        1,
        "a half file"
    );
}

fn one_file(input: &Path, output: &Path) -> Result<FinishedFile, files::Error> {
    let settings = Settings {
        compression: OutputCompression::Same,
        mode: 0o600,
        is_exact_mode: false,
        wants_letters: true,
        together: 100,
        fail_fast: false,
        keep_partial: false,
    };
    let pipeline: Pipeline<Mock> = common::pipeline(fields(&["s"]), Framing::Auto);
    let task = Task::new(
        Job::new(input.to_owned(), "a.log".into()),
        output.to_owned(),
    );
    let mut done = None;
    files::run(&pipeline, &[task], &settings, &(), |ended| {
        done = ended.into_iter().map(|(_, done)| done).next();
        ControlFlow::Continue(())
    })
    .unwrap();
    done.unwrap()
}

/// Replaces the footer of a file.
fn with_footer(input: &[u8], change: impl FnOnce(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let (rest, magic) = input.split_at(input.len() - 4);
    let (rest, length) = rest.split_last_chunk().unwrap();
    let (data, footer) = rest.split_at(rest.len() - u32::from_le_bytes(*length) as usize);
    let footer = change(footer.to_vec());
    let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
    [data, &footer, &length, magic].concat()
}

/// Returns the file with a column in Brotli, of which only the metadata knows.
fn with_brotli(input: &[u8], column: usize) -> Vec<u8> {
    let metadata = reader(input).metadata().clone();
    let mut metadata = metadata.into_builder();
    let mut groups = metadata.take_row_groups();
    for group in &mut groups {
        let column = &mut group.columns_mut()[column];
        let builder = column.clone().into_builder();
        let brotli = Compression::BROTLI(parquet::basic::BrotliLevel::default());
        *column = builder.set_compression(brotli).build().unwrap();
    }
    let metadata = metadata.set_row_groups(groups).build();
    let mut footer = Vec::new();
    let writer = parquet::file::metadata::ParquetMetaDataWriter::new(&mut footer, &metadata);
    writer.finish().unwrap();
    with_footer(input, |_| footer[..footer.len() - 8].to_vec())
}

#[test]
fn only_columns_that_are_read_need_a_known_codec() {
    let input = file(&[&ROWS], Compression::SNAPPY);
    let plain = opened(&input, fields(&["s"]));
    // Of the other columns, also the first.
    for column in [1, 3, 6] {
        let (out, stats) = opened(&with_brotli(&input, column), fields(&["s"]));
        assert_eq!((stats.opened, out.len()), (plain.1.opened, plain.0.len()));
    }
    let (_, stats) = opened(
        &with_brotli(&input, 0),
        fields(&["Metadata.encrypted_matched_data"]),
    );
    assert_eq!(stats.records, 5);
    let error = run(&with_brotli(&input, 0), fields(&["s"])).unwrap_err();
    assert!(
        error.to_string().contains("Brotli of the column s"),
        "{error}"
    );
    // A text that may be JSON, beside one that is.
    let (_, stats) = opened(&with_brotli(&input, 0), Preset::Auto.rules());
    assert_eq!(stats.opened, opened(&input, Preset::Auto.rules()).1.opened);
    // A value that blobs are bound to.
    let bound = Rules {
        aad_from: Some("id".parse().unwrap()),
        ..fields(&["s"])
    };
    let error = run(&with_brotli(&input, 3), bound).unwrap_err();
    assert!(
        error.to_string().contains("Brotli of the column id"),
        "{error}"
    );
}

#[test]
fn encrypted_files_are_named() {
    let input = file(&[&ROWS], Compression::SNAPPY);
    let footer = [&input[..input.len() - 4], b"PARE"].concat();
    // `EncryptionAlgorithm` with an empty `AesGcmV1`, after field 7 of `FileMetaData`.
    let algorithm = with_footer(&input, |mut footer| {
        assert_eq!(footer.pop(), Some(0));
        footer.extend([0x1c, 0x1c, 0, 0, 0]);
        footer
    });
    for file in [footer, algorithm] {
        let error = run(&file, fields(&["s"])).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("encrypted Parquet is not supported"),
            "{error}"
        );
    }
}

#[test]
fn unknown_types_and_damaged_indexes_are_left_out() {
    let input = with_a_uuid();
    let expected = [["\"open:x\"", "\"x\""]];
    // The union `LogicalType` with `UUID`, field 14, becomes one with the reserved field 9.
    let unknown = with_footer(&input, |mut footer| {
        let uuid = [0xec, 0, 0];
        let at = footer.windows(3).position(|bytes| bytes == uuid).unwrap();
        footer[at] = 0x9c;
        footer
    });
    let metadata = reader(&input).metadata().clone();
    let index = metadata.row_group(0).column(0).offset_index_offset();
    let mut damaged = input.clone();
    damaged[usize::try_from(index.unwrap()).unwrap()] = 0xff;
    for file in [input, unknown, damaged] {
        let (out, _) = opened(&file, fields(&["s"]));
        assert_eq!(columns(&out, &["s", "decrypted_s"]), expected);
    }
}

/// Returns a file with a sealed field `s`, and null in a column of another type.
fn with_a_uuid() -> Vec<u8> {
    let schema = "message m { required binary s (STRING);
        optional fixed_len_byte_array(16) u (UUID); }";
    written(schema, |group| {
        let mut column = group.next_column().unwrap().unwrap();
        let values = [ByteArray::from("open:x")];
        let typed = column.typed::<ByteArrayType>();
        typed.write_batch(&values, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let typed = column.typed::<FixedLenByteArrayType>();
        typed.write_batch(&[], Some(&[0]), None).unwrap();
        column.close().unwrap();
    })
}

/// Returns a file of one row group.
fn written(
    schema: &str,
    write: impl FnOnce(&mut SerializedRowGroupWriter<'_, Vec<u8>>),
) -> Vec<u8> {
    let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), schema.into(), Default::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    write(&mut group);
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn sealing_leaves_out_metadata_that_may_quote_values() {
    #[derive(Default)]
    struct Warnings(Vec<String>);
    impl Observer for Warnings {
        fn batch(&mut self, _stats: &Stats) {}

        fn warning(&mut self, _source: &str, warning: &Warning) {
            self.0.push(warning.to_string());
        }
    }
    let input = file(&[&ROWS], Compression::SNAPPY);
    let mut rules = with(OnField::Replace, ResultFormat::String, fields(&["s"]));
    rules.rules[0].into = "s".to_owned();
    let pipeline = Pipeline::new(common::Seal, rules, 1).unwrap();
    let (mut out, mut warnings) = (Vec::new(), Warnings::default());
    let ran =
        pqseal_pipeline::parquet::run(&pipeline, &on_disk(&input), &mut out, "in", &mut warnings);
    ran.unwrap();
    let [warning] = &warnings.0[..] else {
        panic!("{:?}", warnings.0)
    };
    assert!(
        warning.ends_with("may quote sealed values: note"),
        "{warning}"
    );
    let written = reader(&out);
    let pairs = written
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let keys: Vec<_> = pairs.iter().map(|pair| pair.key.as_str()).collect();
    assert_eq!(keys, [SPARK]);
    let schema = pairs[0].value.as_deref().unwrap();
    assert!(
        !schema.contains("quoted") && schema.contains("kept"),
        "{schema}"
    );
}
