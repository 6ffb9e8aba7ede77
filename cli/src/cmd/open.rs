//! `pqseal open`: opens blobs.

use clap::{Args, ValueEnum};
use pqseal_atomic_file::Overwrite;
use pqseal_hpke::SuiteId;
use pqseal_keys::{KeyId, base64};
use pqseal_matched_data::{Blob, OpenOptions, Trailing};
use pqseal_sealed::Kind;
use serde_json::{Map, Value, json};

use crate::{
    binding::{AllowExperimental, BindingArgs, MinVersion},
    blobs::{self, BlobEntry},
    error::{Error, Exit, warn},
    escape,
    input::{Source, one_stdin},
    keyfile,
    keyring::{KeyCommands, LoadedKeys},
    output::{FileMode, Target},
    passphrase::Passphrase,
    suite,
};

/// The arguments of `pqseal open`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("The blob in a file, or in a record of a log", "pqseal open -k key.pem blob.txt"),
    ("Blobs from a pipe, one per line, as JSON", "cat blobs.txt | pqseal --json open -k key.pem"),
    ("With keys from a folder and from a vault", "pqseal open -k keys/ --key-command 'vault kv get -field=key secret/pqseal' blob.txt"),
]))]
pub struct Open {
    /// A file with private keys in any format, one after another (`#` starts a comment), or with a
    /// private calendar, `-` for standard input, or a folder of such files. Folders within it are not searched; a raw file
    /// there is taken as a private key unless it is the public half of another. Repeat it to give
    /// several
    #[arg(
        short,
        long = "key",
        value_name = "KEYFILE-OR-FOLDER",
        required_unless_present_any = ["key_command", "decap_command"]
    )]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    #[command(flatten)]
    commands: KeyCommands,
    #[command(flatten)]
    binding: BindingArgs,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    min_version: MinVersion,
    /// Write to this file, which only its owner can read; it is written only if every blob
    /// opened
    #[arg(short, long, value_name = "FILE")]
    output: Option<Target>,
    /// How to write the plaintext; if not given, escaped on a terminal and raw elsewhere
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The blob, or JSON records with blobs or other sealed values in their fields
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The bytes themselves; if there are several blobs, a line break follows each
    Raw,
    /// One object per blob: version (or the kind of a value that is not matched data), key (its file), field
    /// (of a JSON record), suite and key_id (version 4), and plaintext or plaintext_base64, or else
    /// error
    Json,
    /// Text with control characters and bytes that are not UTF-8 as \n, \x1b, \u{202e}, and a line
    /// break
    Escaped,
}

/// A blob that opened.
struct OpenedEntry {
    /// The version of matched data.
    version: Option<u8>,
    /// The kind of a value that is not matched data.
    kind: Option<Kind>,
    /// The file of the key that opened it.
    key: Source,
    /// The field of the blob, if the input is a record.
    field: Option<String>,
    /// The suite and the key id in the header of version 4.
    described: Option<(SuiteId, KeyId)>,
    plaintext: Vec<u8>,
}

type Answer = Result<OpenedEntry, Error>;

