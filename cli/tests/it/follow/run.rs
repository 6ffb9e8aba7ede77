//! A run that follows, and its output.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::common::{Dir, PQSEAL, PUBLIC_KEY};

/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// A blob of the published key, and lines with it.
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn new(dir: &Dir) -> Self {
        let sealed = dir
            .run(PQSEAL, &["seal", "--to", PUBLIC_KEY], b"matched")
            .succeeds();
        Self(sealed.out().trim_end().to_owned())
    }

    pub(crate) fn line(&self, number: u64) -> String {
        let blob = &self.0;
        format!("{{\"n\":{number},\"encrypted_matched_data\":\"{blob}\"}}\n")
    }

    pub(crate) fn lines(&self, numbers: impl IntoIterator<Item = u64>) -> String {
        numbers
            .into_iter()
            .map(|number| self.line(number))
            .collect()
    }
}

pub(crate) fn append(path: &Path, text: impl AsRef<[u8]>) {
    let mut options = OpenOptions::new();
    let mut file = options.create(true).append(true).open(path).unwrap();
    file.write_all(text.as_ref()).unwrap();
}

const OPEN: &[&str] = &["logs", "open", "-k", "key.txt"];

/// A run that follows, with its output in `out`.
pub(crate) struct Run {
    child: Child,
    dir: PathBuf,
}

impl Run {
    pub(crate) fn start(dir: &Dir, arguments: &[&str]) -> Self {
        Self::of(dir, dir.command(PQSEAL), &[OPEN, arguments].concat())
    }

    /// Starts a run that may have only `open_files` files open.
    pub(crate) fn start_with(dir: &Dir, open_files: u32, arguments: &[&str]) -> Self {
        let mut shell = dir.command("sh");
        let line = format!("ulimit -n {open_files} && exec \"$0\" \"$@\"");
        shell.args(["-c", &line, PQSEAL]);
        Self::of(dir, shell, &[OPEN, arguments].concat())
    }

    pub(crate) fn of(dir: &Dir, mut command: Command, arguments: &[&str]) -> Self {
        let output = OpenOptions::new()
            .create(true)
            .append(true)
            .open(dir.path("out"))
            .unwrap();
        let errors = File::create(dir.path("err")).unwrap();
        let child = command
            .args(arguments)
            .stdout(output)
            .stderr(errors)
            .spawn()
            .unwrap();
        let dir = dir.path("");
        Self { child, dir }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a service manager does, and returns its messages.
    pub(crate) fn end(mut self, code: i32) -> String {
        self.signal("TERM");
        self.wait_exit(code)
    }

    /// Waits for its end, with this exit code, and returns its messages.
    pub(crate) fn wait_exit(&mut self, code: i32) -> String {
        let ended = self.child.wait().unwrap();
        let said = fs::read_to_string(self.dir.join("err")).unwrap();
        assert_eq!(ended.code(), Some(code), "{said}");
        said
    }

    pub(crate) fn wait_for(&self, name: &str, is_there: impl Fn(&str) -> bool) {
        let started = Instant::now();
        loop {
            let bytes = fs::read(self.dir.join(name)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            if is_there(&text) {
                return;
            }
            let said = fs::read_to_string(self.dir.join("err")).unwrap();
            let lines = text.lines().count();
            assert!(
                started.elapsed() < PATIENCE,
                "{name}: {lines} lines; {said}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the output has this many lines.
    pub(crate) fn wait_for_lines(&self, count: usize) {
        self.wait_for("out", |text| text.lines().count() >= count);
    }
}

/// Counts how often each number is in the output, all of it opened.
pub(crate) fn numbers(text: &str) -> BTreeMap<u64, u64> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert_eq!(record["decrypted_matched_data"], "matched", "{line}");
        *counts.entry(record["n"].as_u64().unwrap()).or_default() += 1;
    }
    counts
}

pub(crate) fn once(numbers: impl IntoIterator<Item = u64>) -> BTreeMap<u64, u64> {
    numbers.into_iter().map(|number| (number, 1)).collect()
}

pub(crate) fn out(dir: &Dir) -> String {
    String::from_utf8(dir.read("out")).unwrap()
}

/// Removes lines that a kill has cut.
pub(crate) fn whole(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| line.ends_with("}\n") && line.matches("{\"n\"").count() == 1)
        .collect()
}
