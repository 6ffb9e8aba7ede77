//! Files that grow: the data that is read and when, and the contents of the state.

mod crashes;
mod folders;
mod open_files;
mod outputs;
mod renamed;
mod sealed;
mod whole;
mod zeros;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use pqseal_pipeline::{
    Framing, Observer, Stats,
    files::{
        Error,
        follow::{self, Event, Follow, Follower, Sink},
    },
};
#[cfg(target_os = "linux")]
use rustix::fs::{CWD, RenameFlags, renameat_with};
use tempfile::TempDir;

use crate::common::{fields, pipeline};

/// The time limit of a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file that is appended to.
struct Output<'a> {
    path: PathBuf,
    file: File,
    is_in_line: bool,
    /// The number of calls of `settle` before the run crashes.
    settles: usize,
    /// The event during a write.
    happens: Option<Box<dyn FnOnce() + 'a>>,
}

impl Output<'_> {
    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            file: open(path),
            is_in_line: false,
            settles: usize::MAX,
            happens: None,
        }
    }
}

fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    let file = options.create(true).read(true).append(true).open(path);
    file.unwrap()
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(happens) = self.happens.take() {
            happens();
        }
        let written = self.file.write(bytes)?;
        self.is_in_line = !bytes[..written].ends_with(b"\n");
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Sink for Output<'_> {
    fn settle(&mut self) -> io::Result<()> {
        let left = self.settles.checked_sub(1);
        self.settles = left.ok_or(io::ErrorKind::StorageFull)?;
        self.file.sync_data()
    }

    fn file(&mut self) -> Option<(&Path, &File)> {
        Some((&self.path, &self.file))
    }

    fn end_line(&mut self) -> io::Result<()> {
        match self.is_in_line {
            true => self.write_all(b"\n"),
            false => Ok(()),
        }
    }

    fn cut(&mut self, size: u64) -> io::Result<()> {
        self.file.set_len(size)
    }

    fn reopen(&mut self) -> io::Result<()> {
        (self.file, self.is_in_line) = (open(&self.path), false);
        Ok(())
    }
}

/// A folder with inputs, states and outputs.
struct Place {
    dir: TempDir,
    is_over: AtomicBool,
    events: Mutex<Vec<String>>,
}

impl Place {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            is_over: AtomicBool::new(false),
            events: Mutex::default(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn add(&self, name: &str, text: &str) {
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).open(self.path(name));
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Exchanges two names atomically.
    #[cfg(target_os = "linux")]
    fn exchange(&self, one: &str, other: &str) {
        let (one, other) = (self.path(one), self.path(other));
        renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).unwrap();
    }

    /// Returns options that follow the files in `logs`, or `a.log`.
    fn what(&self, folders: bool) -> Follow {
        Follow {
            inputs: vec![self.path(if folders { "logs" } else { "logs/a.log" })],
            folders,
            from_end: false,
            state: Some(self.path("state")),
            keep_open: 8,
            rest: follow::REST,
        }
    }

    /// Follows until `is_over`.
    fn follow(
        &self,
        what: &Follow,
        output: &str,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        self.follow_to(what, Output::at(&self.path(output)), follower)
    }

    fn follow_to(
        &self,
        what: &Follow,
        mut output: Output<'_>,
        follower: &mut impl Follower,
    ) -> Result<(), Error> {
        let pipeline = pipeline(fields(&["s"]), Framing::Lines);
        follow::follow(&pipeline, what, &mut output, follower, &self.is_over)
    }

    /// Processes the data that exists.
    fn once(&self, what: &Follow, output: &str) -> Result<(), Error> {
        self.once_to(what, Output::at(&self.path(output)))
    }

    fn once_to(&self, what: &Follow, output: Output<'_>) -> Result<(), Error> {
        self.is_over.store(false, Ordering::Relaxed);
        self.follow_to(
            what,
            output,
            &mut Hearing {
                place: self,
                is_once: true,
            },
        )
    }

    /// Follows in a run that crashes before it records its progress. It settles twice when it
    /// begins.
    fn crash(&self, what: &Follow, mut output: Output<'_>) {
        output.settles = 2;
        let crashed = self.once_to(what, output);
        assert!(matches!(crashed, Err(Error::Run(_))), "{crashed:?}");
    }

    /// Follows to `out` while something happens.
    fn during(&self, what: &Follow, happens: impl FnOnce()) {
        self.is_over.store(false, Ordering::Relaxed);
        thread::scope(|scope| {
            let run = scope.spawn(|| {
                self.follow(
                    what,
                    "out",
                    &mut Hearing {
                        place: self,
                        is_once: false,
                    },
                )
            });
            // If that panics, too.
            let end = End(&self.is_over);
            happens();
            drop(end);
            run.join().unwrap().unwrap();
        });
    }

    /// Waits until the output has this many lines.
    fn wait_for(&self, lines: usize) {
        self.wait_until(|| {
            let text = fs::read(self.path("out")).unwrap_or_default();
            text.iter().filter(|byte| **byte == b'\n').count() >= lines
        });
    }

    fn wait_until(&self, is_so: impl Fn() -> bool) {
        let started = Instant::now();
        while !is_so() {
            let text = fs::read(self.path("out")).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            assert!(started.elapsed() < PATIENCE, "{text} {:?}", self.events());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the events since the last call.
    fn events(&self) -> Vec<String> {
        std::mem::take(&mut self.events.lock().unwrap())
    }
}

/// Ends a run.
struct End<'p>(&'p AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The time before a file is given up, in tests that wait for it.
const SHORT: Duration = Duration::from_secs(1);

/// Waits longer than [`SHORT`], including the time to look at the file.
fn rest() {
    thread::sleep(SHORT + Duration::from_secs(1));
}

struct Hearing<'p> {
    place: &'p Place,
    is_once: bool,
}

impl Observer for Hearing<'_> {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Follower for Hearing<'_> {
    fn event(&mut self, path: &Path, event: Event) {
        let name = path.file_name().unwrap().to_string_lossy();
        let event = format!("{event:?}");
        // Without the system's words.
        let event = event.split('(').next().unwrap();
        let event = event.replace([' ', '{', '}'], "");
        self.place
            .events
            .lock()
            .unwrap()
            .push(format!("{name} {event}"));
    }

    fn tick(&mut self) {
        if self.is_once {
            self.place.is_over.store(true, Ordering::Relaxed);
        }
    }
}
