//! `pqseal doctor`: checks this program on this machine, and explains why something does not open.

#[cfg(test)]
mod agreement;
mod blobs;
mod keys;
mod log;
mod machine;

use std::io::Read;

use clap::Args;
use pqseal_matched_data::{OpenOptions, TRUNCATED, diagnosis::looks_sealed};
use pqseal_pipeline::Compression;
use pqseal_records::{Preset, detect::Known, json, rules::SEALED};
use pqseal_sealed::Kind;
use serde_json::{Value, json};

use keys::GivenKeys;

use crate::{
    binding::{AllowExperimental, BindingArgs},
    error::{Error, Exit},
    escape,
    input::{Source, one_stdin, others_can_read},
    kind::InputKind,
    output::to_stdout,
    passphrase::Passphrase,
    record::is_expected,
};

/// The arguments of `pqseal doctor`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("This machine", "pqseal doctor"),
    ("A blob or a log that does not open", "pqseal doctor -k key.pem events.ndjson.gz"),
    ("How a key was derived from an ikm", "pqseal doctor --ikm ikm.bin --public-key public.txt"),
]))]
pub struct Doctor {
    /// A file with private keys; repeat it to give several. Without keys, it still shows which key
    /// a blob names
    #[arg(short, long = "key", value_name = "KEYFILE")]
    keys: Vec<Source>,
    #[command(flatten)]
    passphrase: Passphrase,
    /// Input keying material (bytes, hexadecimal or base64); finds which of the key pairs that it
    /// can give opens FILE or has the public key of --public-key
    #[arg(long, value_name = "FILE")]
    ikm: Option<Source>,
    /// The public key that --ikm should give
    #[arg(long, value_name = "FILE", requires = "ikm")]
    public_key: Option<Source>,
    #[command(flatten)]
    binding: BindingArgs,
    #[command(flatten)]
    experimental: AllowExperimental,
    /// What does not open: blobs, JSON records, or a log (compressed or not)
    #[arg(value_name = "FILE")]
    inputs: Vec<Source>,
}

impl Doctor {
    /// Runs the checks.
    ///
    /// # Errors
    /// See [`Error`]. Problems are reported and give [`Exit::Incomplete`].
    pub fn run(self, json: bool) -> Result<Exit, Error> {
        if self.ikm.is_some() && self.public_key.is_none() && self.inputs.is_empty() {
            return Err(Error::usage(
                "--ikm derives many key pairs; add --public-key FILE, or a FILE with a blob, to say which one to find",
            ));
        }
        let others = self.binding.sources().chain(self.passphrase.source());
        let own = (self.keys.iter().chain(&self.ikm)).chain(&self.public_key);
        one_stdin(own.chain(&self.inputs).chain(others))?;
        let (info, aad) = self.binding.read()?;
        let options = OpenOptions {
            info: &info,
            aad: &aad,
            policy: self.experimental.policy(),
        };
        let mut report = Report::new(json);
        machine::examine(&mut report)?;
        let mut given = GivenKeys::read(&self.keys, &self.passphrase, &mut report)?;
        if let Some(source) = self.passphrase.source() {
            check_permissions("keys", source, &mut report)?;
        }
        let mut inputs = Vec::new();
        for source in &self.inputs {
            match Input::read(source) {
                Ok(input) => inputs.push(input),
                Err(error) => report.problem(&source.to_string(), "input", "io", &error)?,
            }
        }
        if let Some(source) = &self.ikm {
            let found = keys::examine_ikm(source, self.public_key.as_ref(), &inputs, &mut report)?;
            found.into_iter().try_for_each(|pair| given.add(pair))?;
        }
        given.prepare()?;
        for input in &inputs {
            log::examine(input, &given, &options, &mut report)?;
        }
        report.end()
    }
}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    Note,
    Problem,
}

/// The subject of a check.
#[derive(Default)]
struct Subject<'a> {
    /// The input, or `this machine`.
    about: &'a str,
    /// The part of it, for programs.
    name: &'a str,
    /// The name for people, with its place or number; `name` if empty.
    shown: String,
    /// More members of the check in JSON.
    members: Vec<(&'static str, Value)>,
}

/// A report that writes checks as they are made.
struct Report {
    json: bool,
    /// Writes the lines.
    write: fn(&[u8]) -> Result<(), Error>,
    /// The subject of the last check.
    about: String,
    problems: usize,
}

impl Report {
    const fn new(json: bool) -> Self {
        Self {
            json,
            write: to_stdout,
            about: String::new(),
            problems: 0,
        }
    }

