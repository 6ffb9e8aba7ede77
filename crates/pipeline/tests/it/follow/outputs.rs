//! Truncation of the right output only, and locking of a state by one run.

use std::fs;

use pqseal_pipeline::{
    Observer, Stats,
    files::{
        Error,
        follow::{Event, Follow, Follower},
    },
};

use super::*;

/// Runs to `one` with two recorded lines, as if it was killed after writing half of a third
/// one.
fn killed(place: &Place) -> Follow {
    fs::create_dir(place.path("logs")).unwrap();
    place.add("logs/a.log", "1\n2\n");
    let what = place.what(false);
    place.once(&what, "one").unwrap();
    place.add("logs/a.log", "3\n");
    place.add("one", "3");
    what
}

#[test]
fn only_the_output_of_the_earlier_run_is_cut() {
    let place = Place::new();
    let what = killed(&place);
    // It is longer than what the state says, in one case with the same beginning.
    for other in ["x\ny\nz\nno record of this run\n", "1\n2\nz\n"] {
        fs::write(place.path("two"), other).unwrap();
        let refused = place.once(&what, "two");
        assert!(
            matches!(&refused, Err(Error::OtherOutput { noted, output })
                if *noted == place.path("one") && *output == place.path("two")),
            "{refused:?}"
        );
        assert_eq!(
            (place.read("two"), place.read("one")),
            (other.to_owned(), "1\n2\n3".to_owned())
        );
    }
    // By another name it is the same file.
    place.rename("one", "renamed");
    place.once(&what, "renamed").unwrap();
    assert_eq!(place.read("renamed"), "1\n2\n3\n");
    // Nothing of a file that is empty can be lost.
    place.add("logs/a.log", "4\n");
    place.once(&what, "new").unwrap();
    assert_eq!(place.read("new"), "4\n");
    let told = place.events();
    assert!(told.is_empty(), "{told:?}");
}

/// A file that other programs truncated is no longer the output, even with the same inode
/// number.
#[test]
fn an_output_of_other_bytes_is_not_cut() {
    let place = Place::new();
    let what = killed(&place);
    for other in ["9\n9\n9\n", "9"] {
        fs::write(place.path("one"), other).unwrap();
        assert!(matches!(
            place.once(&what, "one"),
            Err(Error::OtherOutput { .. })
        ));
        assert_eq!(place.read("one"), other);
    }
}

#[test]
fn a_state_of_an_earlier_version_cuts_nothing() {
    let place = Place::new();
    let what = killed(&place);
    let state = place.read("state");
    let mut last: serde_json::Value = serde_json::from_str(state.lines().last().unwrap()).unwrap();
    last["output"] = last["output"]["offset"].clone();
    assert_eq!(last["output"], 4);
    fs::write(place.path("state"), last.to_string()).unwrap();
    place.once(&what, "one").unwrap();
    assert_eq!(place.read("one"), "1\n2\n33\n");
    assert_eq!(place.events(), ["one NotCutbytes:1"]);
}

/// A follower that starts a second run with the state of the first.
struct Second<'p>(&'p Place, &'p Follow);

impl Observer for Second<'_> {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Follower for Second<'_> {
    fn event(&mut self, path: &Path, event: Event) {
        panic!("{}: {event:?}", path.display());
    }

    fn tick(&mut self) {
        let second = self.0.once(self.1, "one");
        let Err(Error::Create(error)) = second else {
            panic!("{second:?}");
        };
        assert!(
            error.to_string().contains("another run uses this state"),
            "{error}"
        );
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_state_has_one_run() {
    let place = Place::new();
    let what = killed(&place);
    place.is_over.store(false, Ordering::Relaxed);
    place
        .follow(&what, "one", &mut Second(&place, &what))
        .unwrap();
    assert_eq!(place.read("one"), "1\n2\n3\n");
    // One that was replaced while it was locked is locked again.
    let large = " ".repeat(5 << 20);
    place.add("state", &large);
    for line in ["4\n", "5\n"] {
        place.add("logs/a.log", line);
        place.is_over.store(false, Ordering::Relaxed);
        place
            .follow(&what, "one", &mut Second(&place, &what))
            .unwrap();
    }
    assert!(place.read("state").len() < large.len());
    assert_eq!(place.read("one"), "1\n2\n3\n4\n5\n");
}
