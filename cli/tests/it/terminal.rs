//! The output on a terminal, which `script` of util-linux emulates.

use std::{
    io::{Read, Write},
    process::{Child, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::common::{Dir, MATCHED_DATA_CLI, PLAINTEXT, PQSEAL, PUBLIC_KEY};

const NASTY: &[u8] = "\x1b]0;owned\x07\x1b[2J\u{9b}31m\x7f\u{202e}\n".as_bytes();

#[test]
fn control_characters_are_escaped() {
    let dir = Dir::new();
    let sealed = dir.feed(&format!("seal --to {PUBLIC_KEY}"), NASTY);
    dir.write("nasty", sealed.succeeds().out);
    let open = format!("{PQSEAL} open -k key.txt nasty");
    let shown = on_terminal(&dir, &open);
    assert_eq!(
        shown,
        "\\x1b]0;owned\\x07\\x1b[2J\\u{9b}31m\\x7f\\u{202e}\\n\r\n"
    );
    let json = on_terminal(&dir, &format!("{open} --json"));
    assert!(
        !json.contains(['\x1b', '\u{9b}', '\x7f', '\u{202e}']),
        "{json:?}"
    );
    let raw = on_terminal(&dir, &format!("{open} --format raw"));
    assert!(raw.as_bytes().starts_with(b"\x1b]0;owned"), "{raw:?}");
    // A file is not a terminal.
    assert_eq!(on_terminal(&dir, &format!("{open} -o opened")), "");
    assert_eq!(dir.read("opened"), NASTY);
}

#[test]
fn binary_output_is_refused() {
    let dir = Dir::new();
    let seal = format!("{PQSEAL} seal --raw --to {PUBLIC_KEY} README.md");
    let shown = on_terminal(&dir, &format!("{seal}; echo code $?"));
    has(&shown, &["add -o FILE", "code 2\r\n"]);
    let forced = on_terminal(&dir, &format!("{seal} -o - | wc -c"));
    assert!(forced.trim().parse::<usize>().is_ok(), "{forced:?}");
}

/// `-o -` writes them, as with `age`.
#[test]
fn control_characters_in_decrypted_files_are_refused() {
    let dir = Dir::new();
    dir.write("nasty", NASTY);
    dir.write("text", "a line of text: é\n");
    dir.shell("pqseal file keygen -o id 2> keygen; pqseal file keygen -y id > to; pqseal file encrypt -R to -o sealed nasty text")
        .succeeds();
    let decrypt = format!("{PQSEAL} file decrypt -i id");
    let shown = on_terminal(&dir, &format!("{decrypt} sealed/text.age"));
    assert_eq!(shown, "a line of text: é\r\n");
    let refused = on_terminal(&dir, &format!("{decrypt} sealed/nasty.age; echo code $?"));
    let why = ["error: cannot write standard output", "control characters"];
    has(&refused, &[&why[..], &["code 1\r\n"]].concat());
    assert!(!refused.contains('\x1b'), "{refused:?}");
    let range = on_terminal(&dir, &format!("{decrypt} --range 0-0 sealed/nasty.age"));
    has(&range, &why);
    let forced = on_terminal(&dir, &format!("{decrypt} -o - sealed/nasty.age"));
    assert!(forced.starts_with("\x1b]0;owned"), "{forced:?}");
}

#[test]
fn a_rekeyed_file_is_shown_only_with_armor() {
    let dir = Dir::new();
    dir.write("text", "text");
    dir.shell("pqseal file keygen -o id 2> keygen; pqseal file keygen -y id > to; for armor in '' -a; do pqseal file encrypt $armor -R to -o f$armor text; done")
        .succeeds();
    let rekey = format!("{PQSEAL} file rekey -i id -R to -o -");
    let refused = on_terminal(&dir, &format!("{rekey} f; echo code $?"));
    has(&refused, &["name a file with -o", "code 2\r\n"]);
    let shown = on_terminal(&dir, &format!("{rekey} ./f-a"));
    has(&shown, &["-----BEGIN AGE ENCRYPTED FILE-----\r\n"]);
}

#[test]
fn a_pasted_line_needs_no_end_of_file() {
    let dir = Dir::new();
    let line = format!("{MATCHED_DATA_CLI} decrypt -k key.txt -");
    let mut script = script(&dir, &line, Stdio::piped());
    let mut keyboard = script.stdin.take().unwrap();
    keyboard.write_all(&dir.read("blob.txt")).unwrap();
    let shown = output(script);
    drop(keyboard);
    assert!(shown.contains(PLAINTEXT), "{shown:?}");
}

#[test]
fn a_passphrase_is_asked_for_and_not_shown() {
    let dir = Dir::new();
    let keygen = format!("{PQSEAL} keygen --kem x25519 --encrypt -o locked");
    let twice = |first, second| {
        let answers = [("New passphrase: ", first), ("The same again: ", second)];
        dialog(&dir, &keygen, &answers)
    };
    has(
        &twice("one\n", "another\n"),
        &["the two passphrases differ"],
    );
    assert!(!dir.path("locked").exists());
    let shown = twice("Gehe1m\n", "Gehe1m\n");
    assert!(!shown.contains("Gehe1m"), "{shown:?}");
    let public = shown.lines().find(|line| line.ends_with('=')).unwrap();
    let public = public.split(' ').next_back().unwrap();
    let sealed = dir.feed(&format!("seal --to {public}"), b"opened\n");
    dir.write("sealed", sealed.succeeds().out);
    let question = "Passphrase for locked: ";
    let open = format!("{PQSEAL} open -k locked sealed");
    let decrypt = format!("{MATCHED_DATA_CLI} decrypt -k locked sealed");
    for line in [&open, &decrypt] {
        let shown = dialog(&dir, line, &[(question, "Gehe1m\n")]);
        has(&shown, &["opened"]);
        assert!(!shown.contains("Gehe1m"), "{shown:?}");
    }
    let shown = dialog(&dir, &open, &[(question, "wrong\n")]);
    has(&shown, &["the passphrase does not open locked"]);
}

#[test]
fn progress_is_shown_only_on_terminals() {
    let dir = Dir::new();
    let make = format!(
        "pqseal logs generate 2000 | pqseal logs seal --to {PUBLIC_KEY} > events && mkdir in && cp events in/a"
    );
    dir.shell(&make).succeeds();
    let open = "logs open -k key.txt";
    let shown = on_terminal(&dir, &format!("{PQSEAL} {open} in -o out"));
    has(&shown, &["2000 records, ", "/s, 0 failed", "█"]);
    // The bar moves with what is read of a file, and not only when the file is done.
    let shown = on_terminal(&dir, &format!("{PQSEAL} {open} events > opened"));
    has(&shown, &["2000 records, ", "/1.36 MiB"]);
    let pipe = format!("cat events | {PQSEAL} {open} > opened");
    let shown = on_terminal(&dir, &pipe);
    has(&shown, &["2000 records, "]);
    // There is no size to measure progress by.
    assert!(!shown.contains('█'), "{shown:?}");
    // The bar is not shown between records on the same screen, nor written to files and
    // pipes.
    assert!(!on_terminal(&dir, &format!("{PQSEAL} {open} events")).contains("records, "));
    let line = format!("pqseal {open} events > opened && pqseal {open} in -o again");
    dir.shell(&line).succeeds();
}

/// Asserts that each of these is shown.
#[track_caller]
fn has(shown: &str, parts: &[&str]) {
    for part in parts {
        assert!(shown.contains(part), "{part:?} is not in: {shown:?}");
    }
}

/// Returns the output while each question is answered. Each answer is typed once its question
/// is shown and the echo is off.
fn dialog(dir: &Dir, line: &str, answers: &[(&str, &str)]) -> String {
    let mut script = script(dir, &format!("tty; {line}"), Stdio::piped());
    let (mut keyboard, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
    let mut shown = Vec::new();
    for (question, answer) in answers {
        while !shown.ends_with(question.as_bytes()) {
            let mut byte = [0];
            let read = screen.read(&mut byte).unwrap();
            assert_eq!(
                read,
                1,
                "`{question}` is not asked: {}",
                String::from_utf8_lossy(&shown)
            );
            shown.push(byte[0]);
        }
        let terminal = String::from_utf8_lossy(&shown)
            .lines()
            .next()
            .unwrap()
            .trim()
            .to_owned();
        let is_hidden = |_| {
            thread::sleep(Duration::from_millis(10));
            dir.shell(&format!("stty -a -F {terminal}"))
                .out()
                .contains(" -echo ")
        };
        assert!((0..1000).any(is_hidden), "what is typed would be shown");
        keyboard.write_all(answer.as_bytes()).unwrap();
    }
    script.stdout = Some(screen);
    let shown = String::from_utf8(shown).unwrap() + &output(script);
    drop(keyboard);
    shown
}

fn on_terminal(dir: &Dir, line: &str) -> String {
    output(script(dir, line, Stdio::null()))
}

fn script(dir: &Dir, line: &str, input: Stdio) -> Child {
    let mut script = dir.command("script");
    script
        .env("SHELL", "/bin/sh")
        .args(["-qec", line, "/dev/null"])
        .stdin(input);
    script.spawn().expect("this test needs script of util-linux; run: apt-get install bsdutils (or util-linux-script)")
}

/// The time limit, which allows for the work of a passphrase on an emulated processor.
const LIMIT: Duration = Duration::from_secs(300);

/// Returns the output until the program ends.
fn output(mut child: Child) -> String {
    let mut stdout = child.stdout.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut shown = Vec::new();
        let _ = stdout.read_to_end(&mut shown);
        let _ = sender.send(shown);
    });
    let shown = receiver.recv_timeout(LIMIT);
    let _ = child.kill();
    child.wait().unwrap();
    String::from_utf8(shown.expect("it does not end")).unwrap()
}
