//! Files that change during a run, and leftovers of a killed run.

use std::{
    fs::{self, File},
    io::Write,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    time::{Duration, SystemTime},
};

use pqseal_matched_data::KeyRing;
use pqseal_pipeline::{
    Opener, Pipeline, Stats,
    files::{
        self, Error, FileOutcome, FinishedFile, Job, LeftOut, Live, OutputCompression, Selection,
        Settings, State, Task, plan,
    },
};
use pqseal_records::Rules;
use tempfile::TempDir;

const SETTINGS: Settings = Settings {
    compression: OutputCompression::Same,
    mode: 0o600,
    is_exact_mode: false,
    wants_letters: false,
    together: 100,
    fail_fast: false,
    keep_partial: false,
};

fn pipeline() -> Pipeline<Opener> {
    Pipeline::new(Opener::new(KeyRing::new()), Rules::default(), 2).unwrap()
}

fn task(dir: &TempDir) -> Task {
    let input = dir.path().join("in");
    fs::write(&input, "{}\n").unwrap();
    Task::new(Job::new(input, "in".into()), dir.path().join("out"))
}

struct Meddler<F>(Mutex<F>);

impl<F: FnMut() + Send> Live for Meddler<F> {
    fn batch(&self, _stats: &Stats) {
        (self.0.lock().unwrap())();
    }
}

/// Processes a file, and calls `meddle` after its records were read.
fn run(task: &Task, meddle: impl FnMut() + Send) -> Result<FinishedFile, Error> {
    let live = Meddler(Mutex::new(meddle));
    let mut all = Vec::new();
    files::run(
        &pipeline(),
        std::slice::from_ref(task),
        &SETTINGS,
        &live,
        |ended| {
            all.extend(ended.into_iter().map(|(_, done)| done));
            ControlFlow::Continue(())
        },
    )
    .unwrap();
    all.pop().unwrap()
}

/// Returns each task's output and success, in order.
fn run_all(tasks: &[Task], settings: &Settings) -> Vec<(PathBuf, bool)> {
    let mut all = Vec::new();
    files::run(&pipeline(), tasks, settings, &(), |ended| {
        let output = |task: &Task| task.output.clone();
        all.extend(
            ended
                .iter()
                .map(|(task, done)| (output(task), done.is_ok())),
        );
        ControlFlow::Continue(())
    })
    .unwrap();
    all
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
    let task = task(&dir);
    let input = &task.job.input;
    let grow = || {
        let mut file = File::options().append(true).open(input).unwrap();
        file.write_all(b"{}\n").unwrap();
    };
    assert!(matches!(run(&task, grow), Err(Error::Changed)));
    let modified = fs::metadata(input).unwrap().modified().unwrap();
    // Another of the same size and time, as `cp -p` and a rename make it.
    let replace = || {
        let other = dir.path().join("other");
        fs::write(&other, "[]\n{}\n").unwrap();
        let file = File::options().write(true).open(&other).unwrap();
        file.set_modified(modified).unwrap();
        fs::rename(other, input).unwrap();
    };
    assert!(matches!(run(&task, replace), Err(Error::Changed)));
    let remove = || fs::remove_file(input).unwrap();
    assert!(matches!(run(&task, remove), Err(Error::Open(_))));
    let none: [&str; 0] = [];
    assert_eq!(names(dir.path()), none, "a half file, or a temporary one");
}

