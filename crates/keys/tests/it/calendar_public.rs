//! A public calendar that is read by the line has what the whole file has.

use std::{
    io::{self, Cursor, Read, Seek, SeekFrom},
    ops::Range,
    sync::{Arc, Mutex},
};

use getrandom::SysRng;
use pqseal_keys::{
    calendar::{Calendar, Error, PeriodLength, Plan, PublicCalendar},
    kem_by_name,
};
use zeroize::Zeroizing;

use crate::calendar::MONDAY;

fn private(kem: &str, length: PeriodLength, count: usize) -> Calendar {
    let kem = kem_by_name(kem).unwrap();
    let plan = Plan {
        kem,
        length,
        start: MONDAY,
        count,
        name: "logs of a zöne",
    };
    Calendar::generate(&plan, &mut SysRng).unwrap()
}

fn open(text: &str) -> Result<PublicCalendar, Error> {
    PublicCalendar::open(Cursor::new(text.as_bytes().to_vec()))
}

fn assert_same(text: &str) {
    let whole = Calendar::parse(Zeroizing::new(text.as_bytes().to_vec())).unwrap();
    let by_line = open(text).unwrap();
    assert_eq!(by_line.id(), whole.id());
    assert_eq!(by_line.count(), whole.count());
    assert_eq!(by_line.end(), whole.start_of(whole.count()));
    for index in 0..whole.count() {
        assert_eq!(
            by_line.public_key(index),
            whole.public_key(index),
            "{index}"
        );
        let start = whole.start_of(index);
        assert_eq!(by_line.start_of(index), start);
        for time in [start - 1, start] {
            assert_eq!(by_line.at(time), whole.at(time));
        }
    }
    assert_eq!(by_line.at(by_line.end()), None);
}

