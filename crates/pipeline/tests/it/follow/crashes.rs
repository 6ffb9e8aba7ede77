//! The output that a crashed run wrote and did not record: it is truncated if all of it is
//! written again.

use std::fs;

use super::*;

/// The event of the input between two runs.
type Happens = fn(&Place);

fn nothing(_place: &Place) {}

fn rename_and_create(place: &Place) {
    place.rename("logs/a.log", "logs/a.log.1");
    place.add("logs/a.log", "9\n");
}

fn compress(place: &Place) {
    fs::remove_file(place.path("logs/a.log")).unwrap();
    fs::write(place.path("logs/a.log.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
    place.add("logs/a.log", "9\n");
}

fn truncate(place: &Place) {
    fs::write(place.path("logs/a.log"), "").unwrap();
    place.add("logs/a.log", "9\n");
}

fn truncate_and_grow(place: &Place) {
    fs::write(place.path("logs/a.log"), "9\n".repeat(1000)).unwrap();
}

/// Truncates the file to the position in the state, or to its start.
fn truncate_to_the_note(place: &Place) {
    let state = place.read("state");
    let noted = state.lines().rfind(|line| line.contains("follow")).unwrap();
    let noted: serde_json::Value = serde_json::from_str(noted).unwrap();
    let offset = noted["follow"][0]["offset"].as_u64().unwrap();
    let log = OpenOptions::new()
        .write(true)
        .open(place.path("logs/a.log"));
    log.unwrap().set_len(offset).unwrap();
}

fn remove(place: &Place) {
    fs::remove_file(place.path("logs/a.log")).unwrap();
}

/// Replaces the file by a copy with another inode and other bytes.
fn replace(place: &Place) {
    place.add("other", "9\n9\n9\n9\n");
    place.rename("other", "logs/a.log");
}

/// Runs that crash after their first entry in the state, or after one with lines done.
#[test]
fn nothing_is_cut_that_does_not_come_again() {
    let cases: [(Happens, bool); 8] = [
        (nothing, true),
        (rename_and_create, true),
        (compress, false),
        (truncate, false),
        (truncate_and_grow, false),
        (truncate_to_the_note, false),
        (remove, false),
        (replace, false),
    ];
    for (number, (happens, is_cut)) in cases.into_iter().enumerate() {
        for (folders, is_noted) in [(false, false), (false, true), (true, false), (true, true)] {
            let place = Place::new();
            fs::create_dir(place.path("logs")).unwrap();
            let what = place.what(folders);
            place.add("logs/a.log", "1\n2\n");
            if is_noted {
                place.once(&what, "out").unwrap();
                place.add("logs/a.log", "3\n4\n");
            }
            place.crash(&what, Output::at(&place.path("out")));
            let before = place.read("out");
            assert_eq!(before.lines().count(), if is_noted { 4 } else { 2 });
            happens(&place);
            place.once(&what, "out").unwrap();
            let out = place.read("out");
            let named = format!("{number} {folders} {is_noted}: {out}");
            assert!(is_cut || out.starts_with(&before), "{named}");
            for line in before.lines() {
                let count = out.lines().filter(|found| *found == line).count();
                assert!(count == 1 || (count > 1 && !is_cut), "{named}");
            }
            let bytes = 4;
            let told = place.events().contains(&format!("out Keptbytes:{bytes}"));
            assert_eq!(told, !is_cut, "{named}");
        }
    }
}

/// A file that was truncated, and read again, before the crash.
#[test]
fn what_was_truncated_before_the_crash_does_not_come_again() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let what = place.what(false);
    place.add("logs/a.log", "1\n2\n");
    let mut output = Output::at(&place.path("out"));
    let log = place.path("logs/a.log");
    output.happens = Some(Box::new(move || fs::write(&log, "3\n").unwrap()));
    place.is_over.store(false, Ordering::Relaxed);
    output.settles = 2;
    let crashed = place.follow_to(
        &what,
        output,
        &mut AfterLooks {
            place: &place,
            left: 3,
        },
    );
    assert!(matches!(crashed, Err(Error::Run(_))), "{crashed:?}");
    place.once(&what, "out").unwrap();
    let out = place.read("out");
    assert!(out.starts_with("1\n2\n3\n"), "{out}");
}

/// A follower that ends a run after some polls.
struct AfterLooks<'p> {
    place: &'p Place,
    left: usize,
}

impl Observer for AfterLooks<'_> {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Follower for AfterLooks<'_> {
    fn event(&mut self, _path: &Path, _event: Event) {}

    fn tick(&mut self) {
        self.left -= 1;
        self.place.is_over.store(self.left == 0, Ordering::Relaxed);
    }
}

/// A second input is gone, but nothing was read from it since the last entry in the state.
#[test]
fn each_input_of_the_state_must_be_there() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let mut what = place.what(false);
    what.inputs.push(place.path("logs/b.log"));
    place.add("logs/a.log", "1\n");
    place.add("logs/b.log", "2\n");
    place.crash(&what, Output::at(&place.path("out")));
    fs::remove_file(place.path("logs/b.log")).unwrap();
    place.once(&what, "out").unwrap();
    let out = place.read("out");
    assert!(out.contains("1\n") && out.contains("2\n"), "{out}");
}

/// Half a line remains as a line.
#[test]
fn the_run_goes_on_behind_what_is_kept() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let what = place.what(false);
    place.add("logs/a.log", "1\n");
    place.crash(&what, Output::at(&place.path("out")));
    place.add("out", "hal");
    truncate(&place);
    let mut output = Output::at(&place.path("out"));
    output.is_in_line = true;
    place.once_to(&what, output).unwrap();
    assert_eq!(place.read("out"), "1\nhal\n9\n");
}

/// A state that was removed during a run has no entry until the next one.
#[test]
fn a_state_with_only_what_was_read_is_a_state() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let what = place.what(false);
    place.add("logs/a.log", "1\n");
    place.crash(&what, Output::at(&place.path("out")));
    let state = place.read("state");
    let read: String = state
        .split_inclusive('\n')
        .filter(|line| line.contains("\"read\""))
        .collect();
    assert!(!read.is_empty(), "{state}");
    fs::write(place.path("state"), read).unwrap();
    place.once(&what, "out").unwrap();
    assert_eq!(place.read("out"), "1\n1\n");
}
