//! `pqseal logs open`: opens sealed fields of log records in bulk.

use std::mem;

use clap::{Args, ValueEnum};
use pqseal_pipeline::{FieldSelection, RecordOpenOptions};
use pqseal_records::{FieldPath, OnField, Preset, ResultFormat};
use pqseal_sealed::Kind;

use super::{Action, CountArgs, IoArgs, RecordArgs, ReportSettings, Run};
use crate::{
    binding::{AllowExperimental, MinVersion},
    error::{Error, Exit},
    input::{Source, one_stdin},
    keyring::{KeyCommands, LoadedKeys},
    output::Target,
    passphrase::Passphrase,
};

/// Open the sealed fields of log records
///
/// Records are written in order and byte for byte, with the decrypted value next to each encrypted
/// field. If a field does not open, a member decrypt_status says why. In tables (CSV, TSV, Parquet)
/// both are new columns at the end. A field whose result is already there is skipped. A line that is
/// not JSON, or a row that has more or fewer cells than its table, is copied and counts as failed.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("From a pipe to a pipe", "zcat events.gz | pqseal logs open -k key.pem | jq .Metadata"),
    ("A folder, with counters; the next run continues from there", "pqseal logs open -k key.pem --stats text -o opened/ logs/"),
    ("A file as it grows; the next run continues where this one ended", "pqseal logs open -k key.pem --follow --state app.state -o opened.ndjson app.log"),
]))]
pub(super) struct Open {
    #[command(flatten)]
    opening: OpenArgs,
    #[command(flatten)]
    records: RecordArgs,
    /// Write each event of a JSON document on a line of its own, such as each item of the list in
    /// the answer of an API; rows of tables stay as they are
    #[arg(long)]
    explode: bool,
    #[command(flatten)]
    counting: CountArgs,
    #[command(flatten)]
    monitoring: MonitorArgs,
    #[command(flatten)]
    io: IoArgs,
}

/// The options for records that do not open.
#[derive(Args)]
struct MonitorArgs {
    /// Add a line of JSON for each record that failed: source, line, code, key_ids_tried,
    /// key_labels_tried if a key has a label, and the record; never plaintext
    #[arg(long, value_name = "FILE")]
    dead_letter: Option<Target>,
    /// Write the counters to this file, for Prometheus' text file collector
    #[arg(long, value_name = "FILE")]
    prometheus: Option<Target>,
    /// Exit with 1 if more than N records failed
    #[arg(long, value_name = "N", conflicts_with = "strict")]
    max_errors: Option<u64>,
    /// Count opened fields by period of a calendar; if not given, all periods are one key
    #[arg(long)]
    by_period: bool,
}

impl Open {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let inputs = self.io.sources();
        let secrets = self.opening.sources().chain(&inputs);
        one_stdin(secrets.chain(self.io.kafka_config()))?;
        let (plan, outputs) = self.io.plan(&[
            ("--dead-letter", self.monitoring.dead_letter.as_ref()),
            ("--prometheus", self.monitoring.prometheus.as_ref()),
        ])?;
        let (framing, limits) = self.records.framing(&plan)?;
        let mut keys = self.opening.keys()?;
        outputs.protect(&keys.files)?;
        let mut options = RecordOpenOptions {
            explode: self.explode,
            max_fields: self.records.max_fields,
            framing,
            limits,
            ..self.opening.options()?
        };
        let canonical = options.canonical()?.to_string();
        let key_ids = key_ids(&keys);
        let fields = options.fields.named().iter().map(FieldPath::to_string);
        let fields = fields.collect();
        let others = keys.for_others()?;
        options.threads = self.records.threads();
        let pipeline = options.pipeline(mem::take(&mut keys.ring), others)?;
        let opener = pipeline.transform();
        let settings = ReportSettings {
            action: Action::Open,
            keys: match self.monitoring.by_period {
                true => opener.names().cloned().collect(),
                false => opener.report_names(),
            },
            fields,
            has_info: self.opening.info.is_some(),
            has_aad: self.opening.fields.aad_from.is_some(),
            again: self.opening.again,
            stats: self.counting.stats,
            prometheus: self.monitoring.prometheus.clone(),
            failed_list: self.io.failed_list.clone(),
            letters: self.monitoring.dead_letter.clone(),
            strict: self.counting.strict,
            allowed: match self.counting.strict {
                true => Some(0),
                false => self.monitoring.max_errors,
            },
            to_screen: plan.is_to_screen(),
            json,
        };
        let run = Run {
            pipeline: &pipeline,
            io: &self.io,
            outputs: &outputs,
            mode: 0o600,
            options: canonical,
            keys: key_ids,
        };
        run.run(&plan, settings, |ran| {
            ran.map_err(|error| keys.helpers.explain(error))
        })
    }
}

/// Returns the ids of the keys, as the state has them.
fn key_ids(keys: &LoadedKeys) -> Vec<String> {
    let ring = keys.ring.key_ids().map(|id| id.to_string());
    // The same secret may be a key of matched data, too, with the same id.
    let others = keys.others.iter().map(|key| match key.kind() {
        Kind::Age => format!("age:{}", key.name().id),
        _ => key.name().id.to_string(),
    });
    ring.chain(others).collect()
}

