//! Tables of text: cells are found where readers of CSV find them, and other bytes are unchanged.

use pqseal_pipeline::{Error, Framing, Observer, Stats, Warning};
use pqseal_records::{OnField, Preset, ResultFormat, Rules, TableError};
use proptest::prelude::*;

use crate::common::{self, accounted, fields, run, with};

#[track_caller]
fn csv(input: &str, rules: Rules) -> (String, Stats) {
    let (out, stats) = run(input, Framing::CSV, rules).unwrap();
    accounted(&stats);
    (String::from_utf8(out).unwrap(), stats)
}

/// Checks the output of each cell.
#[track_caller]
fn comes_out(rules: &Rules, cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        assert_eq!(csv(input, rules.clone()).0, *expected, "{input:?}");
    }
}

/// The rows of a table are copied, and a preset that replaces records must not do that.
#[test]
fn rows_are_not_replaced_by_results() {
    let rules = Preset::AgentReceipts.rules();
    for input in ["id,credentialSubject\n1,{}\n", "other\n1\n"] {
        let ran = run(input, Framing::CSV, rules.clone());
        assert!(
            matches!(ran, Err(Error::Table(TableError::Apart))),
            "{ran:?}"
        );
    }
}

#[test]
fn results_come_after_each_row() {
    let cases = [
        (
            "a,s\n1,open:x\n",
            "a,s,decrypted_s,decrypt_status\n1,open:x,x,opened\n",
        ),
        ("s\nopen:x", "s,decrypted_s,decrypt_status\nopen:x,x,opened"),
        (
            "s,a\r\nopen:x,\"1\"\r\n",
            "s,a,decrypted_s,decrypt_status\r\nopen:x,\"1\",x,opened\r\n",
        ),
        (
            "\u{feff}s,a\n,truncated\n",
            "\u{feff}s,a,decrypted_s,decrypt_status\n,truncated,,absent\n",
        ),
        (
            "\"s\",\"a\n,\"\ntruncated,\"\"\"\"\n",
            "\"s\",\"a\n,\",decrypted_s,decrypt_status\ntruncated,\"\"\"\",,truncated\n",
        ),
        (
            "s,a\n\n?, 1 \n\r\n",
            "s,a,decrypted_s,decrypt_status\n\n?, 1 ,,no_key_matched\n\r\n",
        ),
        (
            "s,a\nopen:p\"q,1\n",
            "s,a,decrypted_s,decrypt_status\nopen:p\"q,1,\"p\"\"q\",opened\n",
        ),
        (
            "s,a\n\"open:1,\"\"2\n\",1\n",
            "s,a,decrypted_s,decrypt_status\n\"open:1,\"\"2\n\",1,\"1,\"\"2\n\",opened\n",
        ),
        ("s\n", "s,decrypted_s,decrypt_status\n"),
        ("t\nopen:x\n", "t\nopen:x\n"),
        ("", ""),
    ];
    comes_out(&fields(&[".s"]), &cases);
    let (out, _) = run("a\ts\n1,2\topen:x\ty\n", Framing::TSV, fields(&["/s"])).unwrap();
    assert_eq!(
        out, b"a\ts\tdecrypted_s\tdecrypt_status\n1,2\topen:x\ty\n",
        "a row with a cell too many"
    );
    let (out, _) = run("a\ts\n1,2\topen:x,y\n", Framing::TSV, fields(&["/s"])).unwrap();
    assert_eq!(
        out,
        b"a\ts\tdecrypted_s\tdecrypt_status\n1,2\topen:x,y\tx,y\topened\n"
    );
}

