//! Runs every transcript in `tests/transcripts`, and the repository's example, and compares the
//! output.
//!
//! A transcript is Markdown. In a block marked `console`, a line `$ command` goes to the shell, in
//! a directory with all fixtures, which the transcript shares. Then follow both output streams in
//! order, `%` for a last line without a line break, and `? code` for an exit code that is not 0.
//! `[..]` matches anything in a line, `...` any lines. SNAPSHOTS=overwrite renews the files.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    thread,
};

use crate::common::Dir;
use snapbox::{Assert, Data};

#[test]
fn transcripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 9, "a subcommand has no transcript");
    // The transcripts run at the same time; one that fails ends the test.
    thread::scope(|scope| {
        for file in &files {
            scope.spawn(|| check(file));
        }
    });
}

#[test]
fn the_example_that_the_repository_shows() {
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/matched-data/README.md"));
}

fn check(file: &PathBuf) {
    let expected = fs::read_to_string(file).unwrap();
    assert!(expected.contains("\n$ "), "{} runs nothing", file.display());
    let assert = Assert::new().action_env("SNAPSHOTS").normalize_paths(false);
    assert.eq(replay(&expected), Data::read_from(file, None));
}

/// Returns the transcript with today's output.
fn replay(transcript: &str) -> String {
    let dir = Dir::new();
    let (mut text, mut in_block) = (String::new(), false);
    for line in transcript.lines() {
        in_block = if in_block {
            line != "```"
        } else {
            line == "```console"
        };
        match line.strip_prefix("$ ") {
            Some(command) if in_block => text += &format!("{line}\n{}", output(&dir, command)),
            None if in_block && line != "```console" => {}
            _ => _ = writeln!(text, "{line}"),
        }
    }
    text
}

fn output(dir: &Dir, command: &str) -> String {
    let ran = dir.shell(&format!("exec 2>&1; umask 022; {command}"));
    let mut text = String::from_utf8_lossy(&ran.out).into_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("%\n");
    }
    match ran.code {
        Some(0) => {}
        code => _ = writeln!(text, "? {}", code.unwrap_or(-1)),
    }
    text
}
