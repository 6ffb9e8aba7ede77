//! The state of an output that holds back the beginning of a line.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

use pqseal_pipeline::{
    Framing, Observer, Stats,
    files::follow::{Event, Follow, Follower, REST, Sink, follow},
};
use serde_json::Value;

use crate::common::{fields, pipeline};

/// An output in memory.
struct Output {
    bytes: Vec<u8>,
    /// Set if it accepts only whole lines, as a topic does.
    keeps_back: bool,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Output {
    fn settle(&mut self) -> io::Result<()> {
        assert!(self.is_whole(), "it cannot settle the beginning of a line");
        Ok(())
    }

    fn file(&mut self) -> Option<(&Path, &File)> {
        None
    }

    fn is_whole(&self) -> bool {
        !self.keeps_back || self.bytes.last().is_none_or(|last| *last == b'\n')
    }

    fn end_line(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&mut self, _size: u64) -> io::Result<()> {
        Ok(())
    }

    fn reopen(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A follower that ends a run after the existing data was processed.
struct Once<'a>(&'a AtomicBool);

impl Observer for Once<'_> {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Follower for Once<'_> {
    fn event(&mut self, path: &Path, event: Event) {
        panic!("{}: {event:?}", path.display());
    }

    fn tick(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A followed file, and its state.
struct Followed {
    what: Follow,
    state: PathBuf,
}

impl Followed {
    fn run(&self, output: &mut Output) {
        let is_over = AtomicBool::new(false);
        let pipeline = pipeline(fields(&["s"]), Framing::Lines);
        follow(&pipeline, &self.what, output, &mut Once(&is_over), &is_over).unwrap();
    }

    fn add(&self, text: &[u8]) {
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .append(true)
            .open(&self.what.inputs[0])
            .unwrap();
        file.write_all(text).unwrap();
    }

    /// Returns the number of bytes that the state records as done.
    fn noted(&self) -> u64 {
        let text = fs::read_to_string(&self.state).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        last["follow"][0]["offset"].as_u64().unwrap()
    }
}

/// The beginning of a line that is too large for a record passes before the end of the line is
/// written. The end of a run records all settled data, so nothing here depends on time.
#[test]
fn nothing_is_noted_until_an_output_is_whole() {
    // In several pieces.
    let long = vec![b'x'; 3 << 20];
    let size = long.len() as u64;
    for (keeps_back, noted) in [(false, size), (true, 0)] {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let followed = Followed {
            what: Follow {
                inputs: vec![dir.path().join("a.log")],
                folders: false,
                from_end: false,
                state: Some(state.clone()),
                keep_open: 8,
                rest: REST,
            },
            state,
        };
        let run = || {
            let mut output = Output {
                bytes: Vec::new(),
                keeps_back,
            };
            followed.run(&mut output);
            output.bytes.len() as u64
        };
        followed.add(&long);
        assert_eq!((run(), followed.noted()), (size, noted), "{keeps_back}");
        // With its end, the line comes from where the state says.
        followed.add(b"\n");
        let rest = size + 1 - noted;
        assert_eq!((run(), followed.noted()), (rest, size + 1), "{keeps_back}");
    }
}
