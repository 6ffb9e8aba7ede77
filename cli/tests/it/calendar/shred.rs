//! `pqseal calendar shred`: interrupted at each step, on encrypted files, and with other names.

use std::{fs, io::Read, process::Stdio, thread, time::Duration};

use pqseal_keys::{KeyFormat, calendar::Calendar, write_private};

use super::{Done as _, day, dir, make, read};
use crate::common::{Dir, PQSEAL};

/// The lines of the private keys of the first `count` periods.
pub(super) fn seeds(calendar: &Calendar, count: usize) -> Vec<String> {
    let seed = |index| {
        let line = write_private(&calendar.private_key(index).unwrap(), KeyFormat::Line).unwrap();
        line.trim().rsplit_once(':').unwrap().1.to_owned()
    };
    (0..count).map(seed).collect()
}

pub(super) fn assert_in_no_file(dir: &Dir, seeds: &[String]) {
    for name in dir.names() {
        let mut text = Vec::new();
        if let Ok(mut file) = fs::File::open(dir.path(&name)) {
            let _ = file.read_to_end(&mut text);
        }
        let text = String::from_utf8_lossy(&text);
        for seed in seeds {
            assert!(!text.contains(seed), "{name}");
        }
    }
}

/// Asserts that one whole calendar is there, and that the next run finishes.
fn assert_finishes(dir: &Dir, old: &Calendar) {
    let whole = read(dir, "logs.calendar");
    whole.check().unwrap();
    assert_eq!(whole.fingerprint(), old.fingerprint());
    let shred = format!("calendar shred logs.calendar --before {}", day(2));
    dir.words(&shred).done();
    assert_in_no_file(dir, &seeds(old, 3));
    assert_eq!(read(dir, "logs.calendar").present().count(), 7);
    let names = dir.names();
    assert!(
        names
            .iter()
            .all(|name| !name.contains("shredding") && !name.contains(".tmp"))
    );
}

#[test]
fn a_killed_run_leaves_one_whole_file() {
    let mut stopped = 0;
    for round in 0..50 {
        let dir = dir();
        let old = read(&dir, "logs.calendar");
        let shred = format!("calendar shred logs.calendar --before {}", day(2));
        let mut child = dir
            .command(PQSEAL)
            .args(shred.split(' '))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_micros(200 * round));
        let _ = child.kill();
        stopped += u64::from(!child.wait().unwrap().success());
        assert_finishes(&dir, &old);
    }
    assert!(stopped > 0, "every run ended before it was killed");
}

/// The files that a crash leaves after each step.
#[test]
fn the_next_run_finishes_from_each_step() {
    let steps: [fn(&Dir); 4] = [
        // The old file has its second name.
        |dir| {
            fs::hard_link(
                dir.path("logs.calendar"),
                dir.path("logs.calendar.shredding"),
            )
            .unwrap()
        },
        // The new file was not renamed.
        |dir| {
            fs::hard_link(
                dir.path("logs.calendar"),
                dir.path("logs.calendar.shredding"),
            )
            .unwrap();
            fs::copy(dir.path("logs.calendar"), dir.path(".pqseal-x.tmp")).unwrap();
        },
        // The new file was renamed.
        |dir| {
            let shredded = read(dir, "logs.calendar").shred(1).unwrap();
            fs::rename(
                dir.path("logs.calendar"),
                dir.path("logs.calendar.shredding"),
            )
            .unwrap();
            dir.write("logs.calendar", shredded.as_str());
        },
        // A part of the old file was overwritten.
        |dir| {
            let shredded = read(dir, "logs.calendar").shred(1).unwrap();
            let mut old = dir.read("logs.calendar");
            old[..300].fill(0);
            dir.write("logs.calendar", shredded.as_str());
            dir.write("logs.calendar.shredding", old);
        },
    ];
    for step in steps {
        let dir = dir();
        let old = read(&dir, "logs.calendar");
        step(&dir);
        for line in [
            "calendar show logs.calendar",
            "open -k logs.calendar blob.txt",
        ] {
            let ran = dir.words(line);
            assert!(ran.err.contains("overwrites it"), "{line}: {}", ran.err);
        }
        let ran = dir.words("doctor -k logs.calendar");
        assert!(ran.out().contains("FILE.shredding"), "{}", ran.out());
        assert_finishes(&dir, &old);
    }
}

