//! Folders that are watched.

use super::*;

#[test]
fn a_folder_is_watched() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::create_dir_all(dir.path("logs/day")).unwrap();
    append(&dir.path("logs/a.log"), &lines.lines(0..5));
    append(&dir.path("logs/.hidden"), &lines.lines(900..905));
    let arguments = [
        "--watch", "logs", "--state", "state", "-o", "opened", "--stats", "json",
    ];
    let run = Run::start(&dir, &arguments);
    let wait = |run: &Run, count| run.wait_for("opened", |text| text.lines().count() >= count);
    wait(&run, 5);
    append(&dir.path("logs/day/b.log"), &lines.lines(5..8));
    append(&dir.path("logs/a.log"), &lines.lines(8..10));
    wait(&run, 10);
    // A new name in the folder is not a new file.
    fs::rename(dir.path("logs/a.log"), dir.path("logs/a.log.1")).unwrap();
    append(&dir.path("logs/a.log"), &lines.lines(10..12));
    wait(&run, 12);
    run.end(0);
    fs::rename(dir.path("logs/day/b.log"), dir.path("logs/day/c.log")).unwrap();
    append(&dir.path("logs/day/c.log"), &lines.lines(12..14));
    fs::write(dir.path("logs/d.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
    let run = Run::start(&dir, &arguments);
    wait(&run, 14);
    run.wait_for("err", |text| text.contains("d.gz: it is gzip"));
    let said = run.end(1);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!(numbers(&opened), once(0..14), "{said}");
}

/// More files than may be open.
#[test]
fn a_thousand_files_are_watched_with_few_open() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::create_dir(dir.path("logs")).unwrap();
    let add = |first: u64| {
        for number in 0..1000 {
            let path = dir.path(&format!("logs/{number}.log"));
            append(&path, &lines.line(first + number));
        }
    };
    add(0);
    let watch = ["--watch", "logs", "--state", "state", "-o", "opened"];
    let run = Run::start_with(&dir, 64, &watch);
    // Longer than a file stays open.
    run.wait_for("opened", |text| text.lines().count() >= 1000);
    thread::sleep(Duration::from_secs(7));
    add(1000);
    run.wait_for("opened", |text| text.lines().count() >= 2000);
    let said = run.end(0);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!((numbers(&opened), &*said), (once(0..2000), ""));
    // Without a state, and only what is added.
    let run = Run::start_with(
        &dir,
        64,
        &["--watch", "logs", "--from-end", "--prometheus", "metrics"],
    );
    run.wait_for("metrics", |text| text.contains("pqseal_run_complete"));
    add(2000);
    run.wait_for_lines(1000);
    let said = run.end(0);
    assert_eq!((numbers(&out(&dir)), &*said), (once(2000..3000), ""));
}

/// While no run was there.
#[test]
fn a_file_that_was_moved_away_half_read_is_an_error() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::create_dir(dir.path("logs")).unwrap();
    append(&dir.path("logs/read.log"), &lines.line(0));
    append(&dir.path("logs/half.log"), &(lines.line(1) + "{\"n\":"));
    let watch = ["--watch", "logs", "--state", "state", "-o", "opened"];
    let run = Run::start(&dir, &watch);
    run.wait_for("opened", |text| text.lines().count() == 2);
    run.end(0);
    for name in ["read.log", "half.log"] {
        fs::rename(dir.path(&format!("logs/{name}")), dir.path(name)).unwrap();
    }
    let run = Run::start(&dir, &watch);
    run.wait_for("err", |text| text.contains("half.log"));
    let said = run.end(1);
    assert!(
        said.contains("half.log was removed") && !said.contains("read.log"),
        "{said}"
    );
}
