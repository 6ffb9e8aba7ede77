//! The programs open what `pqseal logs open` opens. PQSEAL_BIN names the folder of that command.

use std::{
    env,
    fs::{self, File},
    path::Path,
    process::Command,
};

use serde_json::Value;

/// Records that do not open, or have nothing to open.
const OTHERS: &str = r#"{"RayID":"1","Metadata":{"encrypted_matched_data":"truncated"}}
{"RayID":"2","Metadata":{"encrypted_matched_data":"AAAA"}}
{"RayID":"3","Metadata":{"encrypted_matched_data":""}}
{"RayID":"4","Metadata":{"encrypted_matched_data":"no base64!"}}
{"RayID":"5","Metadata":{}}
"#;

/// Runs a command in a folder, with these files as its input and output.
fn run(folder: &Path, program: &str, arguments: &[&str], [from, to]: [&str; 2]) {
    let input = match from {
        "" => File::open("/dev/null").unwrap(),
        name => File::open(folder.join(name)).unwrap(),
    };
    let ran = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(input)
        .stdout(File::create(folder.join(to)).unwrap())
        .status();
    assert!(ran.unwrap().success(), "{program} {arguments:?}");
}

/// Makes a key in `key`, 3,000 events in `events.ndjson`, more than one batch, and what `logs open`
/// writes in `expected.ndjson`.
fn events(folder: &Path) {
    let bin = env::var("PQSEAL_BIN").expect("PQSEAL_BIN is the folder of pqseal");
    let pqseal = format!("{bin}/pqseal");
    let logs = |arguments: &[&str], files| {
        run(folder, &pqseal, &[&["logs"], arguments].concat(), files);
    };
    run(folder, &pqseal, &["keygen", "-o", "key"], ["", "public"]);
    logs(&["generate", "3000"], ["", "plain.ndjson"]);
    logs(
        &["seal", "--to", "public"],
        ["plain.ndjson", "events.ndjson"],
    );
    let path = folder.join("events.ndjson");
    fs::write(&path, fs::read_to_string(&path).unwrap() + OTHERS).unwrap();
    logs(&["open", "-k", "key"], ["events.ndjson", "expected.ndjson"]);
}

fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let records = text.lines().map(serde_json::from_str);
    records.collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_stage_of_tokio() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    events(folder);
    let stage = env!("CARGO_BIN_EXE_tokio-stage");
    run(folder, stage, &["key"], ["events.ndjson", "opened.ndjson"]);
    let opened = records(&folder.join("opened.ndjson"));
    assert_eq!(opened.len(), 3005);
    assert_eq!(opened, records(&folder.join("expected.ndjson")));
}

#[cfg(feature = "datafusion")]
#[test]
fn the_function_of_datafusion() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    events(folder);
    let sql = |query: &str, file, to| {
        let program = env!("CARGO_BIN_EXE_datafusion-open");
        run(folder, program, &["key", query, file], ["", to]);
        let mut records = records(&folder.join(to));
        records.sort_by_key(Value::to_string);
        records
    };
    let expected = sql(
        r#"SELECT "RayID" AS ray, "Metadata".decrypted_matched_data AS text FROM expected"#,
        "expected.ndjson",
        "expected",
    );
    // Nine of ten records have matched data.
    let with_text = expected.iter().filter(|row| row.get("text").is_some());
    assert!(with_text.count() > 2500);
    let open = r#"SELECT "RayID" AS ray, open_sealed("Metadata".encrypted_matched_data) AS text FROM events"#;
    assert_eq!(sql(open, "events.ndjson", "from_json"), expected);
    sql("COPY events TO 'events.parquet'", "events.ndjson", "copied");
    assert_eq!(sql(open, "events.parquet", "from_parquet"), expected);
}
