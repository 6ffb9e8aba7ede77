//! The options for records and their fields, and the rules that follow from them.

use std::{num::NonZeroUsize, path::PathBuf, thread};

use clap::{Args, ValueEnum};
use pqseal_pipeline::{Framing, Limits};
use pqseal_records::{FieldPath, OnField, Preset, ResultFormat, Rule, Rules, Selector, otlp};
use pqseal_sealed::Kind;

use crate::{
    error::{Error, warn},
    escape,
};

/// The options for the framing of the input and its limits.
#[derive(Args)]
pub(super) struct Frame {
    /// The format of the input; gzip and Zstandard are detected automatically
    #[arg(long, value_enum, default_value = "auto", value_name = "FORMAT")]
    input_format: Format,
    /// The character between the cells of a table, such as ';'; implies --input-format csv
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<u8>,
    /// The largest record that is processed, in bytes; `logs open` copies larger ones unchanged,
    /// and they count as failed (too_large); `logs seal` stops, or with --on-refused seals them in
    /// parts
    #[arg(long, default_value_t = 16 << 20, value_name = "BYTES")]
    max_line: usize,
    /// The most fields that one record may have; records with more are treated as those above
    /// --max-line, and count as failed (too_many_fields)
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    max_fields: usize,
    /// Write each record as soon as it is read, for programs that wait for each answer; otherwise
    /// records are written in batches, and when the input pauses for 50 ms
    #[arg(long)]
    line_buffered: bool,
    /// How many threads do the work; if not given, one per core, and at most four per core
    #[arg(
        short,
        long,
        default_value_t = 0,
        hide_default_value = true,
        value_name = "N"
    )]
    jobs: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Parquet if a file starts with its magic bytes; CSV or TSV if its name says so; JSON if the
    /// input begins with `[` or a line of only `{`; otherwise NDJSON
    Auto,
    /// One record per line
    Ndjson,
    /// JSON values one after another, and the items of arrays
    Json,
    /// Comma-separated values; the first row is the header
    Csv,
    /// Tab-separated values; the first row is the header
    Tsv,
    /// Parquet, only from files
    Parquet,
}

/// The fields to open.
#[derive(Args)]
pub(super) struct Fields {
    /// A field to open, as /Metadata/name or .Metadata.name, with [] for every item; repeat it to
    /// open several. In a table the first name is a column, and the rest is a path within the JSON
    /// in its cells. With --preset otlp: body, attributes["KEY"], or attributes["BEGINNING*"]
    #[arg(long = "field", value_name = "PATH")]
    fields: Vec<FieldPath>,
    /// The name of the result, one for each --field; if not given, decrypted_ followed by the
    /// field's name without encrypted_
    #[arg(long, value_name = "NAME", requires = "fields")]
    into: Vec<String>,
    /// The fields of a log service, a firewall or OpenTelemetry; if neither this nor --field is
    /// given, auto
    #[arg(long, value_enum)]
    preset: Option<Named>,
    /// The kind of all sealed values; if not given, that of the preset, or detected for each by its
    /// form. For ai-gateway and agent-receipt, a value of another form is in the clear, and copied;
    /// for jwe and age, a string that does not begin as one
    #[arg(long, value_enum, value_name = "KIND")]
    sealed_as: Option<SealedAs>,
    /// Keep the field, and write the result next to it (the default, except for an audit log
    /// and OTLP)
    #[arg(long, group = "mode")]
    keep: bool,
    /// Write the result in place of the field's value
    #[arg(long, group = "mode")]
    replace: bool,
    /// Write the result in place of the field, under the result's name; in a table the field's cell
    /// becomes empty
    #[arg(long, group = "mode")]
    drop_encrypted: bool,
    /// How to write results; if not given, as a string, or as it was in an audit log and OTLP
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Option<Written>,
    /// The field that version 4 blobs are bound to, such as an event's id
    #[arg(long, value_name = "PATH")]
    aad_from: Option<FieldPath>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Named {
    /// Metadata.encrypted_matched_data, as log pushes have it
    CfLogpush,
    /// An array metadata of keys and values, as dashboards and GraphQL have it
    CfEvents,
    /// The payloads of data loss prevention and of prompts
    CfDlp,
    /// Audit logs of ModSecurity, as `pqseal logs seal --preset modsecurity` seals them: each
    /// record comes back as it was, byte for byte
    Modsecurity,
    /// Audit logs of Coraza; the same as modsecurity
    Coraza,
    /// Metadata, RequestBody and ResponseBody, as Cloudflare's AI Gateway seals them to an RSA key;
    /// nothing binds a value to its record or field
    AiGateway,
    /// The disclosures of agent receipts. In place of each record there is an object with its id,
    /// its number and the results: a signed receipt does not verify with anything added
    AgentReceipts,
    /// Fields of logs and spans in OTLP-JSON, as `pqseal logs seal --preset otlp` seals them; name
    /// them with --field
    Otlp,
    /// The content of requests to language models in OTLP-JSON
    OtlpGenai,
    /// The content of HTTP requests and responses in OTLP-JSON
    OtlpHttp,
    /// encrypted_matched_data in either shape, anywhere
    Auto,
}

#[derive(Clone, Copy, ValueEnum)]
enum SealedAs {
    /// Matched data, in base64
    MatchedData,
    /// Objects of AI Gateway: type, key, iv and data
    AiGateway,
    /// HPKE envelopes of agent receipts
    AgentReceipt,
    /// JWE in compact serialization, by an algorithm of HPKE
    Jwe,
    /// Armored files in the age format
    Age,
}

#[derive(Clone, Copy, ValueEnum)]
enum Written {
    /// A string; bytes that are not UTF-8 become U+FFFD, and decrypt_lossy says so
    String,
    /// JSON if the plaintext is JSON, otherwise a string
    Json,
    /// Base64 of its bytes
    Base64,
    /// Its bytes in a binary column of Parquet; base64 of them elsewhere
    Bytes,
}

impl Frame {
    /// Returns the number of threads to start; 0 for one per core. It is at most four per core,
    /// because more would only take memory.
    pub(super) fn threads(&self) -> usize {
        let most = 4 * thread::available_parallelism().map_or(4, NonZeroUsize::get);
        if self.jobs > most {
            let message = format!(
                "-j {} is more than this machine can use; continuing with {most}",
                self.jobs
            );
            warn("threads", message);
        }
        self.jobs.min(most)
    }

