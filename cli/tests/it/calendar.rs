//! `pqseal calendar`, and calendars wherever keys are read.

mod replace;
#[cfg(all(unix, feature = "serve"))]
mod servers;
mod shred;

use std::time::{SystemTime, UNIX_EPOCH};

use pqseal_keys::calendar::{Calendar, KeyState, PeriodLength};
use serde_json::Value;

use crate::common::{Dir, Ran};

const DAY: u64 = 86_400;

trait Done {
    /// Asserts success. Warnings are allowed: most calendars here end soon.
    fn done(self) -> Self;
}

impl Done for Ran {
    #[track_caller]
    fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self
    }
}

/// Returns the day that is `offset` days after today.
fn day(offset: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let today = now.as_secs() / DAY;
    PeriodLength::Day.name_of(today.checked_add_signed(offset).unwrap() * DAY)
}

/// Creates a directory with a private calendar `logs.calendar` of 10 days from yesterday, and the
/// public one, `logs.pub`.
pub(crate) fn dir() -> Dir {
    let dir = Dir::new();
    make(&dir, "-o logs.calendar");
    dir
}

fn make(dir: &Dir, options: &str) {
    let from = day(-1);
    let new = format!("calendar new --kem x25519 --days 10 --from {from} {options}");
    let made = dir.words(&new).done();
    dir.write("logs.pub", made.out());
}

fn read(dir: &Dir, name: &str) -> Calendar {
    Calendar::parse(dir.read(name).into()).unwrap()
}

#[test]
fn a_day_is_sealed_opened_and_shredded() {
    let dir = dir();
    assert_eq!(dir.mode("logs.calendar"), 0o600);
    let private = read(&dir, "logs.calendar");
    assert_eq!(private.name(), "logs");
    let sealed = dir.feed("seal --to logs.pub", b"secret").done();
    dir.write("blob", sealed.out());
    let open = "open -k logs.calendar blob";
    assert_eq!(dir.words(open).done().out(), "secret");
    let shown = dir.words("inspect blob").done();
    let today = private.key_fingerprint(1).unwrap().key_id().to_string();
    assert!(shown.out().contains(&today), "{}", shown.out());

    let shred = format!("calendar shred logs.calendar --before {}", day(1));
    let ran = dir.words(&shred).done();
    assert!(ran.err.contains("shredded: 2 days"), "{}", ran.err);
    for unreached in [
        "SSDs",
        "snapshots",
        "backups",
        "swap",
        "lent",
        "passphrase",
        "token",
    ] {
        assert!(ran.err.contains(unreached), "{}", ran.err);
    }
    let ran = dir.words(open);
    ran.fails(1, &format!("{} of logs, which was shredded", day(0)));
    let json = dir.words("--json open -k logs.calendar blob");
    assert!(json.out().contains("key_shredded"), "{}", json.out());
    // The public calendar is of the same one, and `check` says so.
    let check = dir.words("calendar check logs.calendar logs.pub").done();
    assert!(
        check.out().contains("8 of 10 days have a key"),
        "{}",
        check.out()
    );
    assert!(check.out().contains("the same calendar as logs.calendar"));
    let show = dir.words("calendar show logs.calendar logs.pub").done();
    assert!(show.out().contains("shredded: 2 days"), "{}", show.out());
    let again = dir.words(&shred).done();
    assert!(again.err.contains("shredded: 0 days"), "{}", again.err);
}

#[test]
fn halves_are_not_confused() {
    let dir = dir();
    for (line, code, says) in [
        ("seal --to logs.calendar blob.txt", 3, "calendar public"),
        (
            "logs seal --to logs.calendar blob.txt",
            3,
            "calendar public",
        ),
        (
            "seal --to logs.pub --blob-version 3 blob.txt",
            2,
            "does not name its key",
        ),
        ("open -k logs.pub blob.txt", 3, "public calendar"),
        ("calendar shred logs.pub --before 2000-01-01", 2, "--before"),
        ("pubkey logs.calendar", 1, "calendar public"),
        ("key convert logs.calendar", 1, "calendar public"),
        ("key serve -k logs.calendar", 3, "calendar"),
        ("jwe seal --to logs.pub blob.txt", 3, "calendar"),
        ("inspect logs.pub", 1, "pqseal calendar show logs.pub"),
        (
            "open -k logs.calendar -o logs.pub blob.txt",
            3,
            "holds a key",
        ),
        (
            "open -k key.txt -o logs.calendar blob.txt",
            3,
            "holds a key",
        ),
    ] {
        let ran = dir.words(line);
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
        assert_eq!(ran.code, Some(code), "{line}: {}", ran.err);
    }
    let shred = format!("calendar shred logs.pub --before {}", day(1));
    dir.words(&shred).fails(1, "the private one is needed");
}

