//! Private calendars that are replaced: two commands at once, links, modes, and files that are not
//! old ones.

use std::{
    fs::{self, File},
    io::{Read, Write},
    os::unix::{
        fs::{MetadataExt, chown, symlink},
        process::CommandExt,
    },
    path::Path,
    thread,
};

use super::{Done as _, day, dir, make, read, shred::assert_in_no_file, shred::seeds};
use crate::common::{Dir, PQSEAL, Ran};

/// A user without any rights.
const NOBODY: u32 = 65_534;

fn shred(name: &str, offset: i64) -> String {
    format!("calendar shred {name} --before {}", day(offset))
}

fn passphrases(dir: &Dir) {
    for (name, text) in [("old", "an old passphrase"), ("new", "a new passphrase")] {
        dir.write(name, text);
        dir.chmod(name, 0o600);
    }
}

fn is_zero(mut file: File) -> bool {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).unwrap();
    bytes.len() > 100 && bytes.iter().all(|byte| *byte == 0)
}

/// While `shred` waits for its passphrase, `extend` must not print keys that `shred` would remove.
#[test]
fn a_second_command_is_refused() {
    let dir = dir();
    assert_eq!(dir.shell("mkfifo fifo").code, Some(0));
    let words = shred("logs.calendar", 1) + " --new-passphrase-file fifo";
    let first = dir.command(PQSEAL).args(words.split(' ')).spawn().unwrap();
    // This waits for the other end, which is opened after the calendar.
    let mut fifo = File::options().write(true).open(dir.path("fifo")).unwrap();
    let before = dir.read("logs.calendar");
    for second in [
        "calendar extend logs.calendar --days 5",
        &shred("logs.calendar", 2),
    ] {
        dir.words(second).fails(3, "another process replaces");
    }
    assert_eq!(dir.read("logs.calendar"), before);
    fifo.write_all(b"a new passphrase\n").unwrap();
    drop(fifo);
    Ran::from(first.wait_with_output().unwrap()).done();
    assert!(dir.read("logs.calendar").starts_with(b"-----BEGIN AGE"));
}

/// Each command either does all of its work or nothing.
#[test]
fn commands_at_once_lose_no_key_and_bring_none_back() {
    let dir = dir();
    let old = read(&dir, "logs.calendar");
    let until_done = |line: &str| loop {
        let ran = dir.words(line);
        match ran.err.contains("another process replaces") {
            true => assert_eq!(ran.code, Some(3), "{}", ran.err),
            false => return ran.done(),
        }
    };
    let public = thread::scope(|scope| {
        let extended = scope.spawn(|| {
            let extend = |_| until_done("calendar extend logs.calendar --days 100").out;
            (0..10).flat_map(extend).collect::<Vec<_>>()
        });
        for offset in 0..5 {
            until_done(&shred("logs.calendar", offset));
        }
        extended.join().unwrap()
    });
    dir.write("logs.pub", [dir.read("logs.pub"), public].concat());
    dir.words("calendar check logs.calendar logs.pub").done();
    let (private, public) = (read(&dir, "logs.calendar"), read(&dir, "logs.pub"));
    assert_eq!((private.count(), public.count()), (1010, 1010));
    assert_eq!(private.present().count(), 1005);
    assert_in_no_file(&dir, &seeds(&old, 5));
}

#[test]
fn old_files_and_those_of_killed_runs_are_overwritten() {
    for line in [
        "calendar extend logs.calendar --days 1",
        &shred("logs.calendar", 0),
    ] {
        let dir = dir();
        let killed = ".pqseal-killed.tmp";
        fs::copy(dir.path("logs.calendar"), dir.path(killed)).unwrap();
        // Where a file is published by a second name, a killed run may leave the first one.
        let published = dir.read("logs.pub");
        fs::hard_link(dir.path("logs.pub"), dir.path(".pqseal-linked.tmp")).unwrap();
        let open = ["logs.calendar", killed].map(|name| File::open(dir.path(name)).unwrap());
        dir.words(line).done();
        assert!(!dir.path(killed).exists());
        assert_eq!(dir.read("logs.pub"), published);
        for file in open {
            assert!(is_zero(file), "{line}");
        }
        assert_eq!(
            dir.names()
                .iter()
                .filter(|name| name.contains("shredding"))
                .count(),
            0
        );
    }
}

#[test]
fn what_is_not_an_old_file_is_not_overwritten() {
    let dir = dir();
    let old = "logs.calendar.shredding";
    let line = shred("logs.calendar", 1);
    let before = dir.read("logs.calendar");
    symlink("logs.pub", dir.path(old)).unwrap();
    let public = dir.read("logs.pub");
    dir.words(&line).fails(3, "not a regular file");
    assert_eq!(dir.read("logs.pub"), public);
    fs::remove_file(dir.path(old)).unwrap();

    make(&dir, "-o other.calendar");
    for other in [b"a note".to_vec(), dir.read("other.calendar")] {
        dir.write(old, &other);
        dir.words(&line)
            .fails(3, "is not an old file of this calendar");
        assert_eq!(dir.read(old), other);
    }
    assert_eq!(dir.read("logs.calendar"), before);
}

