//! The command line of `pqseal logs serve`: it reads the keys and rules of [`pqseal_receiver`].

use std::path::{Path, PathBuf};

use clap::{Args, Command, FromArgMatches};
use pqseal_pipeline::{Framing, Limits, Opener, Pipeline, RecordOpenOptions};
use pqseal_receiver::{Config, LogReceiver, Opening};
use pqseal_records::Rules;
use pqseal_server::health::HealthUrl;
use toml::{Table, Value};

use super::open::OpenArgs;
use crate::{
    error::{Error, Exit, warn_in_json},
    escape,
    input::Source,
    keyring::{Helpers, LoadedKeys},
    parse::key_as_argument,
};

/// Receive logs by HTTP, and open their sealed fields
///
/// Takes NDJSON at /logs, as Logpush sends it, and the events of a Splunk HTTP Event Collector at
/// /services/collector. Each request is answered with 200 once its opened events are on the disk,
/// or the next destination has accepted them. An event that was acknowledged is never lost; one
/// that was not may arrive twice, since its client sends it again. SIGHUP reads keys, secrets and
/// certificates again; SIGTERM ends it once the requests in work are answered. Standard error has
/// one line of JSON for each request, without anything of its events.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Receive logs", "pqseal logs serve -c /etc/pqseal/pqseal.toml"),
    ("Report what is wrong with a configuration", "pqseal logs serve -c pqseal.toml --check"),
    ("Read keys again that were replaced", "systemctl reload pqseal"),
]))]
pub(super) struct Serve {
    /// The configuration, in TOML; docs/siem/serve/pqseal.toml describes it
    #[arg(short, long, value_name = "FILE", required = true)]
    config: Option<PathBuf>,
    /// Read the configuration and all files that it names, report what is wrong, and end
    #[arg(long)]
    check: bool,
    /// Ask a running server for its health or readiness, such as http://127.0.0.1:9090/readyz, and
    /// end: with 0 if it answers 200, otherwise with 1
    #[arg(long, value_name = "URL", exclusive = true)]
    health: Option<HealthUrl>,
}

impl Serve {
    /// Serves until a signal ends it.
    ///
    /// # Errors
    /// See [`Error`].
    pub(super) fn run(self) -> Result<Exit, Error> {
        if let Some(url) = self.health {
            url.check()?;
            return Ok(Exit::Done);
        }
        let config = Config::read(&self.config.unwrap_or_default())?;
        let table = config.open().clone();
        let opening = opening(&table)?;
        let read_again = Box::new(move || Ok(self::opening(&table)?));
        let receiver = LogReceiver::new(config, opening, read_again)?;
        if self.check {
            return Ok(Exit::Done);
        }
        // All later lines on standard error are JSON.
        warn_in_json();
        Ok(receiver.run()?.into())
    }
}

/// Reads the keys and rules that the table `[open]` names, as they are now.
fn opening(table: &Table) -> Result<Opening, Error> {
    let options = Options::read(table)?;
    let (pipeline, keys) = options.pipeline()?;
    let files = keys.files.iter().filter_map(Source::path);
    Ok(Opening {
        pipeline,
        files: files.map(Path::to_owned).collect(),
        helpers: Box::new(keys.helpers),
    })
}

impl pqseal_receiver::Helpers for Helpers {
    fn failures(&self) -> Vec<String> {
        Helpers::failures(self).collect()
    }
}

/// The number of bytes of a request that are opened at a time: enough for all cores, and little
/// enough for many requests.
const BATCH: usize = 256 * 1024;

/// The table `[open]`: options of `pqseal logs open` by their long names. The same parser reads
/// both, so fields, results and keys are described and checked in one place.
#[derive(Args)]
struct Options {
    #[command(flatten)]
    opening: OpenArgs,
    #[arg(long, default_value_t = Limits::default().record)]
    max_line: usize,
    #[arg(long, default_value_t = Rules::default().max_fields)]
    max_fields: usize,
    #[arg(long, default_value_t = 0)]
    jobs: usize,
}

impl Options {
    /// Parses the options of a table.
    ///
    /// # Errors
    /// If a member is not an option of `logs open`, or its value is not valid for that option.
    fn read(table: &Table) -> Result<Self, Error> {
        let mut arguments = Vec::new();
        for (name, value) in table {
            add(name, value, &mut arguments)?;
        }
        let command = Command::new("open")
            .no_binary_name(true)
            .disable_help_flag(true)
            .disable_version_flag(true);
        let options = Self::augment_args(command)
            .try_get_matches_from(&arguments)
            .and_then(|matches| Self::from_arg_matches(&matches))
            .map_err(|error| wrong(&error, &arguments))?;
        let mut sources = options.opening.sources();
        let reads_stdin = sources.any(|source| *source == Source::Stdin);
        drop(sources);
        match reads_stdin {
            true => Err(Error::usage(
                "[open]: keys are read again on SIGHUP, so they cannot come from standard input; name a file",
            )),
            false => Ok(options),
        }
    }