#[test]
fn modes_and_forms() {
    let input = "s,a\nopen:{},1\n?,2\n";
    let one = || fields(&["s"]);
    comes_out(
        &with(OnField::Replace, ResultFormat::String, one()),
        &[(
            input,
            "s,a,decrypt_status\n{},1,opened\n?,2,no_key_matched\n",
        )],
    );
    let dropped = "s,a,decrypted_s,decrypt_status\n,1,{},opened\n?,2,,no_key_matched\n";
    comes_out(
        &with(OnField::Drop, ResultFormat::Json, one()),
        &[(input, dropped)],
    );
    let head = "s,decrypted_s,decrypt_status\n";
    for (form, text, expected) in [
        (
            ResultFormat::Json,
            "open:x",
            "open:x,\"\"\"x\"\"\",opened\n",
        ),
        (ResultFormat::Base64, "open:x", "open:x,eA==,opened\n"),
        (
            ResultFormat::Base64,
            "open:\u{c0}",
            "open:\u{c0},w4A=,opened\n",
        ),
        (ResultFormat::Bytes, "open:x", "open:x,eA==,opened\n"),
    ] {
        comes_out(
            &with(OnField::Keep, form, one()),
            &[(&format!("s\n{text}\n"), &format!("{head}{expected}"))],
        );
    }
    let (out, stats) = run(b"s\nopen:\xff\n", Framing::CSV, one()).unwrap();
    assert_eq!(
        (out.as_slice(), stats.lossy),
        (
            &b"s,decrypted_s,decrypt_status\nopen:\xff,\xef\xbf\xbd,lossy\n"[..],
            1
        )
    );
}

/// The cells of `Metadata` in an export, and fields that have separate columns.
#[test]
fn cells_may_be_documents() {
    let sealed = r#"{""encrypted_matched_data"":""open:x"",""n"":1.0}"#;
    let opened =
        r#"{""encrypted_matched_data"":""open:x"",""decrypted_matched_data"":""x"",""n"":1.0}"#;
    let (input, output) = (
        format!("Metadata,b\n\"{sealed}\",1\n,2\n"),
        format!("Metadata,b\n\"{opened}\",1\n,2\n"),
    );
    for name in [Preset::CfLogpush, Preset::Auto] {
        comes_out(&name.rules(), &[(&input, &output), (&output, &output)]);
    }
    let pairs = r#"[{""key"":""encrypted_matched_data"",""value"":""open:x""}]"#;
    let done = r#"[{""key"":""encrypted_matched_data"",""value"":""open:x""},{""key"":""decrypted_matched_data"",""value"":""x""}]"#;
    let (input, output) = (
        format!("metadata\n\"{pairs}\"\n"),
        format!("metadata\n\"{done}\"\n"),
    );
    for name in [Preset::CfEvents, Preset::Auto] {
        comes_out(&name.rules(), &[(&input, &output)]);
    }
    let flat = "Metadata.encrypted_matched_data\nopen:x\n";
    let open =
        "Metadata.encrypted_matched_data,decrypted_matched_data,decrypt_status\nopen:x,x,opened\n";
    for name in [Preset::CfLogpush, Preset::Auto] {
        comes_out(&name.rules(), &[(flat, open), (open, open)]);
    }
    // An unquoted cell gets quotes if it needs them now. A cell that must be JSON but is not is a
    // failure.
    let bare = "Metadata\n{\"encrypted_matched_data\":\"open:x\"}\n";
    comes_out(
        &Preset::Auto.rules(),
        &[(
            bare,
            &format!("Metadata\n\"{}\"\n", opened.replace(",\"\"n\"\":1.0", "")),
        )],
    );
    let (out, stats) = csv("Metadata\nx\n", Preset::CfLogpush.rules());
    assert_eq!(
        (out.as_str(), stats.failed.get("bad_json")),
        ("Metadata\nx\n", Some(&1))
    );
    assert_eq!(csv("Metadata\n{\n", Preset::Auto.rules()).1.absent, 1);
    let dlp = "gen_ai_prompt_request,gen_ai_prompt_response\nopen:x,\n";
    let columns = "decrypted_gen_ai_prompt_request,decrypted_gen_ai_prompt_request_status,decrypted_gen_ai_prompt_response,decrypted_gen_ai_prompt_response_status";
    let open = format!(
        "gen_ai_prompt_request,gen_ai_prompt_response,{columns}\nopen:x,,x,opened,,absent\n"
    );
    comes_out(&Preset::CfDlp.rules(), &[(dlp, &open)]);
}

