//! A public calendar that is read by the line has what the whole file has.

use std::{
    io::{self, Cursor, Read, Seek, SeekFrom},
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

fn by_line(text: &str) -> Option<PublicCalendar> {
    PublicCalendar::by_line(Cursor::new(text.as_bytes().to_vec()))
}

fn parse(text: &str) -> Result<Calendar, Error> {
    Calendar::parse(Zeroizing::new(text.as_bytes().to_vec()))
}

fn assert_same(public: &PublicCalendar, text: &str) {
    let whole = parse(text).unwrap();
    assert_eq!(public.id(), whole.id());
    assert_eq!(public.end(), whole.start_of(whole.count()));
    for index in 0..whole.count() {
        assert_eq!(public.public_key(index), whole.public_key(index), "{index}");
        let start = whole.start_of(index);
        for time in [start - 1, start] {
            assert_eq!(public.at(time), whole.at(time));
        }
    }
    assert_eq!(public.at(public.end()), None);
    for index in [whole.count(), usize::MAX] {
        assert_eq!(public.public_key(index), Err(Error::NotAStart));
    }
}

/// One period and many, under both kinds of line ends.
#[test]
fn each_period_has_the_same_key() {
    for (kem, length, count) in [
        ("x25519", PeriodLength::Day, 1),
        ("x25519", PeriodLength::Hour, 200),
        ("mlkem1024-p384", PeriodLength::Week, 10),
        ("mlkem768-x25519", PeriodLength::Day, 40),
    ] {
        let public = private(kem, length, count).public(0..count).unwrap();
        let text = public.as_str().to_owned();
        assert_same(&by_line(&text).unwrap(), &text);
        let crlf = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        assert_same(&by_line(&crlf).unwrap(), &crlf);
        assert_same(&public.try_into().unwrap(), &text);
    }
}

/// What is not read by the line is read as a whole, or refused there.
#[test]
fn other_files_are_read_as_a_whole() {
    let private = private("x25519", PeriodLength::Day, 400);
    assert!(by_line(private.as_str()).is_none());
    assert_eq!(
        PublicCalendar::try_from(parse(private.as_str()).unwrap()).unwrap_err(),
        Error::PrivateGiven
    );
    let public = private.public(0..400).unwrap();
    let text = public.as_str();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let (before, after) = text.split_at(text.len() / 2);
    for other in [
        private.public(3..4).unwrap().as_str(),
        private.public(0..399).unwrap().as_str(),
        &text[..text.len() - 1],
        &format!("{text}\n"),
        &[before, &after.replace('\n', "\r\n")].concat(),
        &[text, text].concat(),
        &[lines[..200].concat(), lines[201..].concat()].concat(),
        lines[0],
        "pqseal-public-key:",
        "",
    ] {
        assert!(by_line(other).is_none());
    }
    assert!(PublicCalendar::by_line(Cursor::new(vec![0x30, 0xff])).is_none());
}

/// Another calendar was appended in place of more lines of this one.
#[test]
fn an_appended_calendar_is_not_sealed_to() {
    let first = private("x25519", PeriodLength::Day, 300);
    let other = private("x25519", PeriodLength::Day, 600)
        .public(0..600)
        .unwrap();
    // The last one has a first line of the size of all others.
    for name in ["logs".to_owned(), "n".repeat(75)] {
        let header = other.as_str().split_inclusive('\n').next().unwrap();
        let header = header.replace("logs of a zöne", &name);
        for start in [0, 300] {
            let first = first.public(0..300).unwrap();
            let text = [first.as_str(), &header, other.lines_from(start)].concat();
            assert!(by_line(&text).is_none(), "{}", header.len());
            assert!(parse(&text).is_err());
        }
    }
}

#[test]
fn lines_that_are_wrong_give_no_key() {
    let private = private("x25519", PeriodLength::Day, 40);
    let public = private.public(0..40).unwrap();
    let lines: Vec<_> = public.as_str().split_inclusive('\n').collect();
    let exchanged = |a: usize, b: usize| {
        let mut lines = lines.clone();
        lines.swap(a, b);
        by_line(&lines.concat()).unwrap()
    };
    assert_eq!(exchanged(5, 6).public_key(4), Err(Error::Disordered));
    assert!(exchanged(5, 6).public_key(6).is_ok());
    let key = |line: &str| line.trim_end().rsplit(' ').next().unwrap().to_owned();
    let other = public.as_str().replace(&key(lines[5]), &key(lines[6]));
    assert_eq!(
        by_line(&other).unwrap().public_key(4),
        Err(Error::OtherKey(6))
    );
}

/// A file that another process writes.
#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>, usize);

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = self.0.lock().unwrap();
        let mut rest = file.get(self.1..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.1 += count;
        Ok(count)
    }
}

impl Seek for Shared {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.1 = match to {
            SeekFrom::Start(at) => usize::try_from(at).unwrap(),
            _ => self.0.lock().unwrap().len(),
        };
        Ok(self.1 as u64)
    }
}

#[test]
fn a_file_that_changes_gives_no_other_key() {
    let private = private("x25519", PeriodLength::Day, 300);
    let text = |private: &Calendar| private.public(0..300).unwrap().as_str().to_owned();
    let file = Arc::new(Mutex::new(text(&private).into_bytes()));
    let read = PublicCalendar::by_line(Shared(file.clone(), 0)).unwrap();
    let key = read.public_key(250).unwrap();
    // Appended lines change nothing.
    let more = private
        .extend(100, &mut SysRng)
        .unwrap()
        .public(0..400)
        .unwrap();
    *file.lock().unwrap() = more.as_str().as_bytes().to_vec();
    assert_eq!(read.public_key(250).unwrap(), key);
    assert_eq!(read.public_key(300), Err(Error::NotAStart));
    *file.lock().unwrap() = text(&self::private("x25519", PeriodLength::Day, 300)).into_bytes();
    assert_eq!(read.public_key(250), Err(Error::Disordered));
    *file.lock().unwrap() = text(&private).into_bytes();
    assert_eq!(read.public_key(250).unwrap(), key);
    file.lock().unwrap().truncate(20_000);
    assert_eq!(read.public_key(250), Err(Error::Unreadable));
}