/// The keys, the fields, and the context that blobs are bound to.
#[derive(Args)]
pub(super) struct OpenArgs {
    /// A file with private keys in any format, one after another, or with a private calendar, `-`
    /// for standard input, or a folder of such files; repeat it to give several. `#` starts a
    /// comment. A comment next to a key, or on the line above it, becomes its label in counters and
    /// dead letters
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
    fields: FieldArgs,
    /// Open a field although its result is already there, and replace that result, or remove it if
    /// the field does not open. If not given, such fields are skipped, and their records counted
    #[arg(long)]
    again: bool,
    /// The application context (HPKE info) that version 4 blobs were sealed with
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    min_version: MinVersion,
}

/// The fields to open.
#[derive(Args)]
struct FieldArgs {
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
    preset: Option<PresetName>,
    /// The kind of all sealed values; if not given, that of the preset, or detected for each by its
    /// form. For ai-gateway and agent-receipt, a value of another form is in the clear, and copied;
    /// for jwe and age, a string that does not begin as one
    #[arg(long, value_enum, value_name = "KIND")]
    sealed_as: Option<KindName>,
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
    form: Option<ResultForm>,
    /// The field that version 4 blobs are bound to, such as an event's id
    #[arg(long, value_name = "PATH")]
    aad_from: Option<FieldPath>,
}

#[derive(Clone, Copy, ValueEnum)]
enum PresetName {
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
enum KindName {
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
enum ResultForm {
    /// A string; bytes that are not UTF-8 become U+FFFD, and decrypt_lossy says so
    String,
    /// JSON if the plaintext is JSON, otherwise a string
    Json,
    /// Base64 of its bytes
    Base64,
    /// Its bytes in a binary column of Parquet; base64 of them elsewhere
    Bytes,
}

impl OpenArgs {
    /// Returns the sources of keys and passphrases.
    pub(super) fn sources(&self) -> impl Iterator<Item = &Source> {
        self.keys.iter().chain(self.passphrase.source())
    }

    /// Loads the keys, as they are now.
    ///
    /// # Errors
    /// If one cannot be used.
    pub(super) fn keys(&self) -> Result<LoadedKeys, Error> {
        LoadedKeys::load(&self.keys, &self.commands, &self.passphrase)
    }

    /// Returns these options.
    ///
    /// # Errors
    /// If fields cannot be selected in this way.
    pub(super) fn options(&self) -> Result<RecordOpenOptions, Error> {
        let fields = &self.fields;
        Ok(RecordOpenOptions {
            fields: match fields.preset {
                Some(name) => select(name.preset(), fields.fields.clone(), &fields.into)?,
                None if fields.fields.is_empty() => FieldSelection::Preset(Preset::Auto),
                None => FieldSelection::Named {
                    fields: fields.fields.clone(),
                    into: fields.into.clone(),
                },
            },
            kind: fields.sealed_as.map(KindName::kind),
            mode: match (fields.keep, fields.replace, fields.drop_encrypted) {
                (true, ..) => Some(OnField::Keep),
                (_, true, _) => Some(OnField::Replace),
                (.., true) => Some(OnField::Drop),
                _ => None,
            },
            form: fields.form.map(ResultForm::format),
            aad_from: fields.aad_from.clone(),
            again: self.again,
            info: self.info.clone().unwrap_or_default().into_bytes(),
            allow_experimental: self.experimental.is_experimental(),
            min_version: self.min_version.get(),
            ..RecordOpenOptions::default()
        })
    }
}

/// Returns the fields of a preset. Without one, the rules are those of OTLP, with these fields.
///
/// # Errors
/// If fields or names of results are given that the preset has itself.
pub(super) fn select(
    preset: Option<Preset>,
    fields: Vec<FieldPath>,
    into: &[String],
) -> Result<FieldSelection, Error> {
    if preset.is_some() && !fields.is_empty() {
        return Err(Error::usage(
            "--preset cannot be used with --field, except for otlp; leave one of them out",
        ));
    }
    if !into.is_empty() {
        return Err(Error::usage(
            "the fields of a preset have their own names; leave --into out",
        ));
    }
    Ok(preset.map_or(FieldSelection::Otlp(fields), FieldSelection::Preset))
}

impl PresetName {
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

impl KindName {
    const fn kind(self) -> Kind {
        match self {
            Self::MatchedData => Kind::MatchedData,
            Self::AiGateway => Kind::AiGateway,
            Self::AgentReceipt => Kind::AgentReceipt,
            Self::Jwe => Kind::Jwe,
            Self::Age => Kind::Age,
        }
    }
}

impl ResultForm {
    const fn format(self) -> ResultFormat {
        match self {
            Self::String => ResultFormat::String,
            Self::Json => ResultFormat::Json,
            Self::Base64 => ResultFormat::Base64,
            Self::Bytes => ResultFormat::Bytes,
        }
    }
}