/// Small files are processed in parallel, and large ones between them. Outcomes keep their order,
/// and a file that fails does not affect others.
#[test]
fn many_files_end_in_order() {
    let dir = TempDir::new().unwrap();
    let large = "{}\n".repeat(200_000);
    let tasks: Vec<_> = (0..300)
        .map(|number| {
            let input = dir.path().join(format!("in{number}"));
            match number {
                77 | 250 => {}
                100 | 101 => fs::write(&input, &large).unwrap(),
                _ => fs::write(&input, format!("{{\"a\":{number}}}\n")).unwrap(),
            }
            let job = Job::new(input, format!("in{number}").into());
            Task::new(job, dir.path().join(format!("out/{number}")))
        })
        .collect();
    let ended = run_all(&tasks, &SETTINGS);
    assert_eq!(ended.len(), 300);
    for (number, (task, (output, is_done))) in tasks.iter().zip(&ended).enumerate() {
        assert_eq!(
            (&task.output, !matches!(number, 77 | 250)),
            (output, *is_done)
        );
        assert_eq!(fs::read(output).ok(), fs::read(&task.job.input).ok());
    }
    assert_eq!(names(&dir.path().join("out")).len(), 298);
    // Nothing after the first that fails, although others were begun with it.
    fs::remove_dir_all(dir.path().join("out")).unwrap();
    let settings = Settings {
        fail_fast: true,
        ..SETTINGS
    };
    assert_eq!(run_all(&tasks, &settings).len(), 78);
    assert_eq!(names(&dir.path().join("out")).len(), 77);
}

/// A loop of links is not walked. If links are followed, each folder is visited once.
#[test]
#[cfg(unix)]
fn links_are_no_loops() {
    use std::os::unix::fs::symlink;
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("in");
    fs::create_dir_all(root.join("z/deep")).unwrap();
    fs::create_dir(dir.path().join("elsewhere")).unwrap();
    for file in ["in/a", "in/z/b", "in/z/deep/c", "elsewhere/d"] {
        fs::write(dir.path().join(file), "{}\n").unwrap();
    }
    symlink("..", root.join("z/up")).unwrap();
    symlink("z", root.join("link")).unwrap();
    symlink("../elsewhere", root.join("other")).unwrap();
    symlink("../in", dir.path().join("elsewhere/back")).unwrap();
    symlink("z/b", root.join("file")).unwrap();
    let names = |follow_links| {
        let selection = Selection {
            follow_links,
            ..Selection::default()
        };
        let plan = plan(std::slice::from_ref(&root), &selection);
        let jobs = plan
            .jobs
            .into_iter()
            .map(|job| job.name.display().to_string());
        let left_out = plan.left_out.into_iter().map(|(_, why)| why);
        (jobs.collect::<Vec<_>>(), left_out.collect::<Vec<_>>())
    };
    assert_eq!(
        names(false),
        (
            ["a", "file", "z/b", "z/deep/c"].map(str::to_owned).into(),
            vec![LeftOut::Link; 3]
        )
    );
    assert_eq!(
        names(true),
        (
            ["a", "file", "z/b", "z/deep/c", "other/d"]
                .map(str::to_owned)
                .into(),
            vec![LeftOut::Visited; 3]
        )
    );
}

#[test]
fn what_is_not_taken_is_listed() {
    let dir = TempDir::new().unwrap();
    for file in [".hidden", "old", "young", "future"] {
        fs::write(dir.path().join(file), "{}\n").unwrap();
    }
    let set = |file: &str, time| {
        let file = File::options().write(true).open(dir.path().join(file));
        file.unwrap().set_modified(time).unwrap();
    };
    let now = SystemTime::now();
    set("old", now - Duration::from_secs(120));
    set("young", now - Duration::from_secs(10));
    set("future", now + Duration::from_secs(120));
    let made = Command::new("mkfifo").arg(dir.path().join("pipe")).status();
    assert!(made.unwrap().success());
    let selection = Selection {
        min_age: Some(Duration::from_secs(60)),
        ..Selection::default()
    };
    let plan = plan(
        &[dir.path().to_owned(), dir.path().join("missing")],
        &selection,
    );
    let jobs: Vec<_> = plan
        .jobs
        .iter()
        .map(|job| job.name.to_str().unwrap())
        .collect();
    assert_eq!(jobs, ["old", "missing"]);
    let left_out: Vec<_> = plan.left_out.iter().map(|(_, why)| *why).collect();
    let expected = [
        LeftOut::Hidden,
        LeftOut::Young,
        LeftOut::NotAFile,
        LeftOut::Young,
    ];
    assert_eq!(left_out, expected);
}

