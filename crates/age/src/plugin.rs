//! age plugins (C2SP age-plugin.md): programs that wrap and unwrap file keys, for example with keys
//! in hardware.
//!
//! [`PluginRecipient`] and [`PluginIdentity`] run the plugin of a recipient or an identity.
//! [`serve`] is the plugin `age-plugin-pqseal`. Both exchange stanzas over a pipe, in two phases:
//! the client sends its data, then the plugin asks and answers.

mod client;
mod server;

use std::{
    env,
    io::{self, BufRead, Read, Write},
    ops::Range,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use zeroize::Zeroizing;

pub use client::{PluginIdentity, PluginRecipient};
pub use server::{ServeError, serve};

pub use crate::error::{PluginError, PluginFailure};
use crate::{Error, Stanza, header, stanza};

/// A user interface for plugins. A `None` means that it is unavailable, and the plugin decides how
/// to continue.
pub trait Ui: Send + Sync {
    /// Shows a message, such as a request to touch a device.
    fn message(&self, plugin: &str, text: &str) -> Option<()>;

    /// Asks for a text, which is not shown while it is typed if it is `secret`.
    fn request(&self, plugin: &str, prompt: &str, secret: bool) -> Option<Zeroizing<String>>;

    /// Asks the user to choose `yes`, or `no` if there is such a choice.
    fn confirm(&self, plugin: &str, prompt: &str, yes: &str, no: Option<&str>) -> Option<bool>;
}

/// An interface for programs without a user. Every question fails.
#[derive(Clone, Copy, Debug)]
pub struct NoUi;

impl Ui for NoUi {
    fn message(&self, _: &str, _: &str) -> Option<()> {
        None
    }

    fn request(&self, _: &str, _: &str, _: bool) -> Option<Zeroizing<String>> {
        None
    }

    fn confirm(&self, _: &str, _: &str, _: &str, _: Option<&str>) -> Option<bool> {
        None
    }
}

/// The time that a plugin may take to exit after it is done.
const GRACE: Duration = Duration::from_secs(2);

/// A running plugin. On drop its pipes are closed and it is ended.
struct PluginProcess {
    child: Child,
    /// The pipes, until the drop.
    pipes: Option<PluginPipes<ChildStdout, ChildStdin>>,
}

impl Drop for PluginProcess {
    fn drop(&mut self) {
        self.pipes = None;
        let start = Instant::now();
        while start.elapsed() < GRACE {
            match self.child.try_wait() {
                Ok(Some(_)) => return,
                Ok(None) => thread::sleep(Duration::from_millis(5)),
                Err(_) => break,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reports whether a name may be part of a file name, since a path could name any program.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"+-._".contains(&c))
}

/// Starts `age-plugin-NAME` from an absolute folder of `PATH`, in the folder for temporary files.
fn start(name: &str, state_machine: &str) -> Result<PluginProcess, PluginFailure> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path);
    let program = find(name, folders).ok_or(PluginFailure::NotFound)?;
    let mut child = Command::new(program)
        .arg(format!("--age-plugin={state_machine}"))
        .current_dir(env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(PluginFailure::Start)?;
    let pipes = child.stdout.take().zip(child.stdin.take());
    let pipes = pipes.map(|(output, input)| PluginPipes::new(output, input));
    Ok(PluginProcess { child, pipes })
}

/// Finds the program in the first folder that contains it. Others may be able to write to a
/// relative folder, such as the current one.
fn find(name: &str, folders: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let file = format!("age-plugin-{name}{}", env::consts::EXE_SUFFIX);
    folders
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// A pair of pipes, one for each direction, through which stanzas pass.
struct PluginPipes<R, W> {
    input: WipedReader<R>,
    output: W,
}

impl<R: Read, W: Write> PluginPipes<R, W> {
    fn new(input: R, output: W) -> Self {
        Self {
            input: WipedReader {
                input,
                buffer: Zeroizing::new(vec![0; 4096]),
                ready: 0..0,
            },
            output,
        }
    }

    /// Sends a command.
    fn send(&mut self, command: &str, args: &[&str], body: &[u8]) -> io::Result<()> {
        // Growing would leave copies of a secret behind.
        let size = body.len() * 2 + args.iter().map(|arg| arg.len() + 1).sum::<usize>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(size + command.len() + 64));
        stanza::write(&mut bytes, command, args.iter().copied(), body);
        self.output.write_all(&bytes)?;
        self.output.flush()
    }

    /// Receives the next stanza, which is wiped on drop.
    fn receive(&mut self) -> Result<Zeroizing<Stanza>, Error> {
        header::read_stanza(&mut self.input).map(Zeroizing::new)
    }
}

/// A buffered reader whose buffer is wiped on drop, since file keys and PINs
/// pass through it.
struct WipedReader<R> {
    input: R,
    buffer: Zeroizing<Vec<u8>>,
    ready: Range<usize>,
}

impl<R: Read> Read for WipedReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for WipedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ready.is_empty() {
            self.ready = 0..self.input.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.ready.clone()])
    }

    fn consume(&mut self, count: usize) {
        self.ready.start += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_paths() {
        for name in ["yubikey", "a.b_c-d+e", "7"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a/b", "../a", "a b", "a\0", "\u{e9}"] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn only_absolute_folders_are_searched() {
        use std::{fs, os::unix::fs::PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("age-plugin-x");
        fs::write(&program, "").unwrap();
        let absolute = || [PathBuf::new(), ".".into(), folder.path().to_owned()].into_iter();
        assert_eq!(find("x", absolute()), None, "it is not executable");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("x", absolute()), Some(program));
        assert_eq!(find("y", absolute()), None);
    }
}