#[test]
fn other_names_of_the_file_are_refused() {
    let dir = dir();
    let old = read(&dir, "logs.calendar");
    fs::hard_link(dir.path("logs.calendar"), dir.path("copy")).unwrap();
    let shred = format!("calendar shred logs.calendar --before {}", day(2));
    dir.words(&shred).fails(3, "2 names");
    assert_eq!(read(&dir, "logs.calendar").present().count(), 10);
    dir.words(&format!("{shred} --force")).done();
    assert_in_no_file(&dir, &seeds(&old, 3));
    let extend = "calendar extend logs.calendar --days 1";
    fs::hard_link(dir.path("logs.calendar"), dir.path("again")).unwrap();
    dir.words(extend).fails(3, "2 names");
    // A symbolic link leads to the file, and stays.
    let dir = super::dir();
    std::os::unix::fs::symlink("logs.calendar", dir.path("link")).unwrap();
    dir.words(&shred.replace("logs.calendar", "link")).done();
    assert_eq!(read(&dir, "logs.calendar").present().count(), 7);
    assert!(dir.path("link").is_symlink());
}

#[test]
fn an_encrypted_calendar_stays_encrypted() {
    let dir = Dir::new();
    for (name, text) in [("old", "an old passphrase"), ("new", "a new passphrase")] {
        dir.write(name, text);
        dir.chmod(name, 0o600);
    }
    make(&dir, "--encrypt --passphrase-file old -o logs.age");
    let is_encrypted = |name: &str| dir.read(name).starts_with(b"-----BEGIN AGE");
    assert!(is_encrypted("logs.age"));
    let sealed = dir.feed("seal --to logs.pub", b"x").done();
    dir.write("blob", sealed.out());
    let before = |offset| format!("calendar shred logs.age --before {}", day(offset));
    dir.words(&format!("{} --passphrase-file new", before(0)))
        .fails(1, "passphrase");
    dir.words(&format!("{} --passphrase-file old", before(0)))
        .done();
    assert!(is_encrypted("logs.age"));
    let open = |file: &str| dir.words(&format!("open -k logs.age blob --passphrase-file {file}"));
    assert_eq!(open("old").done().out(), "x");

    let extend = "calendar extend logs.age --days 1 --passphrase-file old";
    dir.words(extend).done();
    assert!(is_encrypted("logs.age"));
    let changed = "--passphrase-file old --new-passphrase-file new";
    dir.words(&format!("{} {changed}", before(1))).done();
    open("old").fails(3, "passphrase");
    open("new").fails(1, "shredded");
    // Nothing was written in the clear.
    for name in dir.names() {
        let text = String::from_utf8_lossy(&dir.read(&name)).into_owned();
        assert!(!text.contains("pqseal-private-key:x25519"), "{name}");
    }
}

#[test]
fn a_calendar_for_age_recipients_needs_them_again() {
    let dir = Dir::new();
    dir.shell("pqseal file keygen -o identity; pqseal file keygen -y identity > recipient")
        .done();
    make(&dir, "-R recipient -o logs.age");
    let shred = format!("calendar shred logs.age --before {}", day(0));
    dir.words(&shred).fails(1, "-i");
    dir.words(&format!("{shred} -i identity")).fails(2, "-r");
    dir.words(&format!("{shred} -i identity -R recipient"))
        .done();
    let show = dir.words("calendar show logs.age -i identity").done();
    assert!(show.out().contains("shredded: 1 day"), "{}", show.out());
    dir.words("open -k logs.age blob.txt")
        .fails(3, "pqseal file decrypt");
    let public = dir.words("calendar public logs.age -i identity").done();
    dir.write("again.pub", public.out());
    dir.words("calendar check logs.pub again.pub").done();
}
