//! Temporary files: what killed runs left is deleted, and nothing else.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use pqseal_atomic_file::{beside, sweep};
use tempfile::TempDir;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_is_left_over_is_swept_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let output = dir.path().join("out");
    let living = beside(&output, 0o600).unwrap();
    let killed = dir.path().join(".pqseal-killed.tmp");
    fs::write(&killed, "").unwrap();
    let others = [".pqseal-logs", ".pqseal-notes", "notes.tmp"];
    others
        .iter()
        .for_each(|name| fs::write(dir.path().join(name), "").unwrap());
    fs::create_dir(dir.path().join(".pqseal-folder.tmp")).unwrap();
    let pipe = dir.path().join(".pqseal-pipe.tmp");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let before = names(dir.path());
    sweep(&output);
    assert!(!killed.exists());
    assert_eq!(names(dir.path()).len(), before.len() - 1);
    living.persist(&output).unwrap();
    sweep(&output);
    assert!(output.exists());
}

/// Sweeping and writing at once: a writer's file is kept.
#[test]
fn sweepers_take_nothing_from_writers() {
    let dir = TempDir::new().unwrap();
    let output = dir.path().join("out");
    let writing = AtomicBool::new(true);
    let lost = thread::scope(|scope| {
        scope.spawn(|| {
            while writing.load(Ordering::Relaxed) {
                sweep(&output);
            }
        });
        let write = |_: &u32| {
            beside(&output, 0o600)
                .and_then(|file| file.persist(&output))
                .is_err()
        };
        let lost = (0..2000).filter(write).count();
        writing.store(false, Ordering::Relaxed);
        lost
    });
    assert_eq!((lost, names(dir.path())), (0, vec!["out".to_owned()]));
}
