//! Folders that are watched.

use super::*;

#[test]
fn a_folder_is_watched() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::create_dir_all(dir.path("logs/day")).unwrap();
    append(&dir.path("logs/a.log"), lines.lines(0..5));
    append(&dir.path("logs/.hidden"), lines.lines(900..905));
    let arguments = [
        "--watch", "logs", "--state", "state", "-o", "opened", "--stats", "json",
    ];
    let run = Run::start(&dir, &arguments);
    let wait = |run: &Run, count| run.wait_for("opened", |text| text.lines().count() >= count);
    wait(&run, 5);
    append(&dir.path("logs/day/b.log"), lines.lines(5..8));
    append(&dir.path("logs/a.log"), lines.lines(8..10));
    wait(&run, 10);
    // A new name in the folder is not a new file.
    fs::rename(dir.path("logs/a.log"), dir.path("logs/a.log.1")).unwrap();
    append(&dir.path("logs/a.log"), lines.lines(10..12));
    wait(&run, 12);
    // Half a line, in a file that is removed while no run is there.
    append(&dir.path("logs/half.log"), lines.line(90) + "{\"n\":");
    wait(&run, 13);
    run.end(0);
    fs::rename(dir.path("logs/half.log"), dir.path("half.log")).unwrap();
    fs::rename(dir.path("logs/day/b.log"), dir.path("logs/day/c.log")).unwrap();
    append(&dir.path("logs/day/c.log"), lines.lines(12..14));
    fs::write(dir.path("logs/d.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03").unwrap();
    let run = Run::start(&dir, &arguments);
    wait(&run, 15);
    for words in ["d.gz: it is gzip", "half.log was removed"] {
        run.wait_for("err", |text| text.contains(words));
    }
    let said = run.end(1);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!(numbers(&opened), once((0..14).chain([90])), "{said}");
}

/// More files than may be open.
#[test]
fn many_files_are_watched_with_few_open() {
    let dir = Dir::new();
    let lines = Lines::new(&dir);
    fs::create_dir(dir.path("logs")).unwrap();
    let watch = ["--watch", "logs", "--state", "state", "-o", "opened"];
    let run = Run::start_with(&dir, 64, &watch);
    for first in [0, 300] {
        for number in 0..300 {
            let path = dir.path(&format!("logs/{number}.log"));
            append(&path, lines.line(first + number));
        }
        run.wait_for("opened", |text| text.lines().count() as u64 == first + 300);
    }
    let said = run.end(0);
    let opened = String::from_utf8(dir.read("opened")).unwrap();
    assert_eq!((numbers(&opened), &*said), (once(0..600), ""));
}
