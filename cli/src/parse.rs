//! Parses arguments into a command, or reports the error in them. The end of a command's help.

use std::{
    ffi::OsString,
    sync::atomic::{AtomicBool, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use clap::{
    ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser,
    builder::Resettable,
    error::{ContextKind, ContextValue, ErrorKind},
};
use pqseal_text::duration;

use crate::{
    date,
    error::{EXIT_CODES, Error, Exit},
    output::to_stdout,
};

/// Parses `arguments`. Help, the version and errors are printed here, errors as JSON if `json`.
/// `version` returns the output of `--version`, and is called only for that.
///
/// # Errors
/// The exit code of the process.
pub fn parse<P: Parser>(
    arguments: &[OsString],
    json: bool,
    version: fn() -> &'static str,
) -> Result<P, Exit> {
    let mut command = P::command();
    if arguments.iter().any(|argument| argument == "--version") {
        command = command.long_version(version());
    }
    let parsed = command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| P::from_arg_matches(&matches));
    parsed.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match to_stdout(error.to_string().as_bytes()) {
                Ok(()) => Exit::Done,
                Err(error) => {
                    error.report(json);
                    error.exit
                }
            }
        }
        _ => {
            refuse(&error.format(&mut command), arguments, json);
            Exit::Usage
        }
    })
}

/// Reports an error of clap, which repeats what it does not understand. A private key must not
/// be repeated.
fn refuse(error: &clap::Error, arguments: &[OsString], json: bool) {
    let text = error.to_string();
    let mut texts = arguments.iter().filter_map(|argument| argument.to_str());
    if texts.any(|argument| pqseal_keys::looks_secret(argument) && text.contains(argument)) {
        key_as_argument().report(json);
    } else if let Some((feature, what)) = left_out(error, arguments) {
        Error::usage(format!(
            "this build has no `pqseal {what}`; {}",
            build_with(feature)
        ))
        .report(json);
    } else if json {
        let sentence: Vec<_> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.is_empty())
            .collect();
        Error::usage(sentence.join(" ").trim_start_matches("error: ")).report(true);
    } else {
        let _ = error.print();
    }
}

/// The commands that have a feature of the same name: feature, full command, and whether this
/// build has it.
const OPTIONAL: [(&str, &str, bool); 4] = [
    ("cose", "cose", cfg!(feature = "cose")),
    ("file", "file", cfg!(feature = "file")),
    ("serve", "logs serve", cfg!(feature = "serve")),
    ("tls", "tls", cfg!(feature = "tls")),
];

/// The options of `pqseal logs` that have the feature `kafka`.
const OF_KAFKA: [(&str, &str); 3] = [
    ("--group", "logs --group"),
    ("--kafka-config", "logs --kafka-config"),
    ("--until-end", "logs --until-end"),
];

/// Returns the feature, and the command or option that was asked for, if it exists and is not in
/// this build.
fn left_out(error: &clap::Error, arguments: &[OsString]) -> Option<(&'static str, &'static str)> {
    if let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidSubcommand) {
        let mut left_out = OPTIONAL.iter().filter(|(.., is_here)| !is_here);
        let found = left_out.find(|(name, ..)| name == asked);
        return found.map(|(name, command, _)| (*name, *command));
    }
    let Some(ContextValue::String(asked)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_of_logs = arguments.iter().any(|argument| argument == "logs");
    let has_kafka = cfg!(feature = "kafka");
    let mut options = OF_KAFKA.iter().filter(|_| is_of_logs && !has_kafka);
    let found = options.find(|(name, _)| name == asked);
    found.map(|(_, what)| ("kafka", *what))
}

/// Returns the advice for a build without a feature.
pub fn build_with(feature: &str) -> String {
    format!("build it with `cargo install pqseal --features {feature}`")
}

/// Returns the whole command line, for lists of it. No subcommand is [`Deferred`] from now on.
pub fn whole<P: CommandFactory>() -> Command {
    AT_ONCE.store(true, Ordering::Relaxed);
    P::command()
}

static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Arguments of a subcommand that are defined once it is chosen, since each run pays for the
/// arguments that it defines. The help of the subcommand is documented next to its name, where
/// the list of commands finds it.
pub struct Deferred<T>(pub T);

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        match AT_ONCE.load(Ordering::Relaxed) {
            true => with_its_own_words(command, T::augment_args),
            false => command.defer(|command| with_its_own_words(command, T::augment_args)),
        }
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|command| with_its_own_words(command, T::augment_args_for_update))
    }
}

/// Keeps the help of the subcommand: the comment on the type of its arguments is not for users.
fn with_its_own_words(command: Command, augment: fn(Command) -> Command) -> Command {
    let (about, long_about) = (
        command.get_about().cloned(),
        command.get_long_about().cloned(),
    );
    augment(command)
        .about(Resettable::from(about))
        .long_about(Resettable::from(long_about))
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// A description of an example, and its command line.
pub type Example = (&'static str, &'static str);

/// Returns the end of a command's help and manual page: three examples and the exit codes.
pub fn help(examples: &[Example; 3]) -> String {
    let mut help = "Examples:\n".to_owned();
    for (what, line) in examples {
        help += &format!("  # {what}\n  {line}\n");
    }
    help + "\n" + EXIT_CODES
}

/// Parses a point in time: a date or a time of RFC 3339 in UTC, or how long ago it was.
///
/// # Errors
/// A description of the format.
pub fn time(text: &str) -> Result<SystemTime, String> {
    let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    let time = match duration(text) {
        Ok(duration) if has_unit => SystemTime::now().checked_sub(duration),
        _ => date::parsed(text).map(|since| UNIX_EPOCH + since),
    };
    time.ok_or_else(|| BAD_TIME.to_owned())
}

const BAD_TIME: &str =
    "a point in time must be like 2026-11-23, 2026-11-23T08:00:00Z (UTC), or 24h for that long ago";

/// Makes the error for a key in place of a key file's name.
pub fn key_as_argument() -> Error {
    Error::usage(
        "an argument looks like a key and not like the name of a file; other users can see private keys on a command line, so put \
         the key in a file and name that file",
    )
}
