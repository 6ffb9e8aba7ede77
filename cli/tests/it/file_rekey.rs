//! `pqseal file rekey` in place, and its recovery after an interruption. The tests make the file
//! and its journal as a crash leaves them.

use std::fs::File;

use crate::{
    common::{Dir, shell},
    file::dir,
};

const JOURNAL: &str = "f.pqseal-header";
const FORMATS: [&str; 2] = ["", "--format cobblestone"];

/// An encrypted file before and after its rekey from `id` to `other`.
struct Rekeyed {
    before: Vec<u8>,
    after: Vec<u8>,
}

/// The length of its header, in bytes.
const HEADER: usize = 4096;

impl Rekeyed {
    fn new(dir: &Dir, format: &str) -> Self {
        let line = format!("pqseal file encrypt --force --reserve {format} -R to -o f text");
        shell(dir, &line);
        let before = dir.read("f");
        rekey(dir, "-i id -R to-other f");
        let after = dir.read("f");
        assert!(before != after && before[HEADER..] == after[HEADER..]);
        Self { before, after }
    }

    fn journal(&self) -> Vec<u8> {
        [&self.before[..HEADER], &self.after[..HEADER + 16]].concat()
    }

    /// Returns the file with the first half of the new header.
    fn torn(&self) -> Vec<u8> {
        [&self.after[..HEADER / 2], &self.before[HEADER / 2..]].concat()
    }
}