/// Sizes from one line to many blocks, with and without keys, under both kinds of line ends.
#[test]
fn each_period_has_the_same_key() {
    let all: [(_, _, usize, Range<usize>); 6] = [
        ("x25519", PeriodLength::Day, 1, 0..1),
        ("x25519", PeriodLength::Hour, 900, 0..900),
        ("x25519", PeriodLength::Hour, 900, 400..403),
        ("mlkem1024-p384", PeriodLength::Week, 30, 0..30),
        ("mlkem768-x25519", PeriodLength::Day, 40, 17..40),
        // The last block would begin within the name of the calendar.
        ("x25519", PeriodLength::Day, 182, 0..14),
    ];
    for (kem, length, count, with_keys) in all {
        let public = private(kem, length, count).public(with_keys).unwrap();
        let text = public.as_str();
        assert_same(text);
        assert_same(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
        // Lines of an extension have other ends than those before.
        let (before, after) = text.split_at(text.find("\n2026-12-08").map_or(0, |at| at + 1));
        assert_same(&[&before.replace('\n', "\r\n"), after].concat());
        assert_same(&[before, &after.replace('\n', "\r\n")].concat());
        // The last line is incomplete.
        if count > 1 {
            assert_same(&text[..text.len() - 1]);
        }
    }
}

#[test]
fn what_is_no_public_calendar_is_refused() {
    let private = private("x25519", PeriodLength::Day, 400);
    assert_eq!(open(private.as_str()).unwrap_err(), Error::PrivateGiven);
    let public = private.public(0..400).unwrap();
    let lines: Vec<_> = public.as_str().split_inclusive('\n').collect();
    assert_eq!(open("pqseal-public-key:").unwrap_err(), Error::NotCalendar);
    assert_eq!(open(lines[0].trim_end()).unwrap_err(), Error::Cut);
    assert_eq!(open(lines[0]).unwrap_err(), Error::NoPeriods);
    let is_at = |line| move |error: &Error| matches!(error, Error::Line(at, _) if *at == line);
    let damaged = [lines[0], "2026-12-07 aa\n", lines[2]].concat();
    assert!(is_at(2)(&open(&damaged).unwrap_err()));
    let week = "pqseal-calendar 1 00000000000000000000000000000000 x25519 week logs\n";
    assert!(is_at(2)(&open(&[week, lines[2]].concat()).unwrap_err()));
    // The key file of a public key is not UTF-8, nor is a line here.
    let der = Cursor::new(vec![0x30, 0xff]);
    assert_eq!(PublicCalendar::open(der).unwrap_err(), Error::NotCalendar);
    let bytes = [public.as_str().as_bytes(), b"\xff\n"].concat();
    let latin = PublicCalendar::open(Cursor::new(bytes));
    assert_eq!(latin.unwrap_err(), Error::Disordered);
    // Line 201 is missing, and the days after it are not where they should be.
    let gap = open(&[lines[..200].concat(), lines[201..].concat()].concat()).unwrap();
    assert_eq!(gap.public_key(199), Err(Error::Disordered));
    assert!(gap.public_key(198).is_ok() && gap.public_key(200).is_ok());
    assert_eq!(gap.public_key(400), Err(Error::NotAStart));
    assert_eq!(gap.public_key(usize::MAX), Err(Error::NotAStart));
    // A private line.
    let mixed = [lines[..300].concat(), private.lines_from(299).to_owned()].concat();
    assert_eq!(
        open(&mixed).unwrap().public_key(299),
        Err(Error::PrivateGiven)
    );
    // The key of another day.
    let key = |line: &str| line.trim_end().rsplit(' ').next().unwrap().to_owned();
    let other = public.as_str().replace(&key(lines[5]), &key(lines[6]));
    assert_eq!(open(&other).unwrap().public_key(4), Err(Error::OtherKey(6)));
}

/// Another calendar was appended, instead of lines of this one: it gives no key.
#[test]
fn an_appended_calendar_is_not_sealed_to() {
    let count = 300;
    for (with_keys, start) in [(0..300, 0), (0..300, 300), (299..300, 0)] {
        let day = PeriodLength::Day;
        let first = private("x25519", day, count).public(with_keys).unwrap();
        let other = private("x25519", day, start + count)
            .public(0..start + count)
            .unwrap();
        let header = other.as_str().split_inclusive('\n').next().unwrap();
        let text = [first.as_str(), header, other.lines_from(start)].concat();
        let both = open(&text).unwrap();
        for index in 0..both.count() {
            match (both.public_key(index), first.public_key(index)) {
                (Ok(key), right) => assert_eq!(Ok(key), right, "{index}"),
                (Err(error), _) => {
                    assert!(
                        matches!(error, Error::Disordered | Error::LeftOut),
                        "{error}"
                    );
                }
            }
        }
    }
}

/// A file that another process writes.
#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>, u64);

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = self.0.lock().unwrap();
        let mut rest = file.get(self.1 as usize..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.1 += count as u64;
        Ok(count)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.1 = match to {
            SeekFrom::Start(at) => at,
            _ => self.0.lock().unwrap().len() as u64,
        };
        Ok(self.1)
    }
}

#[test]
fn a_file_that_changes_gives_no_other_key() {
    let private = private("x25519", PeriodLength::Day, 300);
    let text = |private: &Calendar| private.public(0..300).unwrap().as_str().to_owned();
    let file = Arc::new(Mutex::new(text(&private).into_bytes()));
    let read = PublicCalendar::open(Shared(file.clone(), 0)).unwrap();
    let key = read.public_key(250).unwrap();
    // Appended lines change nothing.
    let more = private
        .extend(100, &mut SysRng)
        .unwrap()
        .public(0..400)
        .unwrap();
    *file.lock().unwrap() = more.as_str().as_bytes().to_vec();
    assert_eq!(read.public_key(250).unwrap(), key);
    assert_eq!(read.count(), 300);
    *file.lock().unwrap() = text(&self::private("x25519", PeriodLength::Day, 300)).into_bytes();
    assert_eq!(read.public_key(250), Err(Error::Disordered));
    *file.lock().unwrap() = text(&private).into_bytes();
    assert_eq!(read.public_key(250).unwrap(), key);
    file.lock().unwrap().truncate(20_000);
    assert!(matches!(read.public_key(250), Err(Error::Read(_))));
}