#[test]
fn calendars_come_from_pipes_commands_and_folders() {
    let dir = dir();
    dir.shell("pqseal seal --to logs.pub < key.txt > blob")
        .done();
    dir.shell("mkdir keys; mv logs.calendar keys; cp logs.pub keys")
        .done();
    let plain = String::from_utf8(dir.read("key.txt")).unwrap();
    for line in [
        "pqseal open -k - blob < keys/logs.calendar",
        "cat keys/logs.calendar | pqseal open -k - blob",
        "pqseal open -k keys blob",
        "pqseal open --key-command 'cat keys/logs.calendar' blob",
        "pqseal doctor -k keys/logs.calendar blob > report; pqseal open -k keys/logs.calendar blob",
    ] {
        assert_eq!(dir.shell(line).done().out(), plain, "{line}");
    }
    let report = String::from_utf8(dir.read("report")).unwrap();
    assert!(report.contains("calendar of 10 periods"), "{report}");
    assert!(report.contains("it ends at"), "{report}");
    dir.shell("cat logs.pub | pqseal seal --to - blob.txt")
        .done();
}

/// A calendar is larger than any other key file.
#[test]
fn large_calendars_are_read_from_everywhere() {
    let dir = Dir::new();
    let new = format!(
        "calendar new --from {} --days 200 --period hour -o big.calendar",
        day(-1)
    );
    let made = dir.words(&new).done();
    dir.write("big.pub", made.out());
    dir.write("passphrase", "a passphrase");
    dir.chmod("passphrase", 0o600);
    let sealed = dir.feed("seal --to big.pub", b"x").done();
    dir.write("blob", sealed.out());
    dir.shell("pqseal file encrypt -p -a --passphrase-file passphrase -o big.age big.calendar")
        .done();
    for line in [
        "pqseal open -k big.calendar blob",
        "pqseal open -k - blob < big.calendar",
        "cat big.calendar | pqseal open -k - blob",
        "pqseal open --key-command 'cat big.calendar' blob",
        "pqseal open -k big.age --passphrase-file passphrase blob",
        "cat big.age | pqseal open -k - --passphrase-file passphrase blob",
    ] {
        assert_eq!(dir.shell(line).done().out(), "x", "{line}");
    }
    for guarded in ["big.calendar", "big.pub", "big.age"] {
        let line = format!("open -k key.txt -o {guarded} blob.txt");
        dir.words(&line).fails(3, "holds a key");
    }
}

#[test]
fn days_are_lent() {
    let dir = dir();
    dir.shell("pqseal file keygen -o identity; pqseal file keygen -y identity > recipient")
        .done();
    dir.shell("pqseal logs generate 5 | pqseal logs seal --to logs.pub > sealed")
        .done();
    let (today, next) = (day(0), day(2));
    let lend = format!(
        "pqseal calendar lend logs.calendar --from {today} --to {today} -R recipient -o lent.age"
    );
    let ran = dir.shell(&lend).done();
    assert!(ran.err.contains("lent: 1 day"), "{}", ran.err);
    let open = "pqseal file decrypt -i identity lent.age | pqseal logs open --strict --stats json -k - sealed";
    let ran = dir.shell(open).done();
    assert!(ran.err.contains("\"failed\":0"), "{}", ran.err);
    dir.words("logs open -k lent.age sealed")
        .fails(3, "pqseal file decrypt");

    let other = format!("calendar lend logs.calendar --from {next} --to {next} -o other.calendar");
    dir.words(&other).done();
    let ran = dir.words("logs open -k other.calendar --stats json sealed");
    assert!(
        ran.err.contains("failed_by_code\":{\"key_not_lent\":"),
        "{}",
        ran.err
    );
    let lent = read(&dir, "other.calendar");
    assert_eq!(lent.present().collect::<Vec<_>>(), [3]);
    assert_eq!(lent.state(1), Some(KeyState::NotLent));
    dir.words("calendar extend other.calendar --days 1")
        .fails(1, "lent calendar");
    dir.words(&other).fails(3, "holds a key");
    // With all keys it would not be known as lent.
    let all = format!("--from {} --to {}", day(-1), day(8));
    dir.words(&format!("calendar lend logs.calendar {all} -o x"))
        .fails(3, "leave out a period");
    assert!(!dir.path("x").exists());
    let out = format!("calendar lend logs.calendar --from {next} --to {today} -o x");
    dir.words(&out).fails(2, "--to");
}

