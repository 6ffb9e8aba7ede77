//! A receiver in a separate process, and clients for it.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use serde_json::Value;

use crate::{
    common::{Dir, PQSEAL, PUBLIC_KEY},
    fixtures::lines::Kinds,
};

/// The longest wait for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
/// The secret of the client `push`, in the header `x-secret`.
pub(crate) const SECRET: &str = "0123456789abcdef0123";
/// The secret of the client `splunk`, in the header `authorization`.
pub(crate) const TOKEN: &str = "fedcba9876543210fedc";

/// Creates a folder with keys and secrets, and an empty folder `out`.
pub(crate) fn folder() -> Dir {
    let dir = Dir::new();
    dir.write("push.secret", format!("{SECRET}\n"));
    dir.write("splunk.secret", TOKEN);
    fs::create_dir(dir.path("out")).unwrap();
    dir
}

/// Two clients, and the folder `out`.
pub(crate) const CLIENTS: &str = r#"
[[client]]
name = "push"
header = "X-Secret"
secret-file = "push.secret"

[[client]]
name = "splunk"
secret-file = "splunk.secret"

[open]
key = ["key.txt"]
"#;
pub(crate) const OUTPUT: &str = "\n[output]\nfolder = \"out\"\n";

/// A running receiver.
pub(crate) struct Server {
    child: Child,
    dir: PathBuf,
    kinds: Kinds,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a receiver on a free port, with the usual clients and output, and these
    /// limits.
    pub(crate) fn start(dir: &Dir, limits: &str) -> Self {
        Self::with(dir, "", &format!("{OUTPUT}\n[limits]\n{limits}\n"))
    }

    /// Starts a receiver whose configuration has these lines first, and these last.
    pub(crate) fn with(dir: &Dir, first: &str, last: &str) -> Self {
        let config = format!("listen = \"127.0.0.1:0\"\n{first}\n{CLIENTS}\n{last}");
        dir.write("pqseal.toml", config);
        let mut command = dir.command(PQSEAL);
        command.args(["logs", "serve", "-c", "pqseal.toml"]);
        Self::run(dir, command)
    }

