//! Checks that no two outputs, and no output and input, are in one place.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::{error::Error, escape, input::Source, output::Target};

/// The outputs of a command, and their names in errors.
#[derive(Default)]
pub struct NamedOutputs {
    outputs: Vec<(&'static str, Vec<Identity>)>,
}

/// The identity of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Identity {
    Stdout,
    /// A file or a pipe, by its device and inode numbers.
    #[cfg(unix)]
    Node(u64, u64),
    /// A path without links, which need not exist.
    Path(PathBuf),
}

impl NamedOutputs {
    /// Adds an output; `name` is that of its option.
    ///
    /// # Errors
    /// If another output has the same place.
    pub fn add(&mut self, name: &'static str, target: &Target) -> Result<(), Error> {
        let places = match target {
            Target::Stdout => [of_stdout(), vec![Identity::Stdout]].concat(),
            Target::File(path) => match fs::metadata(path) {
                Ok(found) => of_file(path, &found),
                Err(_) => (without_links(path).map(Identity::Path).into_iter()).collect(),
            },
        };
        let meets =
            |(_, others): &&(_, Vec<Identity>)| others.iter().any(|other| places.contains(other));
        if let Some((other, _)) = self.outputs.iter().find(meets) {
            let place = match target {
                Target::Stdout => "standard output".to_owned(),
                Target::File(path) => escape::path(path),
            };
            return Err(Error::usage(format!(
                "{other} and {name} would both write to {place}; give one of them another file"
            )));
        }
        self.outputs.push((name, places));
        Ok(())
    }

    /// Checks that none of these `files` in `folder`, which are written too, is one of the outputs.
    ///
    /// # Errors
    /// If one is.
    pub fn check_outputs<'f>(
        &self,
        folder: &Path,
        files: impl Iterator<Item = &'f Path>,
    ) -> Result<(), Error> {
        let Ok(folder) = fs::canonicalize(folder) else {
            return Ok(());
        };
        let is_in =
            |place: &&Identity| matches!(place, Identity::Path(path) if path.starts_with(&folder));
        let in_folder: Vec<_> = self
            .outputs
            .iter()
            .filter_map(|(name, places)| Some((name, places.iter().find(is_in)?)))
            .collect();
        if in_folder.is_empty() {
            return Ok(());
        }
        for file in files {
            let place = without_links(file).map(Identity::Path);
            let Ok(place) = place else { continue };
            if let Some((name, _)) = in_folder.iter().find(|(_, other)| **other == place) {
                return Err(Error::usage(format!(
                    "-o and {name} would both write to {}; give one of them another place",
                    escape::path(file)
                )));
            }
        }
        Ok(())
    }

    /// Checks that no output is this input, or would be an input of the next run.
    ///
    /// # Errors
    /// If one is.
    pub fn check_input(&self, input: &Source) -> Result<(), Error> {
        let Some(path) = input.path() else {
            return self.check(&of_stdin(), input);
        };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => self.check_folder(path),
            Ok(found) => self.check(&of_file(path, &found), input),
            // It cannot be read either.
            Err(_) => Ok(()),
        }
    }

    fn check(&self, input: &[Identity], name: &Source) -> Result<(), Error> {
        let mut outputs = self.outputs.iter();
        let overwrites = outputs.find(|(_, places)| {
            let mut places = places.iter();
            places.any(|place| *place != Identity::Stdout && input.contains(place))
        });
        match overwrites {
            Some((option, _)) => Err(Error::usage(format!(
                "{name} is read, and {option} would overwrite it; name another file"
            ))),
            None => Ok(()),
        }
    }

    /// Checks that no output is in a folder of inputs. Hidden files are not read there.
    fn check_folder(&self, folder: &Path) -> Result<(), Error> {
        let Ok(folder) = fs::canonicalize(folder) else {
            return Ok(());
        };
        let mut outputs = self.outputs.iter();
        let inside = outputs.find(|(_, places)| {
            places.iter().any(|place| match place {
                Identity::Path(path) => {
                    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
                    path.starts_with(&folder) && !name.starts_with(b".")
                }
                _ => false,
            })
        });
        match inside {
            Some((option, _)) => Err(Error::usage(format!(
                "all files in {} are inputs, and {option} would write there; name another place",
                escape::path(&folder)
            ))),
            None => Ok(()),
        }
    }
}

/// Returns the places of a file. A character device accepts any writer and has no place.
fn of_file(path: &Path, found: &Metadata) -> Vec<Identity> {
    if !(found.is_file() || found.is_dir()) {
        return of_node(found);
    }
    let path = without_links(path).map(Identity::Path);
    path.into_iter().chain(of_node(found)).collect()
}

#[cfg(unix)]
fn of_node(found: &Metadata) -> Vec<Identity> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    match found.file_type().is_char_device() {
        true => Vec::new(),
        false => vec![Identity::Node(found.dev(), found.ino())],
    }
}

#[cfg(not(unix))]
fn of_node(_found: &Metadata) -> Vec<Identity> {
    Vec::new()
}

#[cfg(unix)]
fn of_stdout() -> Vec<Identity> {
    use std::os::fd::AsFd;
    of_open(io::stdout().as_fd())
}

#[cfg(unix)]
fn of_stdin() -> Vec<Identity> {
    use std::os::fd::AsFd;
    of_open(io::stdin().as_fd())
}

#[cfg(unix)]
fn of_open(fd: std::os::fd::BorrowedFd<'_>) -> Vec<Identity> {
    let found = fd
        .try_clone_to_owned()
        .and_then(|fd| fs::File::from(fd).metadata());
    // Both ends of a pipe have one number, and sockets may be both at once.
    match found {
        Ok(found) if found.is_file() => of_node(&found),
        _ => Vec::new(),
    }
}

#[cfg(not(unix))]
fn of_stdout() -> Vec<Identity> {
    Vec::new()
}

#[cfg(not(unix))]
fn of_stdin() -> Vec<Identity> {
    Vec::new()
}

/// Resolves the links of `path`. A part that does not exist yet has none.
///
/// # Errors
/// If a folder on the way cannot be read.
pub fn without_links(path: &Path) -> io::Result<PathBuf> {
    match (fs::canonicalize(path), path.parent(), path.file_name()) {
        (Err(error), Some(folder), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            let is_here = folder.as_os_str().is_empty();
            let folder = if is_here { Path::new(".") } else { folder };
            Ok(without_links(folder)?.join(name))
        }
        (found, ..) => found,
    }
}