#[test]
fn an_extended_calendar_seals_nothing_again() {
    let dir = dir();
    dir.shell("mkdir in; pqseal logs generate 5 -o in/a.ndjson")
        .done();
    let seal = "logs seal --to logs.pub --stats json in -o out";
    let ran = dir.words(seal).done();
    assert!(ran.err.contains("\"done\":1"), "{}", ran.err);
    assert!(ran.err.contains("calendar_ends") || ran.err.contains("the calendar in logs.pub ends"));
    dir.shell("pqseal calendar extend logs.calendar --days 60 >> logs.pub")
        .done();
    let (private, public) = (read(&dir, "logs.calendar"), read(&dir, "logs.pub"));
    assert_eq!((private.count(), public.count()), (70, 70));
    assert_eq!(private.fingerprint(), public.fingerprint());
    dir.words("calendar check logs.calendar logs.pub").done();
    let ran = dir.words(seal).done();
    assert!(ran.err.contains("\"done_before\":1"), "{}", ran.err);
    assert!(
        !ran.err.contains("the calendar in logs.pub ends"),
        "{}",
        ran.err
    );
}

#[test]
fn a_failed_file_is_tried_again_once_a_period_is_new() {
    let dir = dir();
    dir.shell("mkdir in; pqseal logs generate 5 | pqseal logs seal --to logs.pub > in/a.ndjson")
        .done();
    let open = |from: i64| {
        let (from, to) = (day(from), day(from + 1));
        let lend = format!("calendar lend logs.calendar --from {from} --to {to} -o lent");
        dir.shell("rm -f lent").done();
        dir.words(&lend).done();
        dir.words("logs open -k lent --stats json in -o out").err
    };
    for (from, says) in [
        (2, "\"key_not_lent\":4"),
        (2, "\"done_before\":1"),
        (0, "\"opened\":4"),
        (0, "\"done_before\":1"),
    ] {
        let ran = open(from);
        assert!(ran.contains(says), "{says}: {ran}");
    }
}

#[test]
fn the_doctor_says_when_a_public_calendar_ends() {
    let dir = dir();
    let ran = dir.words("doctor -k logs.pub blob.txt");
    let report = ran.out();
    assert!(report.contains("it ends at"), "{report}");
    assert!(report.contains("it is a public calendar"), "{report}");
    assert!(!report.contains("chmod"), "{report}");
}

#[test]
fn nothing_is_sealed_without_a_period() {
    let dir = Dir::new();
    dir.write("in.ndjson", "{\"Metadata\":{\"matched_data\":\"a\"}}\n");
    for (name, from) in [("past", "2020-01-06"), ("future", "2099-01-05")] {
        let new = format!("calendar new --from {from} --days 7 --period week -o {name}");
        let made = dir.words(&new).done();
        dir.write("public", made.out());
        dir.words("seal --to public blob.txt")
            .fails(3, "nothing is sealed");
        let seal = "logs seal --to public -o out.ndjson in.ndjson";
        let ran = dir.words(&format!("--json {seal}"));
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains("\"no_period\""), "{}", ran.err);
        assert!(!dir.path("out.ndjson").exists());
    }
}