/// Runs `pqseal file rekey`, and returns its messages.
fn rekey(dir: &Dir, arguments: &str) -> String {
    let ran = dir.shell(&format!("pqseal file rekey {arguments}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.err
}

fn assert_opens(dir: &Dir, identity: &str) {
    let opened = shell(dir, &format!("pqseal file decrypt -i {identity} f"));
    assert!(opened.out == dir.read("text"), "{identity}");
}

#[test]
fn a_torn_header_is_restored() {
    for format in FORMATS {
        let dir = dir();
        let made = Rekeyed::new(&dir, format);
        dir.write("f", made.torn());
        dir.write(JOURNAL, made.journal());
        dir.shell("pqseal file decrypt -i id f")
            .fails(1, "a rekey of it was interrupted");
        // With -o the file stays as it is.
        dir.shell("pqseal file rekey -i id -R to-other -o new f")
            .fails(1, "a rekey of it was interrupted");
        assert!(dir.read("f") == made.torn());
        let said = rekey(&dir, "-i id -R to-other f");
        assert!(said.contains("its old header was restored"), "{said}");
        assert!(!dir.path(JOURNAL).exists());
        assert_opens(&dir, "other");
    }
}

/// The new header is on the disk, and only the journal was not removed. The new recipients stay.
#[test]
fn a_rekey_that_was_done_is_not_undone() {
    for format in FORMATS {
        let dir = dir();
        let made = Rekeyed::new(&dir, format);
        dir.write(JOURNAL, made.journal());
        assert_opens(&dir, "other");
        let said = rekey(&dir, "-i other -R to f");
        assert!(!said.contains("restored"), "{said}");
        assert!(!dir.path(JOURNAL).exists());
        assert_opens(&dir, "id");
    }
}

#[test]
fn a_journal_that_is_not_whole_was_kept_before_the_file_was_touched() {
    let dir = dir();
    let made = Rekeyed::new(&dir, "");
    let journal = made.journal();
    for length in [0, 1000, HEADER, HEADER + 1, 2 * HEADER, journal.len() - 1] {
        dir.write("f", &made.before);
        dir.write(JOURNAL, &journal[..length]);
        let said = rekey(&dir, "-i id -R to-other f");
        assert!(!said.contains("restored"), "{said}");
        assert!(!dir.path(JOURNAL).exists());
        assert_opens(&dir, "other");
    }
}

/// Another file took the name after the interruption, or a copy with a third header.
#[test]
fn the_journal_of_another_file_is_not_used() {
    let dir = dir();
    let made = Rekeyed::new(&dir, "");
    rekey(&dir, "-i other -R to f");
    let third = dir.read("f");
    shell(&dir, "pqseal file encrypt --force -R to -o f text");
    let another = dir.read("f");
    dir.write(JOURNAL, made.journal());
    for file in [third, another, b"age".to_vec()] {
        dir.write("f", &file);
        dir.shell("pqseal file rekey -i id -R to-other f")
            .fails(1, "/f.pqseal-header away");
        assert!(dir.read("f") == file && dir.read(JOURNAL) == made.journal());
    }
}

/// After a kill at any time, one of the two identities opens the file, or the next rekey restores
/// it.
#[test]
fn it_may_be_killed_at_any_time() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt --reserve -R to -o f text");
    for half_milliseconds in 1..=20 {
        let delay = format!("0.00{:02}", half_milliseconds * 5);
        dir.shell(&format!(
            "timeout -s KILL {delay} pqseal file rekey -i id -R to-other f"
        ));
        let is_new = dir.shell("pqseal file decrypt -i other f").code == Some(0);
        let identity = if is_new { "other" } else { "id" };
        rekey(&dir, &format!("-i {identity} -R to f"));
        assert!(!dir.path(JOURNAL).exists());
        assert_opens(&dir, "id");
    }
}

#[test]
fn one_at_a_time() {
    let dir = dir();
    shell(&dir, "pqseal file encrypt --reserve -R to -o f text");
    let file = File::open(dir.path("f")).unwrap();
    file.lock().unwrap();
    dir.shell("pqseal file rekey -i id -R to-other f")
        .fails(1, "another rekey is changing f");
    drop(file);
    rekey(&dir, "-i id -R to-other f");
}

/// Only a file with room is changed in place: another may have a second name, such as that of a
/// backup.
#[test]
fn a_file_without_room_is_replaced_and_one_with_room_keeps_its_place() {
    let dir = dir();
    for (options, in_place) in [
        ("", false),
        ("-a", false),
        ("--reserve", true),
        ("--format cobblestone", false),
        ("--format cobblestone --reserve", true),
    ] {
        shell(
            &dir,
            &format!("rm -f f backup; pqseal file encrypt {options} -R to -o f text; ln f backup"),
        );
        let before = dir.read("f");
        let said = rekey(&dir, "-i id -R to-other f");
        assert!(said.contains("can still read"), "{said}");
        assert_opens(&dir, "other");
        dir.shell("pqseal file decrypt -i id f")
            .fails(1, "no identity matches");
        let (now, backup) = (dir.read("f"), dir.read("backup"));
        assert_eq!((now == backup, backup == before), (in_place, !in_place));
        assert!(!in_place || now[HEADER..] == before[HEADER..]);
    }
    // This many recipients need a longer header.
    shell(
        &dir,
        "pqseal file encrypt --force --reserve -R to -o f text",
    );
    rekey(&dir, &format!("-i id {} f", "-R to-other ".repeat(50)));
    let shown = shell(&dir, "pqseal --json file inspect f");
    let shown: serde_json::Value = serde_json::from_slice(&shown.out).unwrap();
    assert_eq!(shown["header_bytes"], 2 * HEADER);
    assert_opens(&dir, "other");
    // To another file, of another kind of key.
    let before = dir.read("f");
    rekey(&dir, "-i other -R to-pq -o new f");
    assert!(dir.read("f") == before);
    let line =
        "pqseal file decrypt -i pq new | cmp - text; pqseal file encrypt -a -R to -o armored text";
    shell(&dir, line);
    let said = rekey(&dir, "--reserve -i id -R to armored");
    assert!(said.contains("--reserve has no effect"), "{said}");
}

/// Through a link, the file behind it is changed, and its journal is next to that. Messages escape
/// names.
#[test]
fn a_link_is_followed() {
    let dir = dir();
    let made = Rekeyed::new(&dir, "");
    dir.write("f", made.torn());
    dir.write(JOURNAL, made.journal());
    std::os::unix::fs::symlink("f", dir.path("link")).unwrap();
    let line = "pqseal file decrypt -i id";
    dir.shell(&format!("{line} link"))
        .fails(1, "/f.pqseal-header: run");
    let line = format!("cp f 'f\tg'; cp {JOURNAL} 'f\tg.pqseal-header'; {line} 'f\tg'");
    dir.shell(&line).fails(1, "/f\\tg.pqseal-header: run");
    let said = rekey(&dir, "-i id -R to-other link");
    assert!(said.contains("its old header was restored"), "{said}");
    assert!(dir.path("link").is_symlink() && !dir.path(JOURNAL).exists());
    assert_opens(&dir, "other");
}

#[test]
fn an_error_names_the_input_or_the_output() {
    let dir = dir();
    shell(
        &dir,
        "pqseal file encrypt -R to -o f text; pqseal file encrypt -a -R to -o armored text; mkfifo pipe; \
         sed '20s/./!/' armored > damaged; cp damaged before",
    );
    let rekey = "pqseal file rekey -i id -R to-other";
    // A pipe cannot be read from the end of its header.
    dir.shell(&format!("cat f > pipe & {rekey} -o new pipe"))
        .fails(1, "cannot read pipe: illegal seek");
    dir.shell(&format!("{rekey} damaged"))
        .fails(1, "damaged: the armor");
    shell(&dir, "cmp damaged before");
    let limited = format!("trap '' XFSZ; ulimit -f 100; {rekey}");
    for name in ["f", "armored"] {
        dir.shell(&format!("{rekey} -o /dev/full {name}"))
            .fails(1, "cannot write /dev/full: no space");
        dir.shell(&format!("{limited} -o new {name}"))
            .fails(1, "cannot write new: file too large");
    }
    assert!(!dir.path("new").exists());
    let before = dir.read("f");
    dir.shell(&format!("{rekey} -o - f >> f"))
        .fails(2, "f is read, and standard output would overwrite it");
    assert!(dir.read("f") == before);
}