    /// Sets the limits on the records that rules apply to.
    pub(super) fn limited(&self, rules: Rules) -> Rules {
        Rules {
            max_fields: self.max_fields,
            ..rules
        }
    }

    /// Returns the framing and the limits. On a screen each record is written as soon as it is
    /// read.
    pub(super) fn framing(&self, to_screen: bool) -> Result<(Framing, Limits), Error> {
        let framing = match self.input_format {
            Format::Auto | Format::Csv if self.delimiter.is_some() => {
                Framing::Rows(self.delimiter.unwrap_or_default())
            }
            Format::Auto => Framing::Auto,
            Format::Ndjson => Framing::Lines,
            Format::Json => Framing::Json,
            Format::Csv => Framing::CSV,
            Format::Tsv => Framing::TSV,
            Format::Parquet => Framing::Parquet,
        };
        if self.delimiter.is_some() && !matches!(framing, Framing::Rows(_)) {
            return Err(Error::usage(
                "--delimiter is only for CSV; leave --delimiter or --input-format out",
            ));
        }
        Ok((
            framing,
            Limits {
                record: self.max_line,
                prompt: self.line_buffered || to_screen,
                ..Limits::default()
            },
        ))
    }
}

/// Parses a delimiter: a character that no cell begins or ends with.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\r' | b'\n' | 0) => Ok(*byte),
        _ => Err("it must be one ASCII character other than a quote or a line break".to_owned()),
    }
}

impl Fields {
    pub(super) fn rules(&self) -> Result<Rules, Error> {
        let rules = match (self.preset, self.fields.as_slice()) {
            (Some(preset), fields) => match preset.preset() {
                None => otlp_fields(fields)?,
                Some(preset) if fields.is_empty() => preset.rules(),
                Some(_) => return Err(two_ways()),
            },
            (None, []) => Preset::Auto.rules(),
            (None, fields) => Rules {
                rules: named(fields, &self.into)?,
                named: true,
                ..Rules::default()
            },
        };
        let is_restored = self.keep || self.replace || self.drop_encrypted || self.form.is_some();
        if rules.is_otlp() && (is_restored || self.sealed_as.is_some()) {
            return Err(Error::usage(
                "values of OTLP are restored as they were; leave --keep, --replace, --drop-encrypted, --as and --sealed-as out",
            ));
        }
        if self.preset.is_some() && !self.into.is_empty() {
            return Err(no_names());
        }
        if rules.apart.is_some() && (self.keep || self.replace || self.drop_encrypted) {
            return Err(Error::usage(
                "agent receipts are replaced by their results; leave --keep, --replace and --drop-encrypted out",
            ));
        }
        let mode = match (self.keep, self.replace, self.drop_encrypted) {
            (true, ..) => OnField::Keep,
            (_, true, _) => OnField::Replace,
            (.., true) => OnField::Drop,
            _ => rules.mode,
        };
        if mode != OnField::Replace && self.fields.iter().any(|path| path.name().is_none()) {
            return Err(Error::usage(
                "a result cannot be written next to an item of an array; add --replace",
            ));
        }
        let form = match self.form {
            None => rules.form,
            Some(Written::String) => ResultFormat::String,
            Some(Written::Json) => ResultFormat::Json,
            Some(Written::Base64) => ResultFormat::Base64,
            Some(Written::Bytes) => ResultFormat::Bytes,
        };
        let rules = Rules {
            mode,
            form,
            aad_from: self.aad_from.clone(),
            ..rules
        };
        check(&rules)?;
        Ok(rules)
    }
}

