//! The keys of `-k`: files, and folders of files.

use std::{
    fs,
    io::{self, Read},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use clap::Args;
use pqseal_hpke::{AnyPrivateKey, AnyPublicKey};
use pqseal_keys::{
    KEY_UNAVAILABLE, LabelledKey,
    calendar::{self, Calendar},
    decap_command::DecapCommand,
};
use pqseal_matched_data::KeyRing;
use pqseal_sealed::OtherKey;
use pqseal_text::duration;
use zeroize::Zeroizing;

use crate::{
    error::{Error, warn},
    escape,
    input::Source,
    keyfile::{self, FileKeys, Privates},
    passphrase::Passphrase,
};

/// A key ring, and the file of each of its keys, in order.
#[derive(Debug, Default)]
pub struct LoadedKeys {
    /// The keys.
    pub ring: KeyRing,
    /// The keys for other sealed values.
    pub others: Vec<OtherKey>,
    /// The files of the keys: those in the ring, and then the others.
    pub files: Vec<Source>,
    /// The commands that hold keys elsewhere.
    pub helpers: Helpers,
}

/// Commands that provide private keys, or use them.
#[derive(Args)]
pub struct KeyCommands {
    /// A shell command that writes private keys to its standard output, such as a vault's client
    #[arg(long, value_name = "COMMAND")]
    key_command: Vec<String>,
    /// A shell command that decapsulates with a private key that it does not give out, such as one
    /// in hardware; it is started once. `pqseal key serve` is such a command, and
    /// docs/hardware-keys.md describes how to write one
    #[arg(long, value_name = "COMMAND")]
    decap_command: Vec<String>,
    /// How long a --decap-command may take to start or to answer
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    decap_timeout: Duration,
}

/// Running commands that hold keys, with their command lines.
#[derive(Debug, Default)]
pub struct Helpers(Vec<(String, DecapCommand)>);

impl LoadedKeys {
    /// Reads the keys of all `sources`, in order, and then those of `commands`. The shell runs
    /// each command.
    ///
    /// # Errors
    /// If one is not a private key, or is a folder without any; if a command fails.
    pub fn load(
        sources: &[Source],
        commands: &KeyCommands,
        passphrase: &Passphrase,
    ) -> Result<Self, Error> {
        let mut keys = Self::default();
        for source in sources {
            let added = match source.path() {
                Some(path) if path.is_dir() => keys.add_folder(path, passphrase),
                _ => keyfile::privates(source, passphrase)
                    .and_then(|found| keys.add_all(source, found)),
            };
            added.map_err(Error::stops)?;
        }
        for command in &commands.key_command {
            keys.add_output(command, passphrase).map_err(Error::stops)?;
        }
        for command in &commands.decap_command {
            keys.add_helper(command, commands.decap_timeout)
                .map_err(Error::stops)?;
        }
        Ok(keys)
    }

    fn add_helper(&mut self, command: &str, timeout: Duration) -> Result<(), Error> {
        let helper = DecapCommand::start(shell(command), timeout).map_err(|failure| {
            Error::stopped(
                KEY_UNAVAILABLE,
                format!(
                    "cannot use `{}`: {failure}",
                    escape::bytes(command.as_bytes())
                ),
            )
        })?;
        let key = LabelledKey {
            key: helper.private_key(),
            label: None,
        };
        self.helpers.0.push((command.to_owned(), helper));
        self.add(
            Source::File(format!("the key behind `{command}`").into()),
            &key,
        )
    }

    fn add_output(&mut self, command: &str, passphrase: &Passphrase) -> Result<(), Error> {
        let name = Source::File(format!("the output of `{command}`").into());
        let (output, status) =
            run(command).map_err(|error| Error::io(format_args!("run `{command}`"), &error))?;
        // A command that writes without end fails because this program stops reading.
        if !status.success() && output.len() <= keyfile::LIMIT {
            let message = format!("{name} is not a key: the command ended with {status}");
            return Err(Error::incomplete("bad_key", message));
        }
        let keys = keyfile::privates_in(&name, output, passphrase)?;
        keys.warn(&name);
        self.add_all(&name, keys)
    }

    fn add_all(&mut self, file: &Source, found: Privates) -> Result<(), Error> {
        match found {
            Privates::Keys(FileKeys { keys, others, .. }) => {
                keys.iter()
                    .try_for_each(|key| self.add(file.clone(), key))?;
                self.add_others(file, others);
                Ok(())
            }
            Privates::Calendar(calendar) => self.add_calendar(file, calendar),
        }
    }

    fn add_others(&mut self, file: &Source, keys: Vec<OtherKey>) {
        self.files.extend(keys.iter().map(|_| file.clone()));
        self.others.extend(keys);
    }

    /// Returns the keys, ready for sealed values of every kind but matched data.
    ///
    /// # Errors
    /// If an RSA key is inconsistent, or cannot be used by this build.
    pub fn for_others(&self) -> Result<pqseal_sealed::Keys, Error> {
        let mut keys = pqseal_sealed::Keys::new(&self.ring)
            .map_err(|error| Error::blob(&pqseal_matched_data::Error::Hpke(error)))?;
        let files = &self.files[self.files.len() - self.others.len()..];
        for (file, key) in files.iter().zip(&self.others) {
            keys.add(key)
                .map_err(|error| Error::key(file, &error).stops())?;
        }
        Ok(keys)
    }

    fn add_calendar(&mut self, file: &Source, calendar: Calendar) -> Result<(), Error> {
        crate::calendar::warn_of_state(file, &calendar);
        let places = self.ring.add_calendar(Arc::new(calendar));
        let places = places.map_err(|error| match error {
            pqseal_matched_data::Error::Calendar(error) => Error::calendar(file, &error),
            error => Error::blob(&error),
        })?;
        // The files of other keys come last.
        let end = self.files.len() - self.others.len();
        self.files.splice(end..end, places.map(|_| file.clone()));
        Ok(())
    }

    fn add(&mut self, file: Source, LabelledKey { key, label }: &LabelledKey) -> Result<(), Error> {
        self.ring
            .add_labelled(key, label.as_deref())
            .map_err(|error| {
                let mut error = Error::blob(&error);
                error.message = format!(
                    "cannot use the {} key in {file}: {}",
                    key.kem().short_name,
                    error.message
                );
                error
            })?;
        // The files of other keys come last.
        self.files
            .insert(self.files.len() - self.others.len(), file);
        Ok(())
    }

    fn add_folder(&mut self, folder: &Path, passphrase: &Passphrase) -> Result<(), Error> {
        let (found, others, calendars) = read_folder(folder, passphrase)?;
        let publics: Vec<_> = found
            .iter()
            .filter_map(|(_, found)| pqseal_keys::public_key(&found.key).ok())
            .collect();
        let before = self.files.len();
        let is_empty = calendars.is_empty();
        for (file, calendar) in calendars {
            self.add_calendar(&file, calendar)?;
        }
        for (file, key) in found {
            if is_public_half(&file, &key.key, &publics) {
                warn(
                    "public_half",
                    format_args!(
                        "{file} holds the public half of a key in the same folder, and is skipped"
                    ),
                );
            } else {
                self.add(file, &key)?;
            }
        }
        for (file, mut keys) in others {
            // A folder may hold keys for other programs. Errors of files that are named end the run.
            keys.retain(|key| {
                let added = pqseal_sealed::Keys::default().add(key);
                if let Err(error) = &added {
                    let error = Error::key(&file, error);
                    let message = format_args!("{}; the key is skipped", error.message);
                    warn(error.code, message);
                }
                added.is_ok()
            });
            self.add_others(&file, keys);
        }
        if self.files.len() > before || !is_empty {
            Ok(())
        } else {
            let folder = escape::path(folder);
            Err(Error::incomplete(
                "bad_key",
                format!(
                    "the folder {folder} holds no private key; folders within it are not searched"
                ),
            ))
        }
    }
}

impl Helpers {
    /// Adds the reasons to an error if a key that is held elsewhere did not answer.
    #[must_use]
    pub fn explain(&self, mut error: Error) -> Error {
        if error.code == KEY_UNAVAILABLE {
            for failure in self.failures() {
                error.message += &format!("; {failure}");
            }
        }
        error
    }

    /// Lists the helpers that were given up, each with the reason.
    pub fn failures(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|(command, helper)| {
            let failure = helper.failure()?;
            Some(format!(
                "`{}`: {failure}",
                escape::bytes(command.as_bytes())
            ))
        })
    }
}

