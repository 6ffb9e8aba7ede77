use std::{io::Write, path::Path};

use pqseal_server::spool::Spool;

use super::*;

fn config(folder: &Path, rotate_size: u64) -> config::Output {
    config::Output {
        folder: folder.to_owned(),
        prefix: "e".to_owned(),
        rotate_size,
        rotate_age: Duration::from_secs(3600),
    }
}

fn open(folder: &Path, rotate_size: u64) -> Result<Folder, Error> {
    Folder::open(config(folder, rotate_size), Arc::default())
}

fn lines(text: &str) -> Lines {
    let mut spool = Spool::new(Path::new("."));
    spool.write_all(text.as_bytes()).unwrap();
    spool.finish().unwrap()
}

/// Returns the text of all files with this ending, in the order of their names.
fn all(folder: &Path, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_str().unwrap().ends_with(ending));
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn a_segment_is_complete_once_it_is_large_enough() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = open(dir.path(), 6).unwrap();
    for (line, parts, segments) in [
        ("11\n", vec!["11\n"], vec![]),
        ("22\n", vec![], vec!["11\n22\n"]),
        ("33\n", vec!["33\n"], vec!["11\n22\n"]),
    ] {
        folder.add(&mut lines(line)).unwrap();
        folder.sync().unwrap();
        folder.rotate_if_due().unwrap();
        assert_eq!(all(dir.path(), ".part"), parts);
        assert_eq!(all(dir.path(), ".ndjson"), segments);
    }
}

#[test]
fn a_killed_run_is_completed_and_names_are_not_used_twice() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["e-1.ndjson.part", "e-2.ndjson.part", "other.ndjson.part"] {
        fs::write(dir.path().join(name), "1\n{").unwrap();
    }
    fs::write(dir.path().join("e-2.ndjson.part"), "{").unwrap();
    let mut folder = open(dir.path(), 1).unwrap();
    assert_eq!(all(dir.path(), "e-1.ndjson"), ["1\n"]);
    assert_eq!(all(dir.path(), ".part"), ["1\n{"]);
    for _ in 0..3 {
        folder.add(&mut lines("2\n")).unwrap();
        folder.rotate_if_due().unwrap();
    }
    assert_eq!(all(dir.path(), ".ndjson"), ["1\n", "2\n", "2\n", "2\n"]);
}

/// A folder with the final name of a segment prevents the rename.
#[test]
fn a_segment_that_cannot_be_renamed_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = open(dir.path(), 1).unwrap();
    folder.add(&mut lines("1\n")).unwrap();
    let part = folder.segment.as_ref().unwrap().file.path.clone();
    let in_its_way = part.with_extension("");
    fs::create_dir(&in_its_way).unwrap();
    assert!(folder.rotate_if_due().is_err());
    assert!(folder.due().is_some_and(|due| due > Instant::now()));
    // Others do not wait for it.
    folder.add(&mut lines("2\n")).unwrap();
    assert!(folder.rotate_if_due().is_err());
    fs::remove_dir(&in_its_way).unwrap();
    folder.again = Some(Instant::now());
    folder.rotate_if_due().unwrap();
    assert_eq!(folder.due(), None);
    assert_eq!(all(dir.path(), ".part"), Vec::<String>::new());
    assert_eq!(all(dir.path(), ".ndjson"), ["1\n", "2\n"]);
}

/// The segment has an acknowledged line.
#[test]
fn a_segment_that_was_moved_removed_or_truncated_is_left() {
    for (number, gone) in [
        |part: &Path, away: &Path| fs::rename(part, away).unwrap(),
        |part: &Path, _: &Path| fs::remove_file(part).unwrap(),
        |part: &Path, _: &Path| fs::write(part, "").unwrap(),
    ]
    .into_iter()
    .enumerate()
    {
        let (dir, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut folder = open(dir.path(), 1000).unwrap();
        folder.add(&mut lines("1\n")).unwrap();
        folder.sync().unwrap();
        let part = folder.segment.as_ref().unwrap().file.path.clone();
        gone(&part, &away.path().join("part"));
        assert!(folder.metrics.is_whole() && folder.metrics.unready().is_none());
        folder.add(&mut lines("2\n")).unwrap();
        folder.sync().unwrap();
        assert!(!folder.metrics.is_whole() && folder.metrics.unready() == Some("a file was lost"));
        folder.close().unwrap();
        assert_eq!(all(dir.path(), ".ndjson"), ["2\n"], "{number}");
        assert_eq!(all(dir.path(), ".part"), Vec::<String>::new(), "{number}");
    }
}

/// The loss is also noticed without another line.
#[test]
fn a_segment_that_was_removed_is_looked_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = open(dir.path(), 1000).unwrap();
    folder.add(&mut lines("1\n")).unwrap();
    folder.sync().unwrap();
    assert!(folder.due().unwrap() <= Instant::now() + AGAIN);
    fs::remove_file(&folder.segment.as_ref().unwrap().file.path).unwrap();
    folder.rotate_if_due().unwrap();
    assert!(folder.segment.is_none() && !folder.metrics.is_whole());
}

