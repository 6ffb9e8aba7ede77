//! Files that change under our hands, and what a killed run leaves.

use backend_from_env as _;
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use envelope::KeyRing;
use pqseal_siem::{
    Opener, Pipeline, Rules, Stats,
    files::{self, Error, Job, Output, State},
    pipeline::Observer,
    temporary,
};
use tempfile::TempDir;

/// Does something to a file while it is read.
struct Meddler<F>(F);

impl<F: FnMut()> Observer for Meddler<F> {
    fn batch(&mut self, _stats: &Stats) {
        (self.0)();
    }
}

fn job(dir: &TempDir) -> (Job, PathBuf) {
    let input = dir.path().join("in");
    fs::write(&input, "{}\n").unwrap();
    (
        Job {
            input,
            name: "in".into(),
        },
        dir.path().join("out"),
    )
}

fn run(job: &Job, output: &Path, meddle: impl FnMut()) -> Result<Stats, Error> {
    let pipeline = Pipeline::new(Opener::new(KeyRing::new()), Rules::default(), 1).unwrap();
    files::run(&pipeline, job, output, Output::Same, &mut Meddler(meddle))
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_that_changes_while_it_is_read_is_not_done() {
    let dir = TempDir::new().unwrap();
    let (job, output) = job(&dir);
    let grow = || {
        File::options()
            .append(true)
            .open(&job.input)
            .unwrap()
            .write_all(b"{}\n")
            .unwrap()
    };
    assert!(matches!(run(&job, &output, grow), Err(Error::Changed)));
    let modified = fs::metadata(&job.input).unwrap().modified().unwrap();
    // Another of the same size and time, as `cp -p` and a rename make it.
    let replace = || {
        let other = dir.path().join("other");
        fs::write(&other, "[]\n{}\n").unwrap();
        File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        fs::rename(other, &job.input).unwrap();
    };
    assert!(matches!(run(&job, &output, replace), Err(Error::Changed)));
    let remove = || fs::remove_file(&job.input).unwrap();
    assert!(matches!(run(&job, &output, remove), Err(Error::Open(_))));
    assert_eq!(
        names(dir.path()),
        Vec::<String>::new(),
        "a half file, or a temporary one"
    );
}

/// Between its end and the note of it a file may go on growing: the note is of what was read.
#[test]
fn what_was_read_is_what_is_noted() {
    let dir = TempDir::new().unwrap();
    let (job, output) = job(&dir);
    let mut state = State::load(&dir.path().join("state"), b"").unwrap();
    let seen = job.seen().unwrap();
    run(&job, &output, || {}).unwrap();
    state.done(&job, seen).unwrap();
    let reread = || State::load(&dir.path().join("state"), b"").unwrap();
    assert!(state.is_done(&job, &output) && reread().is_done(&job, &output));
    fs::write(&job.input, "{}\n{}\n").unwrap();
    state.done(&job, seen).unwrap();
    assert!(!state.is_done(&job, &output) && !reread().is_done(&job, &output));
}

#[test]
fn what_is_left_over_is_swept_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let output = dir.path().join("out");
    let living = temporary::beside(&output, 0o600).unwrap();
    let (_, killed) = temporary::beside(&output, 0o600).unwrap().keep().unwrap();
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
    temporary::sweep(&output);
    assert!(!killed.exists());
    assert_eq!(names(dir.path()).len(), before.len() - 1);
    living.persist(&output).unwrap();
    temporary::sweep(&output);
    assert!(output.exists());
}

/// Sweeping and writing at once: whoever writes gets a file that stays.
#[test]
fn sweepers_take_nothing_from_writers() {
    let dir = TempDir::new().unwrap();
    let output = dir.path().join("out");
    let writing = AtomicBool::new(true);
    let lost = thread::scope(|scope| {
        scope.spawn(|| {
            while writing.load(Ordering::Relaxed) {
                temporary::sweep(&output);
            }
        });
        let write = |_: &u32| {
            temporary::beside(&output, 0o600)
                .and_then(|file| Ok(file.persist(&output)?))
                .is_err()
        };
        let lost = (0..2000).filter(write).count();
        writing.store(false, Ordering::Relaxed);
        lost
    });
    assert_eq!((lost, names(dir.path())), (0, vec!["out".to_owned()]));
}