    /// Creates a report that only counts problems.
    #[cfg(test)]
    fn silent() -> Self {
        Self {
            write: |_| Ok(()),
            ..Self::new(true)
        }
    }

    /// Returns the number of problems.
    #[cfg(test)]
    const fn problems(&self) -> usize {
        self.problems
    }

    /// Reports that `name` of `about` is in order.
    fn ok(&mut self, about: &str, name: &str, text: &str) -> Result<(), Error> {
        self.check(Verdict::Ok, &Subject::new(about, name), "ok", text)
    }

    /// Reports a fact that is not a failure.
    fn note(&mut self, about: &str, name: &str, code: &str, text: &str) -> Result<(), Error> {
        self.check(Verdict::Note, &Subject::new(about, name), code, text)
    }

    /// Reports a problem; `text` says what to do.
    fn problem(&mut self, about: &str, name: &str, code: &str, text: &str) -> Result<(), Error> {
        self.check(Verdict::Problem, &Subject::new(about, name), code, text)
    }

    /// Reports the number of problems.
    fn end(self) -> Result<Exit, Error> {
        let text = match self.problems {
            1 => "1 problem was found".to_owned(),
            more => format!("{more} problems were found"),
        };
        if self.json {
            (self.write)(format!("{}\n", json!({ "problems": self.problems })).as_bytes())?;
        } else {
            (self.write)(format!("\n{text}\n").as_bytes())?;
        }
        Ok(match self.problems {
            0 => Exit::Done,
            _ => Exit::Incomplete,
        })
    }

    /// Writes a check with this state; `code` is `ok` if nothing is wrong.
    fn check(
        &mut self,
        state: Verdict,
        subject: &Subject<'_>,
        code: &str,
        text: &str,
    ) -> Result<(), Error> {
        self.problems += usize::from(state == Verdict::Problem);
        if self.json {
            let check = subject.json(state, code, text);
            return (self.write)(format!("{}\n", escape::json(&check.to_string())).as_bytes());
        }
        let mut lines = String::new();
        // A heading, unless the last check had the same.
        if self.about != subject.about {
            let blank = if self.about.is_empty() { "" } else { "\n" };
            subject.about.clone_into(&mut self.about);
            lines = format!("{blank}{}\n", escape::bytes(subject.about.as_bytes()));
        }
        let (name, text) = (
            escape::bytes(subject.shown().as_bytes()),
            escape::bytes(text.as_bytes()),
        );
        lines += &format!("  {:8} {name:14} {text}\n", state.word());
        (self.write)(lines.as_bytes())
    }
}

impl<'a> Subject<'a> {
    fn new(about: &'a str, name: &'a str) -> Self {
        Self {
            about,
            name,
            ..Self::default()
        }
    }

    fn shown(&self) -> &str {
        match self.shown.as_str() {
            "" => self.name,
            shown => shown,
        }
    }

    fn json(&self, state: Verdict, code: &str, text: &str) -> Value {
        let mut check = json!({
            "about": self.about, "name": self.name, "state": state.word(), "code": code, "message": text,
        });
        for (name, value) in &self.members {
            check[*name] = value.clone();
        }
        json!({ "check": check })
    }
}

impl Verdict {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Problem => "problem",
        }
    }
}

/// The limit on an input, in bytes after decompression: 64 MiB.
const LIMIT: u64 = 64 << 20;

/// An input that was read.
struct Input<'a> {
    source: &'a Source,
    found: InputBlobs,
    is_cut_short: bool,
    compression: Compression,
}

impl<'a> Input<'a> {
    /// Reads the beginning of an input, decompressed; the error is a sentence.
    fn read(source: &'a Source) -> Result<Self, String> {
        let mut text = Vec::new();
        let read = source.records().and_then(|input| {
            let compression = input.compression();
            input.take(LIMIT).read_to_end(&mut text)?;
            Ok(compression)
        });
        let compression = read.map_err(|error| format!("cannot be read: {error}"))?;
        Ok(Self {
            compression,
            ..Self::new(source, &text)
        })
    }

    /// Finds the blobs in an input, of which this is the text or its beginning.
    fn new(source: &'a Source, text: &[u8]) -> Self {
        Self {
            source,
            found: blobs::find(text, source.path()),
            is_cut_short: text.len() as u64 == LIMIT,
            compression: Compression::None,
        }
    }

    /// Returns the unit of numbers: records if documents span several lines, otherwise lines.
    const fn unit(&self) -> &'static str {
        match self.found.by_number {
            true => "record",
            false => "line",
        }
    }
}

/// The most bytes that are kept of the name of a field or column.
const LONGEST_NAME: usize = 512;

