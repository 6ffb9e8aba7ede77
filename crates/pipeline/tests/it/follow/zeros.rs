//! A log that was truncated while its writer kept its position, and other lines that are not text.
//! Following continues.

use std::{
    fs::{self, File, OpenOptions},
    io::{Seek, SeekFrom, Write},
};

use super::Place;

#[test]
fn zeros_before_a_line_are_skipped() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let mut writer = File::create(place.path("logs/a.log")).unwrap();
    let what = place.what(false);
    place.during(&what, || {
        // More zeros than are read at once come before the next line.
        let long = "x".repeat(3_000_000);
        writeln!(writer, "{{\"n\":1}}\n{{\"n\":\"{long}\"}}").unwrap();
        place.wait_for(2);
        writer.set_len(0).unwrap();
        writeln!(writer, "{{\"n\":2}}").unwrap();
        place.wait_for(3);
        writeln!(writer, "{{\"n\":3}}").unwrap();
        place.wait_for(4);
    });
    let lines = place.read("out");
    assert!(
        lines.ends_with("}\n{\"n\":2}\n{\"n\":3}\n"),
        "{}",
        &lines[lines.len() - 40..]
    );
    assert!(!lines.contains('\0'));
    assert_eq!(place.events(), ["a.log Truncated"]);
    // The next run reads on, and zeros between lines that are there at once are no lines either.
    writer.write_all(b"{\"n\":4}\n\0\0\0{\"n\":5}\n").unwrap();
    place.once(&what, "out").unwrap();
    assert!(
        place
            .read("out")
            .ends_with("{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n")
    );
}

/// A writer may preallocate space for lines.
#[test]
fn zeros_at_the_end_are_not_skipped() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let mut writer = File::create(place.path("logs/a.log")).unwrap();
    let what = place.what(false);
    place.during(&what, || {
        writer.set_len(5000).unwrap();
        for (n, at) in [(1, 0), (2, 8)] {
            writer.seek(SeekFrom::Start(at)).unwrap();
            writeln!(writer, "{{\"n\":{n}}}").unwrap();
            place.wait_for(n);
        }
    });
    assert_eq!(place.read("out"), "{\"n\":1}\n{\"n\":2}\n");
    assert_eq!(place.events(), [""; 0]);
}

/// A log that was truncated, and whose writer preallocates space.
#[test]
fn lines_between_zeros_are_read() {
    // The larger hole exceeds the size of a single read.
    for hole in [3, 3_000_000] {
        let place = Place::new();
        fs::create_dir(place.path("logs")).unwrap();
        let log = [&vec![0; hole], &b"{\"n\":1}\n\0\0\0"[..]].concat();
        fs::write(place.path("logs/a.log"), log).unwrap();
        place.once(&place.what(false), "out").unwrap();
        assert_eq!(place.read("out"), "{\"n\":1}\n", "{hole}");
    }
}

/// Records are found after a first line of any kind.
#[test]
fn no_line_stops_a_file() {
    let starts: [&[u8]; 6] = [
        b"\x01\x02 junk",
        b"\x1f\x8b\x08 junk",
        b"\xff\xfej\0u\0n\0k\0",
        b"PK\x03\x04 junk",
        b"\0\0\0\0\x07",
        b"P*M\x18 junk that is a frame of Zstandard",
    ];
    for start in starts {
        let place = Place::new();
        fs::create_dir(place.path("logs")).unwrap();
        let path = place.path("logs/a.log");
        fs::write(&path, [start, b"\n"].concat()).unwrap();
        let what = place.what(false);
        place.during(&what, || {
            let mut writer = OpenOptions::new().append(true).open(&path).unwrap();
            writeln!(writer, "{{\"n\":1}}").unwrap();
            place.wait_for(1);
            writeln!(writer, "{{\"n\":2}}").unwrap();
            let two = || {
                fs::read(place.path("out"))
                    .unwrap()
                    .ends_with(b"\n{\"n\":2}\n")
            };
            place.wait_until(two);
        });
    }
}

/// A file that is not followed is checked again after it was rewritten.
#[test]
fn a_file_that_was_refused_is_followed_once_it_has_lines() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let path = place.path("logs/a.log");
    fs::write(&path, b"\x1f\x8b\x08\0\0\0\0\0\0\x03 not lines").unwrap();
    let what = place.what(true);
    place.once(&what, "out").unwrap();
    assert_eq!(place.events(), ["a.log Refused"]);
    place.during(&what, || {
        fs::write(&path, b"{\"n\":1}\n").unwrap();
        place.wait_for(1);
    });
    assert_eq!(place.read("out"), "{\"n\":1}\n");
}