/// Records over 90 days, each sealed to the key of its day; half of the days are shredded.
#[test]
fn records_are_sealed_to_their_own_days() {
    const RECORDS: usize = 9000;
    let dir = Dir::new();
    let made = dir
        .words(&format!(
            "calendar new --kem x25519 --from {} --days 100 -o logs.calendar",
            day(-90)
        ))
        .done();
    dir.write("logs.pub", made.out());
    let records: String = (0..RECORDS)
        .map(|number| {
            let day = day(-((number * 7 % 90) as i64));
            format!("{{\"at\":\"{day}T00:00:00Z\",\"payload\":\"{number}\"}}\n")
        })
        .collect();
    dir.write("in", records);
    let seal = "logs seal --to logs.pub --field .payload --time-from .at";
    let ran = dir.words(&format!("{seal} --skew 91d in -o sealed")).done();
    assert!(!ran.err.contains("other_time"), "{}", ran.err);
    let shred = format!("calendar shred logs.calendar --before {}", day(-44));
    dir.words(&shred).done();
    let open = "logs open -k logs.calendar --field .encrypted_payload --stats json sealed";
    let ran = dir.words(open);
    let stats: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    assert_eq!(stats["opened"], RECORDS / 2);
    assert_eq!(stats["failed_by_code"]["key_shredded"], RECORDS / 2);
    // All days are one key, unless asked otherwise.
    assert_eq!(stats["opened_by_key"].as_object().unwrap().len(), 1);
    let labels = stats["key_labels"].as_object().unwrap();
    assert!(labels.values().eq(["logs"]), "{labels:?}");
    let ran = dir.words(&format!("{open} --by-period"));
    let stats: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    assert_eq!(stats["opened_by_key"].as_object().unwrap().len(), 45);

    // The writer of a record does not choose its day.
    let ran = dir.words(&format!("{seal} in -o today")).done();
    let counted = "values were sealed to the current period";
    assert!(ran.err.contains(counted), "{}", ran.err);
    let open =
        "logs open -k logs.calendar --field .encrypted_payload --stats json --by-period today";
    let ran = dir.words(open).done();
    let stats: Value = serde_json::from_str(ran.err.lines().last().unwrap()).unwrap();
    assert_eq!(stats["opened_by_key"].as_object().unwrap().len(), 1);
}

#[test]
fn dates_must_be_those_of_periods() {
    let dir = Dir::new();
    for (options, says) in [
        ("--from 2026-12-01 --days 7 --period week", "Monday"),
        ("--from 2026-12-07 --days 8 --period week", "multiple of 7"),
        ("--from 2026-12-01T05:00Z --days 1", "start of a period"),
        ("--from 2026-12-32 --days 1", "must be a date"),
        ("--from 2026-12-01 --days 0", "1 or more"),
        ("--from 2026-12-01 --days 10001", "10000"),
        (
            "--from 2026-12-01 --days 1 --kem x25519-bike-l1",
            "experimental",
        ),
    ] {
        let ran = dir.words(&format!("calendar new {options} -o x"));
        assert_eq!(ran.code, Some(2), "{options}: {}", ran.err);
        assert!(ran.err.contains(says), "{options}: {}", ran.err);
    }
    dir.words("calendar new --from 2026-12-01T05:00Z --days 1 --period hour -o x")
        .done();
    assert_eq!(read(&dir, "x").period_name(23), "2026-12-02T04:00Z");
}

#[test]
fn check_says_where_calendars_differ() {
    let dir = dir();
    make(&dir, "-o other.calendar");
    let differs = |other: &str, says: &str| {
        let ran = dir.words(&format!("calendar check logs.calendar {other}"));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert!(ran.err.contains(says), "{}", ran.err);
    };
    differs("other.calendar", "their first lines differ");
    // Two extensions of one calendar.
    dir.shell("cp -p logs.calendar fork.calendar").done();
    for name in ["logs.calendar", "fork.calendar"] {
        dir.words(&format!("calendar extend {name} --days 1"))
            .done();
    }
    differs("fork.calendar", &format!("they differ from {} on", day(9)));
}
