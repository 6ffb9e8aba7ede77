//! Calendars: what each operation keeps and removes, and what is refused.

use getrandom::SysRng;
use pqseal_keys::{
    KeyError, base64,
    calendar::{Calendar, Error, KeyState, MAX_LEN, MAX_PERIODS, PeriodLength, Plan, date},
    kem_by_name, kems,
};
use proptest::prelude::*;
use zeroize::Zeroizing;

/// Monday, 7 December 2026.
pub(crate) const MONDAY: u64 = 1_796_601_600;
const LENGTHS: [PeriodLength; 3] = [PeriodLength::Hour, PeriodLength::Day, PeriodLength::Week];

fn plan(length: PeriodLength, count: usize) -> Plan<'static> {
    Plan {
        kem: kem_by_name("x25519").unwrap(),
        length,
        start: MONDAY,
        count,
        name: "logs of a zone",
    }
}

fn calendar(count: usize) -> Calendar {
    Calendar::generate(&plan(PeriodLength::Day, count), &mut SysRng).unwrap()
}

fn parse(text: &str) -> Result<Calendar, Error> {
    Calendar::parse(Zeroizing::new(text.as_bytes().to_vec()))
}

fn states(calendar: &Calendar) -> Vec<KeyState> {
    (0..calendar.count())
        .map(|index| calendar.state(index).unwrap())
        .collect()
}

/// Every text in which a seed could be in a file.
fn encodings(calendar: &Calendar, index: usize) -> Vec<String> {
    let key = calendar.private_key(index).unwrap();
    let seed = key.to_bytes().unwrap();
    let seed: &[u8] = seed.as_ref();
    let hex: String = seed.iter().map(|byte| format!("{byte:02x}")).collect();
    // Base64 has 24 bits in 4 characters: at an offset of 1 or 2 the first group is cut off.
    let shifted = (0..3).map(|offset| base64::encode_url(&seed[offset..offset + 21]));
    let line = pqseal_keys::write_private(&key, pqseal_keys::KeyFormat::Line).unwrap();
    let pem = pqseal_keys::write_private(&key, pqseal_keys::KeyFormat::Raw).unwrap();
    let whole = [hex.clone(), hex.to_uppercase()];
    let texts = [line.trim().to_owned(), pem.trim().to_owned()];
    whole.into_iter().chain(texts).chain(shifted).collect()
}