    /// Makes the pipeline of these options, with the keys as they are now, and returns it with the
    /// keys.
    ///
    /// # Errors
    /// If keys cannot be used, or threads cannot be started.
    fn pipeline(&self) -> Result<(Pipeline<Opener>, LoadedKeys), Error> {
        let mut keys = self.opening.keys()?;
        let options = RecordOpenOptions {
            max_fields: self.max_fields,
            framing: Framing::Lines,
            limits: Limits {
                record: self.max_line,
                batch_bytes: BATCH,
                ..Limits::default()
            },
            threads: self.jobs,
            ..self.opening.options()?
        };
        // Options that do not fit are reported before keys that cannot be used.
        options.rules()?;
        let others = keys.for_others()?;
        let pipeline = options.pipeline(std::mem::take(&mut keys.ring), others)?;
        Ok((pipeline, keys))
    }
}

/// Appends the arguments of a member. A list repeats its option, and `true` is an option without a
/// value.
fn add(name: &str, value: &Value, arguments: &mut Vec<String>) -> Result<(), Error> {
    match value {
        Value::Boolean(false) => {}
        Value::Boolean(true) => arguments.push(format!("--{name}")),
        Value::String(text) => arguments.push(format!("--{name}={text}")),
        Value::Integer(number) => arguments.push(format!("--{name}={number}")),
        Value::Array(items) if !items.iter().any(Value::is_array) => items
            .iter()
            .try_for_each(|item| add(name, item, arguments))?,
        _ => {
            return Err(Error::usage(format!(
                "[open] {}: a value must be text, a number, true, or a list of texts",
                escape::bytes(name.as_bytes())
            )));
        }
    }
    Ok(())
}

/// Returns clap's first sentence, unless it repeats a value that looks like a key.
fn wrong(error: &clap::Error, arguments: &[String]) -> Error {
    let text = error.to_string();
    let values = arguments
        .iter()
        .filter_map(|argument| argument.split_once('='));
    for (_, value) in values {
        if pqseal_keys::looks_secret(value) && text.contains(value) {
            return key_as_argument();
        }
    }
    let sentence: Vec<_> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let sentence = sentence.join(" ");
    let sentence = sentence.trim_start_matches("error: ");
    Error::usage(format!(
        "[open] must have options of `pqseal logs open`, with their long names: {}",
        escape::bytes(sentence.as_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Options, String> {
        let table = toml::from_str(text).unwrap();
        Options::read(&table).map_err(|error| error.message)
    }

    fn message(text: &str) -> String {
        read(text).err().unwrap_or_else(|| "good".to_owned())
    }

    #[test]
    fn members_are_the_long_options_of_logs_open() {
        let options = read(
            "key = [\"a\", \"b\"]\nfield = [\".x\"]\ninto = \"y\"\nreplace = true\nkeep = false\nas = \"json\"\nmax-line = 4096\nmax-fields = 9",
        )
        .ok()
        .unwrap();
        assert_eq!(
            (options.opening.sources().count(), options.max_line),
            (2, 4096)
        );
        assert_eq!(options.max_fields, 9);
        let rules = options.opening.options().ok().unwrap().rules().unwrap();
        assert_eq!(rules.rules[0].into, "y");
        assert_eq!(
            (rules.mode, rules.form),
            (
                pqseal_records::OnField::Replace,
                pqseal_records::ResultFormat::Json
            )
        );
    }

    #[test]
    fn what_logs_open_refuses_is_refused() {
        for (text, part) in [
            ("", "--key"),
            ("key = \"a\"\nkies = \"b\"", "--kies"),
            ("key = \"a\"\npreset = \"none\"", "cf-logpush"),
            ("key = \"a\"\njobs = 1.5", "[open] jobs"),
            ("key = \"a\"\nfield = [[\".a\"], \".b\"]", "[open] field"),
            ("key = \"-\"", "standard input"),
        ] {
            assert!(message(text).contains(part), "{text}: {}", message(text));
        }
        let options = read("key = \"a\"\npreset = \"auto\"\nfield = \".x\"");
        let error = options.ok().unwrap().opening.options().err().unwrap();
        assert!(error.message.contains("cannot be used with"));
    }

    #[test]
    fn a_key_in_the_file_is_not_repeated() {
        let key = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";
        let said = message(&format!("key = \"a\"\njobs = \"{key}\""));
        assert!(
            !said.contains(key) && said.contains("looks like a key"),
            "{said}"
        );
    }
}