/// Returns the rules for fields of OTLP.
pub(super) fn otlp_fields(fields: &[FieldPath]) -> Result<Rules, Error> {
    if fields.is_empty() {
        return Err(Error::usage(
            "--preset otlp needs --field, such as body or attributes[\"url.query\"]; otlp-genai and otlp-http name fields themselves",
        ));
    }
    otlp::rules(fields.iter().cloned()).map_err(|error| Error::usage(error.to_string()))
}

/// The error for both a preset and fields.
pub(super) fn two_ways() -> Error {
    Error::usage("--preset cannot be used with --field, except for otlp; leave one of them out")
}

/// The error for names of results beside a preset.
pub(super) fn no_names() -> Error {
    Error::usage("the fields of a preset have their own names; leave --into out")
}

/// Makes a rule for each field, with the names that were given for the results.
pub(super) fn named(fields: &[FieldPath], into: &[String]) -> Result<Vec<Rule>, Error> {
    let rules = fields.iter().cloned().map(Rule::field);
    if into.is_empty() {
        return Ok(rules.collect());
    }
    if into.len() != fields.len() {
        return Err(Error::usage(
            "give --into as often as --field, in the same order, or not at all",
        ));
    }
    Ok(rules
        .zip(into)
        .map(|(rule, into)| Rule {
            into: into.clone(),
            ..rule
        })
        .collect())
}

/// Refuses fields that overlap, and two results of one name in one object, which would break
/// records.
///
/// # Errors
/// If there are such fields.
pub(super) fn check(rules: &Rules) -> Result<(), Error> {
    let fields = rules.rules.iter().filter_map(|rule| match &rule.find {
        Selector::Field(path) => Some((path, &rule.into)),
        _ => None,
    });
    let fields: Vec<_> = fields.collect();
    for (number, (field, into)) in fields.iter().enumerate() {
        // The result that replaces an item of an array has no name.
        let is_named = field.name().is_some() || rules.mode != OnField::Replace;
        for (before, other) in &fields[..number] {
            let names = || [before, field].map(|path| shown(path));
            let message = if field == before {
                format!("the field {} is named twice; name it once", shown(field))
            } else if field.overlaps(before) {
                let [before, field] = names();
                format!("the fields {before} and {field} overlap; name only one of them")
            } else if is_named && into == other && field.is_beside(before) {
                let ([before, field], into) = (names(), escape::bytes(into.as_bytes()));
                format!(
                    "the results of {before} and {field} would both be called {into}; give each its own name with --into"
                )
            } else {
                continue;
            };
            return Err(Error::usage(message));
        }
    }
    Ok(())
}

fn shown(path: &FieldPath) -> String {
    escape::bytes(path.to_string().as_bytes())
}

impl Fields {
    /// Returns the fields that were named, as they can be typed.
    pub(super) fn names(&self) -> Vec<String> {
        self.fields.iter().map(FieldPath::to_string).collect()
    }

    /// Returns the kind of all sealed values; `None` if it is detected.
    pub(super) fn kind(&self) -> Option<Kind> {
        let preset = self.preset.and_then(Named::preset);
        let preset = preset.and_then(Kind::of_preset);
        let given = self.sealed_as.map(|kind| match kind {
            SealedAs::MatchedData => Kind::MatchedData,
            SealedAs::AiGateway => Kind::AiGateway,
            SealedAs::AgentReceipt => Kind::AgentReceipt,
            SealedAs::Jwe => Kind::Jwe,
            SealedAs::Age => Kind::Age,
        });
        given.or(preset)
    }

    /// Reports whether blobs are bound to a field.
    pub(super) const fn binds(&self) -> bool {
        self.aad_from.is_some()
    }
}

impl Named {
    /// Returns the preset, or `None` if --field names the fields.
    const fn preset(self) -> Option<Preset> {
        Some(match self {
            Self::CfLogpush => Preset::CfLogpush,
            Self::CfEvents => Preset::CfEvents,
            Self::CfDlp => Preset::CfDlp,
            Self::Modsecurity | Self::Coraza => Preset::AuditLog,
            Self::AiGateway => Preset::AiGateway,
            Self::AgentReceipts => Preset::AgentReceipts,
            Self::OtlpGenai => Preset::OtlpGenai,
            Self::OtlpHttp => Preset::OtlpHttp,
            Self::Auto => Preset::Auto,
            Self::Otlp => return None,
        })
    }
}

/// The inputs of a command.
#[derive(Args)]
pub(super) struct Inputs {
    /// Files, or folders with all files in them; standard input if none is named, or for `-`. In
    /// folders hidden files, pipes, sockets and devices are left out, and links to folders unless
    /// --follow-links is given. s3://BUCKET/KEY, gs://BUCKET/KEY and az://CONTAINER/KEY are an
    /// object, or all objects below it
    #[arg(value_name = "FILE-OR-FOLDER")]
    pub(super) inputs: Vec<PathBuf>,
}