#[test]
fn lines_in_a_segment_that_is_not_there_are_not_stored() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = open(dir.path(), 1000).unwrap();
    folder.add(&mut lines("1\n")).unwrap();
    fs::remove_file(&folder.segment.as_ref().unwrap().file.path).unwrap();
    let refused = folder.sync().unwrap_err();
    assert!(refused.to_string().contains("removed"), "{refused}");
    folder.rotate_if_due().unwrap();
    folder.add(&mut lines("2\n")).unwrap();
    folder.sync().unwrap();
    folder.close().unwrap();
    assert_eq!(all(dir.path(), ".ndjson"), ["2\n"]);
    assert!(folder.metrics.is_whole(), "none was acknowledged");
}

/// Requests share a sync, and each may notice that the segment of earlier ones is gone.
#[test]
fn lines_in_a_segment_that_was_left_before_the_sync_are_not_stored() {
    for gone in [
        |part: &Path| fs::rename(part, part.with_extension("away")).unwrap(),
        |part: &Path| fs::remove_file(part).unwrap(),
        |part: &Path| fs::write(part, "").unwrap(),
    ] {
        for is_acknowledged in [false, true] {
            let dir = tempfile::tempdir().unwrap();
            let mut folder = open(dir.path(), 1000).unwrap();
            if is_acknowledged {
                folder.add(&mut lines("0\n")).unwrap();
                folder.sync().unwrap();
            }
            folder.add(&mut lines("1\n")).unwrap();
            gone(&folder.segment.as_ref().unwrap().file.path);
            folder.add(&mut lines("2\n")).unwrap();
            let refused = folder.sync().unwrap_err();
            assert!(refused.to_string().contains("removed"), "{refused}");
            assert_eq!(folder.metrics.is_whole(), !is_acknowledged);
            // Both come again.
            folder.add(&mut lines("1\n2\n")).unwrap();
            folder.sync().unwrap();
            folder.close().unwrap();
            assert_eq!(all(dir.path(), ".ndjson"), ["2\n1\n2\n"]);
        }
    }
}

#[test]
fn a_folder_that_was_removed_takes_nothing_until_it_is_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out");
    fs::create_dir(&path).unwrap();
    let mut folder = open(&path, 1000).unwrap();
    folder.add(&mut lines("1\n")).unwrap();
    folder.sync().unwrap();
    fs::remove_dir_all(&path).unwrap();
    let refused = folder.add(&mut lines("2\n")).unwrap_err();
    let name = path.display().to_string();
    assert!(refused.to_string().contains(&name), "{refused}");
    fs::create_dir(&path).unwrap();
    folder.add(&mut lines("3\n")).unwrap();
    folder.sync().unwrap();
    assert!(open(&path, 1).is_err(), "it is locked again");
    folder.close().unwrap();
    assert_eq!(all(&path, ".ndjson"), ["3\n"]);
}

#[test]
fn what_cannot_be_completed_at_the_end_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut folder = open(dir.path(), 1000).unwrap();
    folder.add(&mut lines("1\n")).unwrap();
    folder.sync().unwrap();
    let part = folder.segment.as_ref().unwrap().file.path.clone();
    fs::create_dir(part.with_extension("")).unwrap();
    assert!(folder.close().is_err() && !folder.metrics.is_whole());
    assert_eq!(all(dir.path(), ".part"), ["1\n"]);
}

#[test]
fn one_receiver_has_the_folder() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path(), 1).unwrap();
    let second = open(dir.path(), 1).err().unwrap();
    let second = second.to_string();
    assert!(second.contains("another receiver"), "{second}");
}

#[test]
fn a_clock_that_is_set_back_replaces_no_segment() {
    let dir = tempfile::tempdir().unwrap();
    let settings = config(dir.path(), 1);
    let (late, early) = ("2026-11-24T15:00:00Z", "2026-11-24T14:00:00Z");
    let mut parts = Vec::new();
    for (time, text) in [(late, "1\n"), (early, "2\n"), (late, "3\n"), (late, "4\n")] {
        let mut segment = Segment::create(&settings, time).unwrap();
        let mut lines = Lines::from(text.as_bytes().to_vec());
        segment.file.add(&mut lines).unwrap();
        match text {
            "1\n" => _ = complete(&mut segment.file).unwrap(),
            _ => parts.push(segment.file),
        }
    }
    // None is a complete segment, and none is written to.
    for mut part in parts {
        complete(&mut part).unwrap();
    }
    assert_eq!(all(dir.path(), ""), ["2\n", "1\n", "3\n", "4\n"]);
}