#[test]
fn what_a_blob_is_bound_to_is_a_column_too() {
    let bound = |path: &str| Rules {
        aad_from: Some(path.parse().unwrap()),
        ..fields(&["s"])
    };
    let head = "s,id,doc,decrypted_s,decrypt_status\n";
    let cases = [("id", "x7"), ("doc.n", "x1.0"), ("doc.s", "xé")];
    for (path, expected) in cases {
        let row = "open:x,7,\"{\"\"n\"\":1.0,\"\"s\"\":\"\"\\u00e9\"\"}\"";
        comes_out(
            &bound(path),
            &[(
                &format!("s,id,doc\n{row}\n"),
                &format!("{head}{row},{expected},opened\n"),
            )],
        );
    }
    for path in ["none", "doc.none", "id.x"] {
        comes_out(
            &bound(path),
            &[(
                "s,id,doc\nopen:x,7,\n,,\n",
                &format!("{head}open:x,7,,,no_aad\n,,,,absent\n"),
            )],
        );
    }
}

/// A second run opens cells that failed in the first, and leaves the others unchanged.
#[test]
fn existing_results_are_kept() {
    let input = "s,decrypt_status,decrypted_s,a\nopen:x,no_key_matched,,1\nopen:y,opened,old,\"2\"\n?,,,3\n";
    let output = "s,decrypt_status,decrypted_s,a\nopen:x,opened,x,1\nopen:y,opened,old,\"2\"\n?,no_key_matched,,3\n";
    comes_out(&fields(&["s"]), &[(input, output), (output, output)]);
    assert_eq!(csv(input, fields(&["s"])).1.already, 1);
}

#[test]
fn what_is_no_row_passes_and_is_counted() {
    let long = "x".repeat(3000);
    let bad = format!("a,b\nopen:x,1,2\nopen:x\n{long},1\nopen:x,1\n\"open:x,1\n");
    let (out, stats) = csv(&bad, fields(&["a"]));
    let expected = bad.replace("a,b\n", "a,b,decrypted_a,decrypt_status\n");
    let expected = expected.replace("\nopen:x,1\n\"", "\nopen:x,1,x,opened\n\"");
    assert_eq!(out, expected);
    assert_eq!(
        (
            stats.failed["bad_row"],
            stats.failed["too_large"],
            stats.opened
        ),
        (3, 1, 1)
    );
    for header in ["\"a\nopen:x\n", &format!("{long}\nx\n")] {
        assert!(
            matches!(
                run(header, Framing::CSV, fields(&["a"])),
                Err(Error::Table(_))
            ),
            "{header:.20}"
        );
    }
    let prefixed = "a.decrypted_s,a.decrypted_s_status,b_decrypted_s,b_decrypted_s_status";
    comes_out(
        &fields(&["a.s", "b.s"]),
        &[("a.s,b_s\n", &format!("a.s,b_s,{prefixed}\n"))],
    );
    let mut same = fields(&["a", "b"]);
    same.rules
        .iter_mut()
        .for_each(|rule| rule.into = "c".to_owned());
    assert!(matches!(
        run("a,b\n", Framing::CSV, same),
        Err(Error::Table(_))
    ));
}

#[test]
fn a_name_tells_rows() {
    for (name, framing) in [
        ("a.csv", Framing::CSV),
        ("b/a.CSV.gz", Framing::CSV),
        ("a.tsv.zst", Framing::TSV),
        ("a.csv.txt", Framing::Auto),
        ("csv", Framing::Auto),
        ("a.json", Framing::Auto),
    ] {
        assert_eq!(Framing::Auto.of(name.as_ref()), framing, "{name}");
        assert_eq!(Framing::Lines.of(name.as_ref()), Framing::Lines);
    }
}

/// Generates cells as writers write them, including quotes in unquoted cells.
fn cells() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z \"é=:]{0,4}".prop_map(|text| if text.starts_with('"') {
            text.replace('"', "")
        } else {
            text
        }),
        "[a-z,\"\t\r\n ]{0,6}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\""))),
    ]
}

