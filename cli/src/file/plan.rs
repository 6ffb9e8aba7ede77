//! Pairs inputs with outputs: files, and folders with everything in them.

use std::{
    fs, io,
    path::{Path, PathBuf, is_separator},
};

use crate::{error::Error, escape, input::Source, output::Target, places::without_links};

/// The suffixes of encrypted files.
const SUFFIXES: [&str; 2] = ["age", "pqseal"];

/// The way an output is named after its input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// The suffix is added.
    Encrypted(&'static str),
    /// The suffix of an encrypted file is removed.
    Decrypted,
}

/// An input and its output.
pub(super) struct Job {
    pub(super) input: Source,
    pub(super) output: Target,
}

/// Returns the jobs of `inputs`, and the errors of those that cannot be listed.
pub(super) fn jobs(
    inputs: &[PathBuf],
    output: Option<&Target>,
    naming: Naming,
) -> Result<(Vec<Job>, Vec<Error>), Error> {
    let folder = match output {
        Some(Target::File(path)) => {
            let last = path.as_os_str().as_encoded_bytes().last();
            let names_folder = last.is_some_and(|last| is_separator(char::from(*last)));
            Some(path).filter(|path| names_folder || path.is_dir())
        }
        _ => None,
    };
    let (input, rest) = match inputs {
        [] => (PathBuf::from("-"), &[][..]),
        [first, rest @ ..] => (first.clone(), rest),
    };
    let one = rest.is_empty() && !input.is_dir();
    match (one, folder, output) {
        (true, None, _) => {
            let job = Job {
                input: Source::from(input.into_os_string()),
                output: output.cloned().unwrap_or(Target::Stdout),
            };
            Ok((vec![job], Vec::new()))
        }
        (_, Some(folder), _) => several(&[&[input], rest].concat(), folder, naming),
        (false, None, Some(Target::File(folder))) if !folder.exists() => {
            several(&[&[input], rest].concat(), folder, naming)
        }
        (false, ..) => Err(Error::usage(
            "several files or a folder need -o FOLDER to write to; add it",
        )),
    }
}

fn several(
    inputs: &[PathBuf],
    folder: &Path,
    naming: Naming,
) -> Result<(Vec<Job>, Vec<Error>), Error> {
    let (mut jobs, mut errors) = (Vec::new(), Vec::new());
    for input in inputs {
        if input.as_os_str() == "-" {
            return Err(Error::usage(
                "standard input has no name for a file in a folder; encrypt it in a separate run, with -o FILE",
            ));
        }
        let name = input.file_name().map_or_else(PathBuf::new, PathBuf::from);
        match input.is_dir() {
            true => {
                let to = folder.join(name);
                check_outside(input, &to)?;
                list(input, &to, naming, &mut jobs, &mut errors);
            }
            false => jobs.push(job(input.clone(), &folder.join(name), naming)),
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    for job in &jobs {
        if let Target::File(path) = &job.output
            && !seen.insert(path.clone())
        {
            return Err(Error::usage(format!(
                "two inputs would both be written to {}; run them separately, each into its own folder",
                escape::path(path)
            )));
        }
    }
    Ok((jobs, errors))
}

/// Refuses outputs within an input folder, because they would be inputs of the next run.
fn check_outside(input: &Path, to: &Path) -> Result<(), Error> {
    match (fs::canonicalize(input), without_links(to)) {
        (Ok(folder), Ok(to)) if to.starts_with(&folder) => Err(Error::usage(format!(
            "all files in {} are inputs, and the outputs would be written there too; name a folder outside it with -o",
            escape::path(input)
        ))),
        _ => Ok(()),
    }
}

fn list(from: &Path, to: &Path, naming: Naming, jobs: &mut Vec<Job>, errors: &mut Vec<Error>) {
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) => return errors.push(unlisted(from, &error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => errors.push(unlisted(from, &error)),
        }
    }
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default();
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => list(&path, &to.join(name), naming, jobs, errors),
            Ok(found) if found.is_file() => jobs.push(job(path.clone(), &to.join(name), naming)),
            Ok(_) => errors.push(Error::incomplete("not_a_file", format!(
                    "{} is a link or a device, and was skipped; name it on the command line to include it",
                    escape::path(&path)
                ))),
            Err(error) => {
                let doing = format!("read {}", escape::path(&path));
                errors.push(Error::io(doing, &error).of_one());
            }
        }
    }
}

fn unlisted(folder: &Path, error: &io::Error) -> Error {
    let doing = format!("read the folder {}", escape::path(folder));
    Error::io(doing, error).of_one()
}

fn job(input: PathBuf, output: &Path, naming: Naming) -> Job {
    let mut output = output.to_owned();
    match naming {
        Naming::Encrypted(suffix) => {
            let mut name = output.into_os_string();
            name.push(".");
            name.push(suffix);
            output = name.into();
        }
        Naming::Decrypted => {
            let found = output.extension();
            if SUFFIXES
                .iter()
                .any(|suffix| found.is_some_and(|found| found == *suffix))
            {
                output.set_extension("");
            }
        }
    }
    Job {
        input: Source::File(input),
        output: Target::File(output),
    }
}
