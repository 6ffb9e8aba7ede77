//! The kit of vectors in `test-vectors/kit`: the code here makes its files, and our crates give the
//! result that each case asks for. `test-vectors/kit/run` runs it with other implementations.
//!
//! After a change here: `KIT=write cargo test -p interop kit::`.

mod cases;
mod check;
mod make;
mod malformed;
mod schema;
mod sealing;
mod suites;

use std::{fs, path::PathBuf};

use schema::File;

fn folder() -> PathBuf {
    [
        env!("CARGO_MANIFEST_DIR"),
        "..",
        "..",
        "test-vectors",
        "kit",
    ]
    .iter()
    .collect()
}

/// The expected numbers, so that no file or case gets lost.
const FILES: usize = 30;
const CASES: usize = 973;

#[test]
fn the_files_are_what_the_code_makes() {
    for (name, file) in make::files() {
        let path = folder().join(&name);
        let text = serde_json::to_string_pretty(&file).unwrap() + "\n";
        if std::env::var_os("KIT").is_some_and(|wish| wish == "write") {
            fs::write(&path, &text).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{name} differs: KIT=write cargo test -p interop kit::"
        );
    }
}

#[test]
fn every_case_gives_its_result() {
    let mut files = 0;
    let mut cases = 0;
    let mut failures = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let file: File = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (number, failed) = check::failures(&name, &file);
        assert_eq!(number, file.number_of_tests, "{name}");
        files += 1;
        cases += number;
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        files >= FILES && cases >= CASES,
        "{files} files, {cases} cases"
    );
}
