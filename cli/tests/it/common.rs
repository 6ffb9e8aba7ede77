//! A separate directory for each test, with the fixtures in it, and ways to run the programs there.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::{
    fs,
    io::Write,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{self, Command, Output, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    thread,
};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PQSEAL: &str = env!("CARGO_BIN_EXE_pqseal");
pub(crate) const MATCHED_DATA_CLI: &str = env!("CARGO_BIN_EXE_matched-data-cli");

/// The published key pair.
pub(crate) const PRIVATE_KEY: &str = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";
pub(crate) const PUBLIC_KEY: &str = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
/// The plaintext of `blob.txt`.
pub(crate) const PLAINTEXT: &str =
    r#"{"http.request.version": "HTTP/1.1", "http.request.uri.path": "/cms/%0Aadmin"}"#;

pub(crate) struct Dir(TempDir);

impl Dir {
    /// Creates a directory with `blob.txt` and `key.txt` of `examples/matched-data`, and the files
    /// directly in `tests/fixtures`. Keys have mode 0600.
    pub(crate) fn new() -> Self {
        let dir = Self(TempDir::new().unwrap());
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for from in [
            here.join("tests/fixtures"),
            here.join("../examples/matched-data"),
        ] {
            for file in fs::read_dir(from)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_file())
            {
                dir.write(
                    file.file_name().unwrap().to_str().unwrap(),
                    fs::read(&file).unwrap(),
                );
            }
        }
        dir.chmod("key.txt", 0o600);
        dir.chmod("private_key.txt", 0o600);
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Returns the published blob, without its line break.
    pub(crate) fn blob(&self) -> String {
        let text = String::from_utf8(self.read("blob.txt")).unwrap();
        text.trim_end().to_owned()
    }

    /// Sets the mode; does nothing on systems without modes.
    pub(crate) fn chmod(&self, name: &str, mode: u32) {
        #[cfg(unix)]
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
        #[cfg(not(unix))]
        let _ = (name, mode);
    }

    #[cfg(unix)]
    pub(crate) fn mode(&self, name: &str) -> u32 {
        fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }

    /// Lists the names in it, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn pqseal(&self, arguments: &[&str]) -> Ran {
        self.run(PQSEAL, arguments, b"")
    }

    /// Runs `pqseal` with words that have no blanks. It needs no shell, so it works on every
    /// system.
    pub(crate) fn words(&self, line: &str) -> Ran {
        self.feed(line, b"")
    }

    /// Like [`Self::words`], with this on standard input.
    pub(crate) fn feed(&self, line: &str, input: &[u8]) -> Ran {
        let words: Vec<_> = line.split_whitespace().collect();
        self.run(PQSEAL, &words, input)
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // On a thread, or both could wait for the other to read. A program that fails early does
        // not read.
        thread::scope(|scope| {
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output().unwrap().into()
        })
    }

    /// Runs a line of shell, in which both programs are found.
    #[cfg(unix)]
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let programs = Path::new(PQSEAL).parent().unwrap().display();
        let mut shell = self.command("sh");
        shell
            .env("PATH", format!("{programs}:/usr/bin:/bin"))
            .env("LC_ALL", "C")
            .args(["-c", line]);
        shell.output().unwrap().into()
    }
}

/// The result of a program.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn out(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }

    /// Asserts success, with nothing on standard error.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""));
        self
    }

    /// Asserts this exit code, this in the message, and nothing on standard output.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, message: &str) -> Self {
        assert_eq!(
            (self.code, self.out.as_slice()),
            (Some(code), b"".as_slice()),
            "{}",
            self.err
        );
        assert!(
            self.err.contains(message),
            "`{message}` is not in: {}",
            self.err
        );
        self
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Creates a directory with `count` sealed events in `events.ndjson`.
pub(crate) fn events(count: u32) -> Dir {
    let dir = Dir::new();
    let clear = dir.pqseal(&["logs", "generate", &count.to_string()]);
    dir.write("clear", clear.succeeds().out);
    let sealed = dir.pqseal(&["logs", "seal", "--to", PUBLIC_KEY, "clear"]);
    dir.write("events.ndjson", sealed.succeeds().out);
    fs::remove_file(dir.path("clear")).unwrap();
    dir
}

pub(crate) fn open(dir: &Dir, input: &[u8], arguments: &[&str]) -> Ran {
    dir.run(
        PQSEAL,
        &[
            &["logs", "open", "-k", "key.txt", "--stats", "json"],
            arguments,
        ]
        .concat(),
        input,
    )
}

pub(crate) fn stats(ran: &Ran) -> Value {
    serde_json::from_str(ran.err.lines().last().unwrap()).unwrap()
}

/// Returns a program of `dev/interop`: age, rage, or `age-peer`, which is age's library.
#[cfg(unix)]
pub(crate) fn peer(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../dev/interop/.build/").to_owned() + name;
    assert!(
        Path::new(&path).exists(),
        "this test needs {name}; run: dev/interop/setup.sh age rage"
    );
    path
}

/// Returns `age` and `rage`, as words of a shell.
#[cfg(unix)]
pub(crate) fn age_and_rage() -> [String; 2] {
    ["age", "rage/bin/rage"].map(|name| format!("'{}'", peer(name)))
}

/// Runs a line of shell, which must succeed with nothing on standard error.
#[cfg(unix)]
#[track_caller]
pub(crate) fn shell(dir: &Dir, line: &str) -> Ran {
    dir.shell(line).succeeds()
}

/// Returns an address on which nothing listens. The system assigns its port to nobody, since ports
/// of clients and for port 0 are higher.
#[cfg_attr(
    not(any(feature = "serve", feature = "tls")),
    allow(dead_code, reason = "for servers")
)]
pub(crate) fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + u16::try_from(process::id() % 10_000).unwrap();
    loop {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed);
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// Runs lines of shell that begin with `start`. Each must fail with this exit code, without output
/// and with the words that follow `=>`.
#[cfg(unix)]
#[track_caller]
pub(crate) fn each_fails(dir: &Dir, start: &str, code: i32, lines: &[&str]) {
    for line in lines {
        let (line, words) = line.split_once(" => ").unwrap();
        let ran = dir.shell(&format!("{start} {line}"));
        let found = (ran.code, ran.out.is_empty(), ran.err.contains(words));
        assert_eq!(found, (Some(code), true, true), "{line}: {}", ran.err);
    }
}

/// Returns four chunks of an age file, of which the last is not full.
pub(crate) fn long_text() -> Vec<u8> {
    (0..=250).cycle().take(200_001).collect()
}
