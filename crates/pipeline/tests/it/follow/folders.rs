//! Files and folders that cannot be accessed, or were removed.

use std::fs;

use super::*;

/// Writes lines to `logs/a.log`, then removes `logs` for longer than a rotated file is read, with
/// the result of `stand_in` in its place. No line may be written twice. Half of the last line,
/// `line`, is written before; it is completed unless the file was given up.
#[cfg(target_os = "linux")]
fn away(folders: bool, line: [&str; 2], stand_in: Option<fn(&Path)>) -> Vec<String> {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    place.add("logs/a.log", "1\n2\n");
    place.add("logs/a.log", line[0]);
    let what = Follow {
        rest: SHORT,
        ..place.what(folders)
    };
    let swap = |from, to| match stand_in {
        Some(_) => place.exchange(from, to),
        None => place.rename(from, to),
    };
    place.during(&what, || {
        place.wait_for(2);
        if let Some(stand_in) = stand_in {
            stand_in(&place.path("away"));
        }
        swap("logs", "away");
        rest();
        place.add("away/a.log", line[1]);
        swap("away", "logs");
        place.wait_for(3);
        place.add("logs/a.log", "4\n");
        place.wait_for(4);
    });
    assert_eq!(place.read("out"), "1\n2\nhalf\n4\n");
    place.events()
}

/// Creates `logs` as a link to itself, so the system does not report it as missing.
#[cfg(target_os = "linux")]
fn link_to_logs(away: &Path) {
    std::os::unix::fs::symlink(away.with_file_name("logs"), away).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_looked_at_is_not_gone() {
    for folders in [true, false] {
        let mut told = away(folders, ["ha", "lf\n"], Some(link_to_logs));
        told.retain(|event| event != "a.log Failed");
        let expected: &[&str] = if folders { &["logs Failed"] } else { &[] };
        assert_eq!(told, expected, "{folders}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_missing_is_told_and_waited_for() {
    let told = away(true, ["ha", "lf\n"], None);
    assert_eq!(told, ["logs Missing"]);
}

/// As under a mount point: the files are given up, and recognised when they are back.
#[cfg(target_os = "linux")]
#[test]
fn what_comes_back_is_not_read_again() {
    for folders in [true, false] {
        let told = away(
            folders,
            ["", "half\n"],
            Some(|away| fs::create_dir(away).unwrap()),
        );
        let expected: &[&str] = if folders { &[] } else { &["a.log Missing"] };
        assert_eq!(told, expected, "{folders}");
    }
}

/// With --from-end, for a file that could not be accessed when the run began.
#[cfg(target_os = "linux")]
#[test]
fn what_could_not_be_looked_at_is_as_old_as_the_run() {
    let place = Place::new();
    link_to_logs(&place.path("logs"));
    fs::create_dir(place.path("away")).unwrap();
    place.add("away/a.log", "1\n2\n");
    let mut what = place.what(true);
    what.from_end = true;
    place.during(&what, || {
        thread::sleep(Duration::from_millis(500));
        place.exchange("away", "logs");
        thread::sleep(Duration::from_millis(500));
        place.add("logs/a.log", "3\n");
        place.add("logs/b.log", "4\n");
        place.wait_for(2);
    });
    let out = place.read("out");
    assert!(["3\n4\n", "4\n3\n"].contains(&&*out), "{out}");
}

/// Changes between two runs. A file that was read to its end causes no event, and the rest of
/// another is reported once.
#[test]
fn what_was_moved_away_half_read_is_told() {
    for (text, expected) in [("1\n", &[] as &[&str]), ("1\nhalf", &["a.log Lost"])] {
        let place = Place::new();
        fs::create_dir(place.path("logs")).unwrap();
        place.add("logs/a.log", text);
        place.add("logs/b.log", "2\n");
        let what = place.what(true);
        place.once(&what, "out").unwrap();
        place.rename("logs/a.log", "moved");
        for expected in [expected, &[]] {
            place.once(&what, "out").unwrap();
            assert_eq!(place.events(), expected, "{text}");
        }
        // If it comes back, it is read on.
        place.add("moved", " 3\n");
        place.rename("moved", "logs/a.log");
        place.once(&what, "out").unwrap();
        assert_eq!(place.read("out").matches('1').count(), 1, "{text}");
        assert!(place.read("out").ends_with(" 3\n"));
    }
}

/// A file that was rotated and read to its end is not a failure of the next run. Its last line is
/// processed, although it has no end.
#[test]
fn what_was_given_up_is_not_lost() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    place.add("logs/a.log", "1\n");
    let what = Follow {
        rest: SHORT,
        ..place.what(false)
    };
    place.during(&what, || {
        place.wait_for(1);
        place.rename("logs/a.log", "moved");
        place.add("moved", "half");
        place.add("logs/a.log", "2\n");
        place.wait_for(2);
        rest();
        rest();
    });
    let mut lines: Vec<_> = place.read("out").lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["1", "2", "half"]);
    place.once(&what, "out").unwrap();
    let told = place.events();
    assert!(
        told.iter().all(|event| event == "a.log Missing"),
        "{told:?}"
    );
}

/// The time is seconds by default. Here it ends at the next poll, so data added then is not read.
#[test]
fn a_rotated_file_is_given_up_after_the_rest_that_was_asked_for() {
    let place = Place::new();
    fs::create_dir(place.path("logs")).unwrap();
    place.add("logs/a.log", "1\n");
    let what = Follow {
        rest: Duration::ZERO,
        ..place.what(false)
    };
    place.during(&what, || {
        place.wait_for(1);
        place.rename("logs/a.log", "moved");
        for line in 2..4 {
            place.add("logs/a.log", &format!("{line}\n"));
            place.wait_for(line);
        }
        place.add("moved", "late\n");
        place.add("logs/a.log", "4\n");
        place.wait_for(4);
    });
    assert_eq!(place.read("out"), "1\n2\n3\n4\n");
}