/// Makes a command line for the shell, which is `sh`, and `cmd` on Windows.
#[cfg(not(windows))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// Makes a command line for `cmd`. `/D` skips commands of the registry. `/S` removes the outer
/// quotes, and no others.
#[cfg(windows)]
fn shell(command: &str) -> Command {
    use std::os::windows::process::CommandExt;
    let mut shell = Command::new("cmd");
    shell
        .args(["/D", "/S", "/C"])
        .raw_arg(format!("\"{command}\""));
    shell
}

/// Runs a shell command. Returns its output, up to one byte more than the largest key file, and
/// its exit status. The buffer does not grow, since that would leave keys in its old memory.
fn run(command: &str) -> io::Result<(Zeroizing<Vec<u8>>, ExitStatus)> {
    let mut child = shell(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = Zeroizing::new(Vec::with_capacity(keyfile::LIMIT + 64));
    if let Some(mut stdout) = child.stdout.take() {
        let limit = keyfile::LIMIT as u64 + 1;
        stdout.by_ref().take(limit).read_to_end(&mut output)?;
        if keyfile::may_be_large(&output) {
            let mut all = Zeroizing::new(Vec::with_capacity(calendar::MAX_LEN + 64));
            all.extend_from_slice(&output);
            let rest = calendar::MAX_LEN - output.len() + 1;
            stdout.take(rest as u64).read_to_end(&mut all)?;
            output = all;
        }
    }
    Ok((output, child.wait()?))
}

/// The keys and calendars in a folder, each with its file.
type Folder = (
    Vec<(Source, LabelledKey)>,
    Vec<(Source, Vec<OtherKey>)>,
    Vec<(Source, Calendar)>,
);

/// Reads the private keys in a folder, sorted by the names of their files. Other files are
/// skipped.
fn read_folder(folder: &Path, passphrase: &Passphrase) -> Result<Folder, Error> {
    let files = list(folder)
        .map_err(|error| Error::io(format_args!("list {}", escape::path(folder)), &error))?;
    let (mut found, mut others, mut calendars) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let extension = file.path().and_then(Path::extension);
        if extension.is_some_and(|extension| extension == "shredding") {
            warn(
                "shredding",
                format_args!(
                    "{file} was left by an interrupted `shred` or `extend`; the file is skipped, and `pqseal calendar shred` overwrites it"
                ),
            );
            continue;
        }
        match keyfile::privates(&file, passphrase) {
            Ok(Privates::Calendar(calendar)) if !calendar.is_private() => warn(
                "calendar_skipped",
                format_args!("{file} is a public calendar; the file is skipped"),
            ),
            Ok(Privates::Calendar(calendar)) => calendars.push((file, calendar)),
            Ok(Privates::Keys(keys)) => {
                found.extend(keys.keys.into_iter().map(|key| (file.clone(), key)));
                others.push((file, keys.others));
            }
            // A file under a passphrase is a key, and not there by chance.
            Err(error) if error.code == "wrong_passphrase" => return Err(error),
            Err(error) => warn(
                error.code,
                format_args!("{}; the file is skipped", error.message),
            ),
        }
    }
    Ok((found, others, calendars))
}

/// Lists the files of a folder. Skips folders within it, the temporary files of killed runs, and
/// devices and pipes, which may never end.
fn list(folder: &Path) -> io::Result<Vec<Source>> {
    let mut files = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.is_file() && !pqseal_atomic_file::is_temporary(path));
    files.sort();
    Ok(files.into_iter().map(Source::File).collect())
}

/// Reports whether a raw file, which does not name its half, is the public half of one of the
/// keys.
fn is_public_half(file: &Source, key: &AnyPrivateKey, publics: &[AnyPublicKey]) -> bool {
    let as_public = keyfile::read_bytes(file)
        .ok()
        .and_then(|bytes| pqseal_keys::read_public(&bytes, None).ok());
    as_public.is_some_and(|public| {
        publics.contains(&public) && pqseal_keys::public_key(key).is_ok_and(|own| own != public)
    })
}
