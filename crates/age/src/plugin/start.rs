//! Starting of a plugin: `age-plugin-NAME` from an absolute folder of `PATH`, in the folder for
//! temporary files.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{PluginFailure, wire::Wire};

/// The time that a plugin may take to exit after it is done.
const GRACE: Duration = Duration::from_secs(2);

/// A running plugin. On drop its pipes are closed and it is ended.
pub(super) struct Running {
    child: Child,
    /// The pipes, until the drop.
    pub(super) wire: Option<Wire<ChildStdout, ChildStdin>>,
}

/// Reports whether a name may be part of a file name, since a path could name any program.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || b"+-._".contains(&c))
}

pub(super) fn start(name: &str, state_machine: &str) -> Result<Running, PluginFailure> {
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
    let wire = pipes.map(|(output, input)| Wire::new(output, input));
    Ok(Running { child, wire })
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

impl Running {
    fn ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.wire = None;
        let start = Instant::now();
        while start.elapsed() < GRACE {
            match self.ended() {
                Ok(true) => return,
                Ok(false) => thread::sleep(Duration::from_millis(5)),
                Err(_) => break,
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
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