fn state(dir: &TempDir, keys: &[&str]) -> State {
    let keys = keys.iter().map(|key| (*key).to_owned());
    State::load(&dir.path().join("state"), b"", keys).unwrap()
}

fn failed(failed: u64) -> FileOutcome {
    FileOutcome {
        failed,
        ..FileOutcome::default()
    }
}

/// A file may grow after its end was read and before that is recorded. The entry describes the
/// part that was read.
#[test]
fn what_was_read_is_what_is_noted() {
    let dir = TempDir::new().unwrap();
    let task = task(&dir);
    let stamp = run(&task, || {}).unwrap().stamp;
    let is_done = || {
        let job = Job::new(task.job.input.clone(), "in".into());
        state(&dir, &[])
            .done(&Task::new(job, task.output.clone()))
            .cloned()
    };
    assert_eq!(is_done(), None);
    state(&dir, &[])
        .note([(&task.job, stamp.clone(), failed(0))])
        .unwrap();
    assert_eq!(is_done(), Some(failed(0)));
    fs::write(&task.job.input, "{}\n{}\n").unwrap();
    state(&dir, &[])
        .note([(&task.job, stamp.clone(), failed(0))])
        .unwrap();
    assert_eq!(is_done(), None);
}

/// A file whose output was replaced under other options is processed again under the first.
#[test]
fn the_last_note_of_a_file_counts() {
    let dir = TempDir::new().unwrap();
    let task = task(&dir);
    let stamp = run(&task, || {}).unwrap().stamp;
    let under = |options: &[u8]| State::load(&dir.path().join("state"), options, []).unwrap();
    for options in [b"a", b"b"] {
        under(options)
            .note([(&task.job, stamp.clone(), failed(0))])
            .unwrap();
    }
    assert_eq!(under(b"a").done(&task), None);
    assert_eq!(under(b"b").done(&task), Some(&failed(0)));
}

/// Failures are recorded, and such files are processed again after another key was added.
#[test]
#[cfg(unix)]
fn failures_are_noted_with_the_keys_that_were_there() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let dir = TempDir::new().unwrap();
    let make = |name: &[u8]| {
        let input = dir.path().join(OsStr::from_bytes(name));
        fs::write(&input, "{}\n").unwrap();
        Job::new(input, OsStr::from_bytes(name).into())
    };
    let (good, bad) = (make(b"not \xff UTF-8"), make(b"bad"));
    let output = good.input.clone();
    let stamp = |job: &Job| job.stamp.clone().unwrap();
    let [good, bad] = [good, bad].map(|job| Task::new(job, output.clone()));
    let mut first = state(&dir, &["a", "b"]);
    first
        .note([
            (&good.job, stamp(&good.job), failed(0)),
            (&bad.job, stamp(&bad.job), failed(3)),
        ])
        .unwrap();
    for (keys, expected) in [
        (&["a", "b"][..], Some(3)),
        (&["b"], Some(3)),
        (&["a", "b", "c"], None),
        (&["c"], None),
    ] {
        let state = state(&dir, keys);
        assert_eq!(state.done(&good), Some(&failed(0)));
        let found = state.done(&bad).map(|outcome| outcome.failed);
        assert_eq!(found, expected, "{keys:?}");
    }
    let now = state(&dir, &["a", "b", "c"]).note([(&bad.job, stamp(&bad.job), failed(1))]);
    now.unwrap();
    assert_eq!(state(&dir, &["c"]).done(&bad), Some(&failed(1)));
    // A line that was cut short says nothing, and the next begins a line.
    let path = dir.path().join("state");
    let cut = fs::read(&path).unwrap();
    fs::write(&path, &cut[..cut.len() - 9]).unwrap();
    assert_eq!(state(&dir, &["a"]).done(&bad), Some(&failed(3)));
    let again = state(&dir, &["a"]).note([(&bad.job, stamp(&bad.job), failed(2))]);
    again.unwrap();
    assert_eq!(state(&dir, &["a"]).done(&bad), Some(&failed(2)));
}