proptest! {
    /// The reader sees each row with two more cells, after the row's own bytes.
    #[test]
    fn readers_see_what_was_there(
        rows in prop::collection::vec((cells(), cells(), "[a-z,\" =\n]{0,5}"), 0..8),
        tabs in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let (framing, delimiter) = if tabs { (Framing::TSV, "\t") } else { (Framing::CSV, ",") };
        let end = if crlf { "\r\n" } else { "\n" };
        let bytes: Vec<_> = rows.iter().map(|(a, b, text)| [a, b, &format!("\"open:{}\"", text.replace('"', "\"\""))].map(String::as_str).join(delimiter)).collect();
        let input = ["a", "b", "s"].join(delimiter) + end + &bytes.iter().map(|row| format!("{row}{end}")).collect::<String>();
        let (out, stats) = run(&input, framing, fields(&["s"])).unwrap();
        prop_assert_eq!((stats.records, stats.opened), (rows.len() as u64, rows.len() as u64));
        let read = |bytes: &[u8]| {
            let mut reader = csv::ReaderBuilder::new().delimiter(delimiter.as_bytes()[0]).from_reader(bytes);
            reader.byte_records().map(|row| row.unwrap()).collect::<Vec<_>>()
        };
        let (before, after) = (read(input.as_bytes()), read(&out));
        prop_assert_eq!(before.len(), after.len());
        for ((before, after), (.., text)) in before.iter().zip(&after).zip(&rows) {
            prop_assert_eq!(before.iter().collect::<Vec<_>>(), after.iter().take(3).collect::<Vec<_>>());
            // Against formulas, as `formula.rs` tests it.
            let opened: Vec<_> = after[3].iter().copied().filter(|byte| *byte != b'\'').collect();
            prop_assert_eq!((opened.as_slice(), &after[4]), (text.as_bytes(), &b"opened"[..]));
        }
        let mut from = 0;
        for row in &bytes {
            let found = out[from..].windows(row.len()).position(|window| window == row.as_bytes());
            from += found.expect("the row's own bytes") + row.len();
        }
    }

    /// Any table is accepted, and none of it is lost.
    #[test]
    fn bytes_of_all_kinds_pass(text in "(s,b\n)?[a-c,\"\r\n:]{0,60}") {
        if let Ok((out, stats)) = run(&text, Framing::CSV, fields(&["s"])) {
            accounted(&stats);
            prop_assert!(out.len() >= text.len());
        }
    }
}

#[test]
fn a_line_for_excel_declares_the_delimiter() {
    for first in ["sep=;\n", "sep=;\r\n", "\u{feff}SEP=;\n", "\"sep=;\"\n"] {
        let input = format!("{first}a;s\n\"1;\n2\";open:x\n");
        let expected =
            format!("{first}a;s;decrypted_s;decrypt_status\n\"1;\n2\";open:x;x;opened\n");
        assert_eq!(csv(&input, fields(&["s"])).0, expected);
    }
    // Without rows, and a column of that name.
    for input in ["sep=;\n", "sep=", "sep=,b\n"] {
        let (out, stats) = csv(input, fields(&["s"]));
        assert!(
            out.starts_with(input.trim_end()) && stats.records == 0,
            "{out}"
        );
    }
}

#[test]
fn titles_and_backslashes_are_named() {
    #[derive(Default)]
    struct Warnings(Vec<&'static str>);
    impl Observer for Warnings {
        fn batch(&mut self, _stats: &Stats) {}

        fn warning(&mut self, _source: &str, warning: &Warning) {
            self.0.push(warning.code());
        }
    }
    let title = "Events of May\na,s\n1,open:x\n";
    let spark = "a,s\n1,\"{\\\"b\\\": 1}\"\n";
    let right = "a,s\n1,\"{\"\"b\"\": \"\"\\\"\"\"\"}\"\n";
    for (input, expected) in [
        (title, Some("short_header")),
        (spark, Some("backslashes")),
        (right, None),
    ] {
        let mut warnings = Warnings::default();
        let pipeline = common::pipeline(fields(&["s"]), Framing::CSV);
        pipeline
            .run(input.as_bytes(), &mut Vec::new(), "in", &mut warnings)
            .unwrap();
        let is_new = |code: &&&str| ["short_header", "backslashes"].contains(*code);
        assert_eq!(warnings.0.iter().find(is_new).copied(), expected, "{input}");
    }
    // The advice: without the title, or with doubled quotes, the rows open.
    assert_eq!(
        csv(title.split_once('\n').unwrap().1, fields(&["s"]))
            .1
            .opened,
        1
    );
    let doubled = spark
        .replace("\\\"", "\"\"")
        .replace("{\"\"b", "open:{\"\"b");
    assert_eq!(csv(&doubled, fields(&["s"])).1.opened, 1);
}