/// If the new file cannot be read, the old one may be all that is left.
#[test]
fn an_old_file_stays_until_the_new_one_is_read() {
    let dir = dir();
    let whole = dir.read("logs.calendar");
    let old = "logs.calendar.shredding";
    dir.write(old, &whole);
    dir.write("logs.calendar", "not a calendar\n");
    let line = shred("logs.calendar", 1);
    dir.words(&line).fails(1, "not a calendar");
    assert_eq!(dir.read(old), whole);
    // The passphrase of the new file was mistyped, and is not known.
    passphrases(&dir);
    dir.shell("pqseal file encrypt -p -a --passphrase-file new -o logs.age logs.calendar.shredding; mv logs.age logs.calendar").done();
    dir.words(&format!("{line} --passphrase-file old"))
        .fails(1, "passphrase");
    assert_eq!(dir.read(old), whole);
}

#[test]
fn an_interrupted_run_is_seen_through_links() {
    let dir = dir();
    dir.shell("mkdir links; ln -s ../logs.calendar links/link")
        .done();
    fs::hard_link(
        dir.path("logs.calendar"),
        dir.path("logs.calendar.shredding"),
    )
    .unwrap();
    let ran = dir.words("calendar show links/link").done();
    assert!(ran.err.contains("overwrites it"), "{}", ran.err);
    let ran = dir.words("doctor -k links/link");
    assert!(ran.out().contains("FILE.shredding"), "{}", ran.out());
    dir.words(&shred("links/link", 1)).done();
    assert!(!dir.path("logs.calendar.shredding").exists());
    assert!(dir.path("links/link").is_symlink());
}

/// The old file may be under another passphrase than the new one.
#[test]
fn a_folder_opens_beside_an_old_file() {
    let dir = Dir::new();
    passphrases(&dir);
    make(&dir, "--encrypt --passphrase-file old -o logs.age");
    dir.shell("mkdir keys; cp -p logs.age keys/logs.age.shredding; cp -p logs.age keys/.pqseal-killed.tmp")
        .done();
    let changed = "--passphrase-file old --new-passphrase-file new";
    dir.words(&format!("{} {changed}", shred("logs.age", 0)))
        .done();
    dir.shell("mv logs.age keys; pqseal seal --to logs.pub < blob.txt > blob")
        .done();
    let ran = dir.words("open -k keys --passphrase-file new blob").done();
    assert_eq!(ran.out, dir.read("blob.txt"));
    assert!(ran.err.contains("logs.age.shredding"), "{}", ran.err);
}

#[test]
fn owner_and_mode_stay() {
    let dir = dir();
    let path = dir.path("logs.calendar");
    dir.chmod("logs.calendar", 0o640);
    let is_root = fs::metadata(&path).unwrap().uid() == 0;
    if is_root {
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let owner = |path: &Path| fs::metadata(path).map(|found| (found.uid(), found.gid()));
    let before = owner(&path).unwrap();
    for line in [
        "calendar extend logs.calendar --days 1",
        &shred("logs.calendar", 0),
    ] {
        dir.words(line).done();
        assert_eq!(dir.mode("logs.calendar"), 0o640, "{line}");
        assert_eq!(owner(&path).unwrap(), before, "{line}");
    }
}

/// Root may write every file, so the command runs as another user then.
#[test]
fn a_file_that_only_its_owner_may_read_is_shredded() {
    let dir = dir();
    let old = read(&dir, "logs.calendar");
    dir.chmod("logs.calendar", 0o400);
    let mut command = dir.command(PQSEAL);
    if fs::metadata(dir.path("")).unwrap().uid() == 0 {
        for name in ["", "logs.calendar"] {
            chown(dir.path(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let ran = command.args(shred("logs.calendar", 2).split(' ')).output();
    Ran::from(ran.unwrap()).done();
    assert_in_no_file(&dir, &seeds(&old, 3));
    assert_eq!(read(&dir, "logs.calendar").present().count(), 7);
}

#[test]
fn a_run_that_cannot_write_leaves_the_old_file_alone() {
    let dir = dir();
    let old = dir.read("logs.calendar");
    let shred = shred("logs.calendar", 2);
    let ran = dir.shell(&format!("trap '' XFSZ; ulimit -f 1; pqseal {shred}"));
    ran.fails(3, "replace");
    assert_eq!(dir.read("logs.calendar"), old);
    assert!(!dir.path("logs.calendar.shredding").exists());
}
