//! The table `[open]`: options of `pqseal logs open` by their long names. The same parser reads
//! both, so fields, results and keys are described and checked in one place.

use clap::{Args, Command, FromArgMatches};

use pqseal_pipeline::{Framing, Limits, Opener, Pipeline};
use pqseal_records::Rules;
use toml::{Table, Value};

use super::super::{not_started, opening::Opening};
use crate::{error::Error, escape, input::Source, keyring::Keys, leak};

/// The number of bytes of a request that are opened at a time: enough for all cores, and little
/// enough for many requests.
const BATCH: usize = 256 * 1024;

/// The options of `pqseal logs open` for fields and keys.
#[derive(Args)]
pub(super) struct Options {
    #[command(flatten)]
    opening: Opening,
    #[arg(long, default_value_t = Limits::default().record)]
    pub(super) max_line: usize,
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
    pub(super) fn read(table: &Table) -> Result<Self, Error> {
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
        let is_stdin = |source: &Source| source.path().is_none();
        match options
            .opening
            .keys
            .iter()
            .chain(options.opening.passphrase.source())
            .any(is_stdin)
        {
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
    pub(super) fn pipeline(&self) -> Result<(Pipeline<Opener>, Keys), Error> {
        let mut keys = self.opening.keys()?;
        let rules = Rules {
            max_fields: self.max_fields,
            ..self.opening.rules()?
        };
        let opener = self.opening.opener(&mut keys)?;
        let limits = Limits {
            record: self.max_line,
            batch_bytes: BATCH,
            ..Limits::default()
        };
        let pipeline = Pipeline::new(opener, rules, self.jobs)
            .map_err(not_started)?
            .framed(Framing::Lines, limits);
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
            return leak::key_as_argument();
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
        assert_eq!((options.opening.keys.len(), options.max_line), (2, 4096));
        assert_eq!(options.max_fields, 9);
        let rules = options.opening.fields.rules().unwrap();
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
        let rules = options.ok().unwrap().opening.fields.rules();
        assert!(rules.unwrap_err().message.contains("cannot be used with"));
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