/// A text that may be a blob.
struct Candidate {
    /// The line or the number of the record, from 1.
    line: u64,
    /// The beginning of the name of the field in a record or of the column in a table; otherwise
    /// empty.
    field: String,
    /// The text.
    text: Vec<u8>,
}

/// The format of an input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InputFormat {
    /// One blob, or one per line.
    Blobs,
    /// Documents of JSON.
    Json,
    /// Rows of cells.
    Table,
    /// Another format.
    Other(InputKind),
    /// A format in which no records are found.
    Unsupported(Known),
}

/// The candidates in an input.
struct InputBlobs {
    form: InputFormat,
    candidates: Vec<Candidate>,
    /// The number of records.
    records: usize,
    /// `true` if records are counted instead of their lines.
    by_number: bool,
    /// `true` if the records are found only by a framing that `pqseal logs open` has to be given.
    needs_framing: bool,
    /// The first record that cannot be read, with the reason.
    broken: Option<(u64, String)>,
    broken_count: usize,
}

impl InputBlobs {
    const fn new(form: InputFormat) -> Self {
        Self {
            form,
            candidates: Vec::new(),
            records: 0,
            by_number: false,
            needs_framing: false,
            broken: None,
            broken_count: 0,
        }
    }

    /// Creates a result of one blob, which is the whole input.
    fn whole(input: &[u8]) -> Self {
        let mut found = Self::new(InputFormat::Blobs);
        found.add(1, String::new(), input);
        found
    }

    fn add(&mut self, line: u64, mut field: String, text: &[u8]) {
        // A table of many rows has the name of a column once, and this has it once per row.
        if field.len() > LONGEST_NAME {
            field = field[..field.floor_char_boundary(LONGEST_NAME)].to_owned();
        }
        self.candidates.push(Candidate {
            line,
            field,
            text: text.to_vec(),
        });
    }

    /// Adds a record that cannot be read.
    fn add_broken(&mut self, line: u64, why: impl ToString) {
        self.broken_count += 1;
        self.broken.get_or_insert_with(|| (line, why.to_string()));
    }
}

/// Adds the strings of a record that may be blobs. `field` is the path of the record. Returns
/// `false` if it is not JSON.
fn add_strings(line: u64, field: &str, record: &[u8], found: &mut InputBlobs) -> bool {
    let before = found.candidates.len();
    let read = json::strings(record, &mut |place, string| {
        let Some(text) = json::decode_string(string).filter(|text| is_sealed(text)) else {
            return;
        };
        let path = format!("{field}{place}");
        // The word stands for a blob only where one is expected.
        if *text != *TRUNCATED.as_bytes() || is_expected(&path) {
            found.add(line, path, &text);
        }
    });
    if read.is_ok() {
        for (path, object) in pqseal_sealed::objects(record).unwrap_or_default() {
            found.add(line, format!("{field}{path}"), object);
        }
        add_named(line, record, before, found);
    }
    read.is_ok()
}

/// Adds the fields that `pqseal logs open` opens and that are not found yet: damaged blobs. `first`
/// is the number of candidates before the record.
fn add_named(line: u64, record: &[u8], first: usize, found: &mut InputBlobs) {
    let rules = Preset::Auto.rules();
    let Ok(fields) = json::locate(record, &rules.rules, rules.max_fields) else {
        return;
    };
    for field in &fields.found {
        let raw = fields.value(record, field);
        let text = json::decode_string(raw).unwrap_or(raw.into());
        let is_known = (found.candidates[first..].iter()).any(|known| *known.text == *text);
        if !text.is_empty() && raw != b"null" && !is_known {
            found.add(line, SEALED.to_owned(), &text);
        }
    }
}

/// Reports whether a line or a cell may be a blob, or is sealed in another format.
fn is_sealed(text: &[u8]) -> bool {
    text.trim_ascii() == TRUNCATED.as_bytes()
        || looks_sealed(text)
        || Kind::detect_supported(text).is_some()
}

/// Reports on a file. Standard input and devices are skipped.
fn check_permissions(about: &str, source: &Source, report: &mut Report) -> Result<(), Error> {
    let name = source.to_string();
    if !source.path().is_some_and(std::path::Path::is_file) {
        return Ok(());
    }
    if cfg!(not(unix)) {
        let text = "it has the permissions of its folder; keep it in a folder that only you can read, such as your profile";
        return report.note(about, &name, "folder_permissions", text);
    }
    match others_can_read(source) {
        None => report.ok(about, &name, "only its owner can read it"),
        Some(mode) => {
            let text = format!("others can read it (mode {mode:04o}); run: chmod 600 {source}");
            report.problem(about, &name, "file_mode", &text)
        }
    }
}