    /// Starts `command`.
    pub(crate) fn run(dir: &Dir, mut command: Command) -> Self {
        let errors = File::create(dir.path("err")).unwrap();
        let kinds = Kinds::of(&command);
        let child = command.stderr(errors).spawn().unwrap();
        let mut server = Self {
            child,
            dir: dir.path(""),
            kinds,
            address: ([127, 0, 0, 1], 0).into(),
        };
        let line = server.wait_for("listening", |_| true);
        server.address = line["address"].as_str().unwrap().parse().unwrap();
        server
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the peak of its memory, in KiB, if the system reports it.
    pub(crate) fn most_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        peak.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Waits until the log has such a line.
    pub(crate) fn wait_for(&mut self, event: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let found = self
                .log()
                .into_iter()
                .find(|line| line["event"] == event && is_it(line));
            if let Some(line) = found {
                return line;
            }
            let said = fs::read_to_string(self.dir.join("err")).unwrap();
            let ended = self.child.try_wait().unwrap();
            assert!(
                ended.is_none() && started.elapsed() < PATIENCE,
                "no {event}: {said}"
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the log: each line is an object with a time, a level and an event, and of a known
    /// kind.
    pub(crate) fn log(&self) -> Vec<Value> {
        let said = fs::read_to_string(self.dir.join("err")).unwrap();
        let complete = said.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let parse = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            self.kinds.assert_has(&line);
            line
        };
        complete.lines().map(parse).collect()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
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

    /// Ends it as a service manager does.
    pub(crate) fn end(mut self) -> Vec<Value> {
        self.signal("TERM");
        self.wait_end();
        self.log()
    }

    /// Waits for its end, which must be successful.
    pub(crate) fn wait_end(&mut self) {
        self.wait_exit(0);
    }

    /// Waits for its end, with this exit code.
    pub(crate) fn wait_exit(&mut self, code: i32) {
        let ended = self.child.wait().unwrap();
        let said = fs::read_to_string(self.dir.join("err")).unwrap();
        assert_eq!(ended.code(), Some(code), "{said}");
    }

    /// Sends a request as it is, and reads all of the answer.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A refused request is not read to its end.
        let _ = stream.write_all(request);
        Answer::read(&mut stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Posts a body with a secret and more headers, each ended by a line break.
    pub(crate) fn post(&self, path: &str, headers: &str, body: &[u8]) -> Answer {
        self.raw(&[post(path, headers, body.len()).as_bytes(), body].concat())
    }

    /// Posts NDJSON as the client `push`.
    pub(crate) fn push(&self, body: &[u8]) -> Answer {
        self.post("/logs", "", body)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        get(self.address, path)
    }

    /// Returns the counters for Prometheus, by their names with labels.
    pub(crate) fn metrics(&self) -> BTreeMap<String, i64> {
        let answer = self.get("/metrics");
        assert_eq!(answer.status, 200);
        let lines = answer.body.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| line.rsplit_once(' ').unwrap())
            .map(|(name, count)| (name.to_owned(), count.parse().unwrap()))
            .collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the head of a request with the secret of `push`, unless `headers` has a
/// secret.
pub(crate) fn post(path: &str, headers: &str, length: usize) -> String {
    let secret = match headers.to_ascii_lowercase().contains("authorization:") {
        true => String::new(),
        false => format!("X-Secret: {SECRET}\r\n"),
    };
    format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n{secret}{headers}Content-Length: {length}\r\n\r\n"
    )
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Secret: {SECRET}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    Answer::read(&mut stream)
}

/// The answer of a server.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// Reads to the end of the connection.
    pub(crate) fn read(stream: &mut impl Read) -> Self {
        Self::try_read(stream).expect("there is no answer")
    }

    /// Like [`Self::read`]; `None` if there is no answer.
    pub(crate) fn try_read(stream: &mut impl Read) -> Option<Self> {
        let mut bytes = Vec::new();
        // The receiver may reset the connection after its answer.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self {
            status,
            head: head.to_owned(),
            body: body.to_owned(),
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Asserts this status.
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n{}", self.head, self.body);
        self
    }

    /// Asserts this status and code.
    #[track_caller]
    pub(crate) fn refuses(self, status: u16, code: &str) -> Self {
        assert_eq!(
            (self.status, self.json()["error"]["code"].as_str()),
            (status, Some(code))
        );
        self
    }
}

/// A blob of the published key, and lines with it.
pub(crate) struct Lines(String);

impl Lines {
    pub(crate) fn new(dir: &Dir) -> Self {
        Self::to(dir, PUBLIC_KEY)
    }

    /// Seals lines to this key.
    pub(crate) fn to(dir: &Dir, public: &str) -> Self {
        let sealed = dir
            .run(PQSEAL, &["seal", "--to", public], b"matched")
            .succeeds();
        Self(sealed.out().trim_end().to_owned())
    }

    pub(crate) fn line(&self, number: u64) -> String {
        let blob = &self.0;
        format!("{{\"n\":{number},\"encrypted_matched_data\":\"{blob}\"}}\n")
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns all segments of a folder, in the order of their names; none is still written
/// to.
pub(crate) fn segments(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.file_name().unwrap() != ".pqseal-serve.lock");
    paths.sort();
    let read = |path: &PathBuf| {
        assert!(
            path.to_str().unwrap().ends_with(".ndjson"),
            "{}",
            path.display()
        );
        fs::read_to_string(path).unwrap()
    };
    paths.iter().map(read).collect()
}

/// Counts how often each number is in lines of JSON, each of which ends with a line
/// break.
pub(crate) fn numbers(text: &str) -> BTreeMap<u64, usize> {
    assert!(text.is_empty() || text.ends_with('\n'));
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        *counts.entry(line["n"].as_u64().unwrap()).or_default() += 1;
    }
    counts
}
