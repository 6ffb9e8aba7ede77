//! What is shown on a terminal, which `script` of util-linux stands in for.

mod common;

use std::{
    io::{Read, Write},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use common::{Dir, MATCHED_DATA_CLI, PLAINTEXT, PQSEAL, PUBLIC_KEY};

const NASTY: &[u8] = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\x7f\u{202e}\n".as_bytes();

#[test]
fn control_characters_are_escaped() {
    let dir = Dir::new();
    dir.write("nasty", dir.run(PQSEAL, &["seal", "--to", PUBLIC_KEY], NASTY).succeeds().out);
    let shown = on_terminal(&dir, &format!("{PQSEAL} open -k key.txt nasty"));
    assert_eq!(shown, "\\x1b]0;owned\\x07\\x1b[2J\\u{9b}31m\\x7f\\u{202e}\\n\r\n");
    let json = on_terminal(&dir, &format!("{PQSEAL} open -k key.txt --json nasty"));
    assert!(!json.contains(['\x1b', '\u{9b}', '\x7f', '\u{202e}']), "{json:?}");
    let raw = on_terminal(&dir, &format!("{PQSEAL} open -k key.txt --format raw nasty"));
    assert!(raw.as_bytes().starts_with(b"\x1b]0;owned"), "{raw:?}");
}

#[test]
fn a_file_is_not_a_terminal() {
    let dir = Dir::new();
    dir.write("nasty", dir.run(PQSEAL, &["seal", "--to", PUBLIC_KEY], NASTY).succeeds().out);
    assert_eq!(on_terminal(&dir, &format!("{PQSEAL} open -k key.txt -o opened nasty")), "");
    assert_eq!(dir.read("opened"), NASTY);
}

#[test]
fn binary_output_is_refused() {
    let dir = Dir::new();
    let shown = on_terminal(&dir, &format!("{PQSEAL} seal --raw --to {PUBLIC_KEY} README.md; echo code $?"));
    assert!(shown.contains("add -o FILE") && shown.ends_with("code 2\r\n"), "{shown:?}");
    let forced = on_terminal(&dir, &format!("{PQSEAL} seal --raw -o - --to {PUBLIC_KEY} README.md | wc -c"));
    assert!(forced.trim().parse::<usize>().is_ok(), "{forced:?}");
}

#[test]
fn a_pasted_line_needs_no_end_of_file() {
    let dir = Dir::new();
    let mut script = script(&dir, &format!("{MATCHED_DATA_CLI} decrypt -k key.txt -"), Stdio::piped());
    let mut keyboard = script.stdin.take().unwrap();
    keyboard.write_all(&dir.read("blob.txt")).unwrap();
    let shown = output(script, Duration::from_secs(60));
    drop(keyboard);
    assert!(shown.contains(PLAINTEXT), "{shown:?}");
}

fn on_terminal(dir: &Dir, line: &str) -> String {
    output(script(dir, line, Stdio::null()), Duration::from_secs(60))
}

fn script(dir: &Dir, line: &str, input: Stdio) -> Child {
    let mut script = dir.command("script");
    script.env("SHELL", "/bin/sh").args(["-qec", line, "/dev/null"]).stdin(input);
    script.spawn().expect("this test needs script of util-linux; run: apt-get install bsdutils (or util-linux-script)")
}

/// All that is shown until the program ends.
fn output(mut child: Child, limit: Duration) -> String {
    let mut stdout = child.stdout.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut shown = Vec::new();
        let _ = stdout.read_to_end(&mut shown);
        let _ = sender.send(shown);
    });
    let shown = receiver.recv_timeout(limit);
    let _ = child.kill();
    child.wait().unwrap();
    String::from_utf8(shown.expect("it does not end")).unwrap()
}