impl Open {
    /// Opens the blobs of the input.
    ///
    /// # Errors
    /// See [`Error`]. Blobs that do not open are reported here and give [`Exit::Incomplete`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        let sources = self.keys.iter().chain([&self.input]);
        let sources = sources.chain(self.binding.sources());
        one_stdin(sources.chain(self.passphrase.source()))?;
        let mut keys = LoadedKeys::load(&self.keys, &self.commands, &self.passphrase)?;
        self.min_version.apply(&mut keys.ring);
        keyfile::protect(self.output.as_ref(), &keys.files)?;
        let (info, aad) = self.binding.read()?;
        let options = OpenOptions {
            info: &info,
            aad: &aad,
            policy: self.experimental.policy(),
        };
        let entries = blobs::all(&self.input.read()?);
        let others = keys.for_others()?;
        let answers = entries.iter().map(|entry| match &entry.other {
            Some(value) => self.open_other(&keys, &others, entry, value),
            None => self.open_blob(&keys, &options, entry),
        });
        let answers: Vec<_> = answers.collect();
        let exit = self.write(&answers, json)?;
        let fields = entries.iter().filter_map(|entry| entry.field.as_deref());
        let mut fields: Vec<_> = fields
            .map(|field| escape::bytes(field.as_bytes()))
            .collect();
        fields.dedup();
        // JSON output has the field of each blob.
        if !json && !fields.is_empty() {
            warn(
                "record",
                format_args!(
                    "the input is JSON records; the blobs in {} are opened",
                    fields.join(", ")
                ),
            );
        }
        Ok(exit)
    }

    fn open_blob(&self, keys: &LoadedKeys, options: &OpenOptions<'_>, entry: &BlobEntry) -> Answer {
        let bytes = entry.blob.as_ref().map_err(|error| entry.problem(error))?;
        let blob = Blob::parse(bytes, Trailing::Refuse).map_err(|error| entry.problem(&error))?;
        // A check that is impossible must not look passed.
        if let Blob::V1to3(frame) = &blob
            && self.binding.is_given()
        {
            let message = format!(
                "a {} blob is bound to no info and no aad; leave --info and --aad out to open it",
                frame.version
            );
            return Err(entry.placed(Error::incomplete("not_bound", message)));
        }
        let opened = keys.ring.open(&blob, options);
        let opened =
            opened.map_err(|error| entry.placed(keys.helpers.explain(Error::blob(&error))))?;
        let key = keys.files[opened.key].clone();
        Ok(OpenedEntry::new(&blob, entry, key, opened.plaintext))
    }

    /// Opens a value of another kind, which is bound to nothing.
    fn open_other(
        &self,
        keys: &LoadedKeys,
        others: &pqseal_sealed::Keys,
        entry: &BlobEntry,
        value: &[u8],
    ) -> Answer {
        let kind = Kind::detect(value).expect("the entry was detected");
        if self.binding.is_given() || self.min_version.get() > 1 {
            let message = format!(
                "a value of the kind {kind} is bound to no info and no aad; leave --info, --aad and --min-version out to open it"
            );
            return Err(entry.placed(Error::incomplete("not_bound", message)));
        }
        let opened = others.open(kind, value);
        let opened = opened
            .map_err(|error| {
                let failure = Error::incomplete(error.code(), format!("{kind}: {error}"));
                entry.placed(keys.helpers.explain(failure))
            })?
            .expect("the value was detected, so it is sealed");
        Ok(OpenedEntry {
            version: None,
            kind: Some(kind),
            key: keys.files[opened.key].clone(),
            field: entry.field.clone(),
            described: None,
            plaintext: opened.plaintext,
        })
    }

    fn write(&self, answers: &[Answer], json: bool) -> Result<Exit, Error> {
        let target = self.output.clone().unwrap_or(Target::Stdout);
        let format = self.format.unwrap_or_else(|| Format::of(&target, json));
        let failures: Vec<_> = answers
            .iter()
            .filter_map(|answer| answer.as_ref().err())
            .collect();
        let to_file = target != Target::Stdout;
        if failures.is_empty() || !to_file {
            target.write(
                &Self::text(answers, format),
                FileMode::Owner,
                Overwrite::Allow,
            )?;
        }
        // In JSON on standard output, failures are in their places in the list.
        if to_file || format != Format::Json {
            failures.iter().for_each(|error| error.report(json));
        }
        Ok(if failures.is_empty() {
            Exit::Done
        } else {
            Exit::Incomplete
        })
    }

    fn text(answers: &[Answer], format: Format) -> Vec<u8> {
        let mut text = Vec::new();
        for answer in answers {
            match (format, answer) {
                (Format::Json, _) => text.extend(json(answer).into_bytes()),
                (Format::Escaped, Ok(opened)) => {
                    text.extend(escape::bytes(&opened.plaintext).into_bytes())
                }
                (Format::Raw, Ok(opened)) => text.extend(&opened.plaintext),
                (_, Err(_)) if answers.len() == 1 => return text,
                (_, Err(_)) => {}
            }
            if format != Format::Raw || answers.len() > 1 {
                text.push(b'\n');
            }
        }
        text
    }
}

impl OpenedEntry {
    fn new(blob: &Blob<'_>, entry: &BlobEntry, key: Source, plaintext: Vec<u8>) -> Self {
        let (version, described) = match blob {
            Blob::V1to3(frame) => (frame.version as u8, None),
            Blob::V4(frame) => (4, Some((frame.suite(), frame.key_id()))),
        };
        Self {
            version: Some(version),
            kind: None,
            key,
            field: entry.field.clone(),
            described,
            plaintext,
        }
    }

    fn json(&self) -> Value {
        let kind = self.kind.map(|kind| ("kind", json!(kind.name())));
        let version = self.version.map(|version| ("version", json!(version)));
        let key = ("key", json!(self.key.to_string()));
        let first = version.into_iter().chain(kind).chain([key]);
        let mut members: Map<_, _> = first
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        if let Some(field) = &self.field {
            members.insert("field".to_owned(), json!(field));
        }
        if let Some((suite, key_id)) = self.described {
            members.insert("suite".to_owned(), json!(suite::typed(suite)));
            members.insert("key_id".to_owned(), json!(key_id.to_string()));
        }
        match std::str::from_utf8(&self.plaintext) {
            Ok(text) => members.insert("plaintext".to_owned(), json!(text)),
            Err(_) => members.insert(
                "plaintext_base64".to_owned(),
                json!(base64::encode(&self.plaintext)),
            ),
        };
        Value::Object(members)
    }
}

fn json(answer: &Answer) -> String {
    let answer = answer.as_ref().map_or_else(Error::json, OpenedEntry::json);
    escape::json(&answer.to_string())
}

impl Format {
    fn of(target: &Target, json: bool) -> Self {
        match json {
            true => Self::Json,
            false if target.is_terminal() => Self::Escaped,
            false => Self::Raw,
        }
    }
}