fn assert_without_seed(file: &Calendar, of: &Calendar, index: usize) {
    for text in encodings(of, index) {
        assert!(!file.as_str().contains(&text), "period {index}");
    }
    let key = of.private_key(index).unwrap();
    let seed = key.to_bytes().unwrap();
    let seed: &[u8] = seed.as_ref();
    let bytes = file.as_str().as_bytes();
    assert!(bytes.windows(16).all(|window| window != &seed[..16]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// After `shred` no seed of an earlier period is in the file, and exactly the others open. A
    /// lent file has the seeds of its periods only.
    #[test]
    fn shredded_and_lent_files_hold_only_their_seeds(
        count in 1_usize..9, length in 0_usize..3, kem in 0_usize..3, a in 0_usize..9, b in 0_usize..9,
    ) {
        let kem = kem_by_name(["x25519", "mlkem768-x25519", "p256"][kem]).unwrap();
        let whole = Calendar::generate(
            &Plan { kem, ..plan(LENGTHS[length], count) }, &mut SysRng,
        ).unwrap();
        let (a, b) = (a.min(count), b.min(count));
        let shredded = whole.shred(a).unwrap();
        let lent = whole.lend(a.min(b)..b).unwrap();
        let both = shredded.lend(b..count).unwrap();
        for index in 0..count {
            let is_in = |file: &Calendar| {
                let key = file.private_key(index);
                if key.is_err() {
                    assert_without_seed(file, &whole, index);
                }
                key.map(|key| assert_eq!(
                    key.public_key().unwrap(),
                    whole.private_key(index).unwrap().public_key().unwrap(),
                )).map_err(|error| error.code())
            };
            prop_assert_eq!(is_in(&shredded), if index < a { Err("key_shredded") } else { Ok(()) });
            prop_assert_eq!(is_in(&lent), if (a..b).contains(&index) { Ok(()) } else { Err("key_not_lent") });
            prop_assert_eq!(is_in(&both), match index {
                index if index < a => Err("key_shredded"),
                index if index < b => Err("key_not_lent"),
                _ => Ok(()),
            });
        }
        for other in [&shredded, &lent, &both, &whole.public(a..b.max(a)).unwrap()] {
            prop_assert_eq!(other.fingerprint(), whole.fingerprint());
            prop_assert_eq!(other.id(), whole.id());
            other.check().unwrap();
            // Written and read, it is the same.
            let read = parse(other.as_str()).unwrap();
            prop_assert_eq!(read.as_str(), other.as_str());
        }
    }

    /// A byte that changes is an error at the latest in `check`, or changes the fingerprint.
    #[test]
    fn an_altered_file_is_noticed(at in any::<prop::sample::Index>(), byte in 0_u8..128) {
        let whole = calendar(2);
        let mut text = whole.as_str().as_bytes().to_vec();
        let at = at.index(text.len());
        prop_assume!(text[at] != byte);
        text[at] = byte;
        let read = Calendar::parse(Zeroizing::new(text));
        let same = read.is_ok_and(|read| {
            read.check().is_ok() && read.fingerprint() == whole.fingerprint()
        });
        prop_assert!(!same);
    }
}

#[test]
fn every_kem_that_calendars_may_have_is_written_and_read() {
    for kem in kems() {
        let plan = Plan {
            kem,
            ..plan(PeriodLength::Week, 2)
        };
        let name = kem.info().short_name;
        if name.contains("bike") || name.contains("kyber") {
            let refused = Calendar::generate(&plan, &mut SysRng).err();
            assert_eq!(refused, Some(Error::KemRefused), "{name}");
            continue;
        }
        let private = Calendar::generate(&plan, &mut SysRng).unwrap();
        let public = private.public(0..2).unwrap();
        for index in 0..2 {
            let key = private.private_key(index).unwrap().public_key().unwrap();
            assert_eq!(public.public_key(index), Ok(key), "{name}");
        }
    }
}

#[test]
fn extended_calendars_begin_with_the_old_one() {
    let old = calendar(3).shred(1).unwrap();
    let new = old.extend(2, &mut SysRng).unwrap();
    assert!(new.as_str().starts_with(old.as_str()));
    assert_eq!(new.chain().nth(3), Some(old.fingerprint()));
    assert_eq!(new.count(), 5);
    let old_public = old.public(0..3).unwrap();
    let new_public = new.public(0..5).unwrap();
    let appended = old_public.as_str().to_owned() + new_public.lines_from(3);
    assert_eq!(parse(&appended).unwrap().as_str(), new_public.as_str());
    assert_eq!(
        states(&new_public)[..2],
        [KeyState::LeftOut, KeyState::Present]
    );

    let lent = old.lend(1..2).unwrap();
    assert_eq!(lent.extend(1, &mut SysRng).err(), Some(Error::Lent));
    let public = old.public(0..3).unwrap();
    for refused in [
        public.shred(1),
        public.lend(0..1),
        public.extend(1, &mut SysRng),
    ] {
        assert_eq!(refused.err(), Some(Error::PublicOnly));
    }
    let none = old.extend(0, &mut SysRng);
    assert_eq!(none.err(), Some(Error::NoPeriods));
    let many = old.extend(MAX_PERIODS - 2, &mut SysRng);
    assert_eq!(many.err(), Some(Error::TooManyPeriods));
}

#[test]
fn times_are_found_in_their_periods() {
    for (length, name) in [
        (PeriodLength::Hour, "2026-12-07T02:00Z"),
        (PeriodLength::Day, "2026-12-09"),
        (PeriodLength::Week, "2026-12-21"),
    ] {
        let calendar = Calendar::generate(&plan(length, 3), &mut SysRng).unwrap();
        let end = MONDAY + 3 * length.seconds();
        assert_eq!(calendar.at(MONDAY - 1), None);
        assert_eq!(calendar.at(MONDAY), Some(0));
        assert_eq!(calendar.at(MONDAY + length.seconds() - 1), Some(0));
        assert_eq!(calendar.at(end - 1), Some(2));
        assert_eq!(calendar.at(end), None);
        assert_eq!(calendar.at(u64::MAX), None);
        assert_eq!(calendar.period_name(2), name);
        assert_eq!(date::parse(name), Some(calendar.start_of(2)));
        assert_eq!(calendar.beginning(end), Ok(3));
        assert_eq!(calendar.beginning(MONDAY + 1), Err(Error::NotAStart));
    }
}

#[test]
fn plans_that_no_calendar_has_are_refused() {
    let day = plan(PeriodLength::Day, 1);
    let late = date::parse("9999-12-31").unwrap();
    for (wrong, error) in [
        (
            Plan {
                start: MONDAY + 3600,
                ..day
            },
            Error::NotAStart,
        ),
        (Plan { count: 0, ..day }, Error::NoPeriods),
        (
            Plan {
                count: MAX_PERIODS + 1,
                ..day
            },
            Error::TooManyPeriods,
        ),
        (
            Plan {
                start: late,
                count: 2,
                ..day
            },
            Error::TooLate,
        ),
        (
            Plan {
                start: MONDAY + 86_400,
                ..plan(PeriodLength::Week, 1)
            },
            Error::NotAStart,
        ),
    ] {
        assert_eq!(Calendar::generate(&wrong, &mut SysRng).err(), Some(error));
    }
    assert!(Calendar::generate(&Plan { start: late, ..day }, &mut SysRng).is_ok());
    for name in [
        "",
        " a",
        "a\nb",
        "a\u{202e}b",
        "\u{2066}a",
        &"x".repeat(101),
    ] {
        let refused = Calendar::generate(&Plan { name, ..day }, &mut SysRng);
        assert!(matches!(refused, Err(Error::Header(_))), "{name:?}");
    }
}

#[test]
fn a_line_without_its_end_is_not_read() {
    let whole = calendar(3);
    let text = whole.as_str();
    let cut = parse(&text[..text.len() - 1]).unwrap();
    assert_eq!((cut.count(), cut.is_cut()), (2, true));
    assert_eq!(cut.check(), Err(Error::Cut));
    assert_eq!(cut.shred(1).err(), Some(Error::Cut));
    assert_eq!(cut.public(0..2).err(), Some(Error::Cut));
    assert!(cut.private_key(1).is_ok());
    assert!(!whole.is_cut());
    // Line ends of Windows, and a byte order mark, change nothing.
    let windows = parse(&format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
    assert_eq!(windows.fingerprint(), whole.fingerprint());
    windows.check().unwrap();
    assert_eq!(windows.shred(0).unwrap().as_str(), text);
}

#[test]
fn malformed_files_are_refused_with_their_line() {
    let whole = calendar(3);
    let text = whole.as_str();
    let lines: Vec<_> = text.lines().collect();
    let (start, _) = lines[1].split_once(' ').unwrap();
    let public = whole.public(0..3).unwrap();
    let public_lines: Vec<_> = public.as_str().lines().collect();
    let of = |lines: &[&str]| parse(&(lines.join("\n") + "\n")).err();
    let line = |number, error: Option<Error>| {
        assert!(
            matches!(error, Some(Error::Line(n, _)) if n == number),
            "{error:?}"
        );
    };
    assert_eq!(of(&["pqseal-calendar"]), Some(Error::NotCalendar));
    assert_eq!(of(&["pqseal-calendar 2 x"]), Some(Error::Version));
    assert_eq!(of(&lines[..1]), Some(Error::NoPeriods));
    assert_eq!(parse(lines[0]).err(), Some(Error::Cut));
    line(3, of(&[lines[0], lines[1], lines[3]]));
    line(3, of(&[lines[0], lines[1], lines[1]]));
    line(3, of(&[lines[0], lines[1], public_lines[2]]));
    line(2, of(&[lines[0], ""]));
    line(2, of(&[lines[0], &format!("{start} shredded")]));
    line(2, of(&[lines[0], &format!("{} extra", lines[1])]));
    line(2, of(&[lines[0], &lines[1].replace(start, "2026-12-7")]));
    line(2, of(&[&lines[0].replace("day", "week"), lines[2]]));
    let other_kem = of(&[&lines[0].replace("x25519", "p256"), lines[1]]);
    line(2, other_kem);
    for (part, other) in [
        ("day", "month"),
        (&lines[0][18..50], "00"),
        (" logs of a zone", ""),
    ] {
        let refused = of(&[&lines[0].replace(part, other), lines[1]]);
        assert!(matches!(refused, Some(Error::Header(_))), "{part}");
    }
    let unknown = of(&[&lines[0].replace("x25519", "rsa"), lines[1]]);
    assert_eq!(unknown, Some(Error::Key(1, KeyError::UnknownKem)));
}

#[test]
fn files_beyond_the_limits_are_refused() {
    let mut text = calendar(1).as_str().to_owned();
    let (first, line) = text.split_once('\n').unwrap();
    let rest = line.split_once(' ').unwrap().1.trim();
    let mut long = format!("{first}\n");
    for index in 0..=MAX_PERIODS as u64 {
        let name = PeriodLength::Day.name_of(MONDAY + index * 86_400);
        long.extend([&name, " ", rest, "\n"]);
    }
    assert_eq!(parse(&long).err(), Some(Error::TooManyPeriods));
    let last = long.trim_end().rfind('\n').unwrap();
    assert_eq!(parse(&long[..=last]).unwrap().count(), MAX_PERIODS);
    text.push_str(&" ".repeat(MAX_LEN));
    assert_eq!(parse(&text).err(), Some(Error::TooLong(text.len())));
}

/// A fingerprint that is not its key's is an error where the key is used.
#[test]
fn a_key_of_another_period_is_not_used() {
    let whole = calendar(2);
    let lines: Vec<_> = whole.as_str().lines().collect();
    let key = |line: &str| line.rsplit_once(' ').unwrap().1.to_owned();
    let text = whole.as_str().replace(&key(lines[2]), &key(lines[1]));
    let swapped = parse(&text).unwrap();
    let mismatch = Error::OtherKey(3);
    assert!(swapped.private_key(0).is_ok());
    assert_eq!(swapped.private_key(1).err(), Some(mismatch));
    assert_eq!(swapped.check(), Err(mismatch));
}

#[test]
fn a_calendar_shows_no_key() {
    let whole = calendar(1);
    let shown = format!("{whole:?}");
    assert!(shown.contains("logs of a zone") && !shown.contains("pqseal-private-key"));
}
