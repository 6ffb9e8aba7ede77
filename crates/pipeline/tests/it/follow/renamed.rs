//! An output that is renamed or removed while a run writes to it, as logrotate does.

use std::fs;

use super::*;

/// The event of the output at the time at which `2` is written to it.
type Happens = fn(&Place);

fn rename(place: &Place) {
    place.rename("out", "out.1");
}

fn rename_and_create(place: &Place) {
    place.rename("out", "out.1");
    place.add("out", "");
}

/// Compresses the output, without data that is written later.
fn compress(place: &Place) {
    fs::copy(place.path("out"), place.path("out.1")).unwrap();
    fs::remove_file(place.path("out")).unwrap();
}

fn followed() -> (Place, Follow) {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    let what = place.what(false);
    place.add("logs/a.log", "1\n");
    place.once(&what, "out").unwrap();
    place.add("logs/a.log", "2\n");
    (place, what)
}

#[test]
fn what_is_written_meanwhile_is_in_the_new_file() {
    for (number, happens) in [rename as Happens, rename_and_create, compress]
        .into_iter()
        .enumerate()
    {
        for has_state in [true, false] {
            let (place, mut what) = followed();
            if !has_state {
                fs::write(place.path("logs/a.log"), "2\n").unwrap();
                what.state = None;
            }
            let mut output = Output::at(&place.path("out"));
            output.happens = Some(Box::new(|| happens(&place)));
            place.once_to(&what, output).unwrap();
            place.add("logs/a.log", "3\n");
            if !has_state {
                fs::write(place.path("logs/a.log"), "3\n").unwrap();
            }
            place.once(&what, "out").unwrap();
            let named = format!("{number} {has_state}");
            assert_eq!(place.read("out.1"), "1\n", "{named}");
            assert_eq!(place.read("out"), "2\n3\n", "{named}");
            assert_eq!(place.events(), Vec::<String>::new(), "{named}");
        }
    }
}

/// The rename is between two records.
#[test]
fn an_output_that_was_removed_is_made_again() {
    let (place, what) = followed();
    place.during(&what, || {
        place.wait_for(2);
        fs::remove_file(place.path("out")).unwrap();
        place.add("logs/a.log", "3\n");
        place.wait_for(1);
        place.rename("out", "out.1");
        place.add("logs/a.log", "4\n");
        place.wait_for(1);
    });
    assert_eq!(place.read("out.1"), "3\n");
    assert_eq!(place.read("out"), "4\n");
}

/// The run may have written very few entries to the state after that.
#[test]
fn a_crash_after_a_rename_does_not_refuse_the_new_output() {
    let mut whole = 0;
    for settles in 2..8 {
        let (place, what) = followed();
        let mut output = Output::at(&place.path("out"));
        output.settles = settles;
        output.happens = Some(Box::new(|| rename(&place)));
        whole += usize::from(place.once_to(&what, output).is_ok());
        place.once(&what, "out").unwrap();
        assert_eq!(place.read("out.1"), "1\n", "{settles}");
        assert_eq!(place.read("out"), "2\n", "{settles}");
    }
    assert!((1..6).contains(&whole), "{whole}");
}

#[test]
fn another_file_with_the_name_is_refused() {
    for other in ["no record of this run\n", "9"] {
        let (place, what) = followed();
        let replace = || {
            place.add("other", other);
            place.rename("other", "out");
        };
        let mut output = Output::at(&place.path("out"));
        fs::hard_link(place.path("out"), place.path("out.1")).unwrap();
        output.happens = Some(Box::new(replace));
        let refused = place.once_to(&what, output);
        assert!(
            matches!(&refused, Err(Error::OtherOutput { noted, output })
                if *noted == place.path("out") && noted == output),
            "{refused:?}"
        );
        assert_eq!((&*place.read("out"), &*place.read("out.1")), (other, "1\n"));
        // What was not written comes with the next run.
        fs::remove_file(place.path("out")).unwrap();
        place.once(&what, "out").unwrap();
        assert_eq!(place.read("out"), "2\n");
    }
}

/// A copy with the same records continues them.
#[test]
fn a_copy_of_the_output_is_the_output() {
    let (place, what) = followed();
    place.during(&what, || {
        place.wait_for(2);
        fs::copy(place.path("out"), place.path("copy")).unwrap();
        place.rename("copy", "out");
        place.add("logs/a.log", "3\n");
        place.wait_for(3);
    });
    assert_eq!(place.read("out"), "1\n2\n3\n");
}

/// If another program made the old file shorter or longer, it is not truncated.
#[test]
fn what_others_did_to_the_old_file_stays() {
    for (text, expected) in [("", "2\n"), ("1\n3\n4\n", "1\n3\n4\n2\n")] {
        let (place, what) = followed();
        let mut output = Output::at(&place.path("out"));
        output.happens = Some(Box::new(|| {
            fs::write(place.path("out"), text).unwrap();
            rename(&place);
        }));
        place.once_to(&what, output).unwrap();
        assert_eq!(place.read("out.1"), expected);
        assert_eq!(place.read("out"), "2\n");
    }
}
