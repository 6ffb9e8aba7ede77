//! A directory of its own for each test, with the fixtures in it, and ways to run the programs
//! there.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PQSEAL: &str = env!("CARGO_BIN_EXE_pqseal");
pub(crate) const MATCHED_DATA_CLI: &str = env!("CARGO_BIN_EXE_matched-data-cli");

/// The published key pair.
pub(crate) const PRIVATE_KEY: &str = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";
pub(crate) const PUBLIC_KEY: &str = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
/// What `blob.txt` holds.
pub(crate) const PLAINTEXT: &str =
    r#"{"http.request.version": "HTTP/1.1", "http.request.uri.path": "/cms/%0Aadmin"}"#;

pub(crate) struct Dir(TempDir);

impl Dir {
    /// `blob.txt` and `key.txt` of `examples/matched-data`, and all of `tests/fixtures`; keys with
    /// mode 0600.
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

    /// Does nothing where there are no such modes.
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

    /// The names in it, in order.
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

    pub(crate) fn run(&self, program: &str, arguments: &[&str], input: &[u8]) -> Ran {
        let mut child = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // Beside it, or both could wait for the other to read. A program that fails early does not read.
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

/// What a program did.
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

    /// Asserts success without a word on standard error.
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

/// `count` sealed events in `events.ndjson`.
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

/// `age` and `rage` of `dev/interop`, as words of a shell.
#[cfg(unix)]
pub(crate) fn age_and_rage() -> [String; 2] {
    ["age", "rage/bin/rage"].map(|name| {
        let peers = concat!(env!("CARGO_MANIFEST_DIR"), "/../dev/interop/.build");
        let path = format!("{peers}/{name}");
        assert!(
            Path::new(&path).exists(),
            "this test needs {name}; run: dev/interop/setup.sh age rage"
        );
        format!("'{path}'")
    })
}

/// Runs a line of shell, which must succeed without a word on standard error.
#[cfg(unix)]
#[track_caller]
pub(crate) fn shell(dir: &Dir, line: &str) -> Ran {
    dir.shell(line).succeeds()
}

/// Four chunks of an age file, of which the last is not full.
pub(crate) fn long_text() -> Vec<u8> {
    (0..=250).cycle().take(200_001).collect()
}
