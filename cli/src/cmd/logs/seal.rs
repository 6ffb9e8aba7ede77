//! `pqseal logs seal`: seals fields of log records to one key or to a calendar, as the edge does.

use std::{
    ffi::OsString,
    slice,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::{Args, ValueEnum};
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{base64, calendar::PublicCalendar};
use pqseal_matched_data::SealOptions;
use pqseal_pipeline::{
    CalendarSealer, FieldSelection, FieldValue, MakeSealer, Outcome, Pipeline, Sealer, Transform,
    check_fields,
};
use pqseal_records::{
    FieldPath, OnField, Preset, Rules,
    audit_log::{self, WHOLE},
};
use pqseal_text::duration;
use serde_json::json;

use super::{
    Action, CountArgs, IoArgs, RecordArgs, ReportSettings, Run, not_started, open::select,
};
use crate::{
    binding::AllowExperimental,
    calendar,
    cmd::seal::unusable,
    date::seconds_now,
    error::{Error, Exit, warn},
    input::{Source, one_stdin},
    output::Target,
    recipient::{Recipient, can_be_read_again, recipient_or_calendar},
    signals,
    suite::{SuiteArg, typed},
};

/// Seal fields of log records to a public key
///
/// Each field is replaced by a blob under another name. Each blob has its own encapsulated key.
/// Blobs are version 3 for x25519 keys, and version 4 for other keys, for a calendar, or if
/// --suite, --info or --aad-from is given. The run stops before it writes a record that cannot be
/// sealed, or that already has a field with the blob's name; with --on-refused it seals such a
/// record as a whole. Records without the field are written unchanged. In a table each column with
/// the field's name gets a new column for its blobs, and its own cells become empty.
///
/// With a firewall's preset the fields are those of its audit log (JSON, one
/// transaction per line). Without --also only what the rules matched is sealed: the match, its
/// data, and the error message that repeats them. The same text is often in the request's URI,
/// headers and body, in a response that repeats it, and in messages that name what matched. These
/// stay in the clear unless --also names them. Always in the clear are the client's address, times,
/// and ids and tags of rules. A line that is not JSON, or whose fields cannot be sealed, is sealed
/// as a whole. `pqseal logs open` with the same preset gives each line back, byte for byte.
///
/// With an otlp preset the input is OpenTelemetry's logs or spans as JSON, one batch per line, and
/// fields are attributes and bodies of records. Each keeps its name, and its value becomes a
/// string. The run stops before a line that is not OTLP, unless --on-refused is given. --aad-from
/// and --time-from are members of each record, such as traceId and timeUnixNano.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("Matched data of firewall events", "pqseal logs seal --to public.txt -o sealed.ndjson events.ndjson"),
    ("Two fields, each bound to the record's id", "pqseal logs seal --to public.txt --field .user --field .body --aad-from .id events.ndjson"),
    ("What a firewall's rules matched, as its log grows", "pqseal logs seal --to public.txt --preset modsecurity --follow audit.log --state seal.state -o sealed.ndjson"),
]))]
pub(super) struct Seal {
    /// The recipient's public key, or a file with it, as in `pqseal seal`, or a public calendar.
    /// With --follow, --watch or a topic, SIGHUP reads a calendar again if it is a regular file,
    /// and does not end the run
    #[arg(long = "to", value_name = "PUBLIC-KEY-OR-FILE")]
    recipient: String,
    /// A field to seal; if none is given, .Metadata.matched_data. A string is sealed as its text,
    /// any other value as its JSON. With --preset otlp: body, attributes["KEY"], or
    /// attributes["BEGINNING*"]
    #[arg(long = "field", value_name = "PATH")]
    fields: Vec<FieldPath>,
    /// The name of the sealed field, one for each --field; if not given, encrypted_ and the
    /// field's name
    #[arg(long, value_name = "NAME")]
    into: Vec<String>,
    /// Seal what the rules of a web application firewall matched, in its audit log, or fields of
    /// OTLP-JSON
    #[arg(long, value_enum)]
    preset: Option<PresetName>,
    /// With the preset of a firewall: more to seal, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "PART",
        requires = "preset"
    )]
    also: Vec<Also>,
    /// The field that each blob is bound to, such as an event's id (version 4)
    #[arg(long, value_name = "PATH")]
    aad_from: Option<FieldPath>,
    /// Application context (HPKE info); the same value is required to open the blobs (version 4
    /// only)
    #[arg(long, value_name = "TEXT")]
    info: Option<String>,
    /// KDF and AEAD, as in `pqseal seal` (version 4)
    #[arg(long, value_name = "KDF,AEAD")]
    suite: Option<SuiteArg>,
    #[command(flatten)]
    periods: CalendarArgs,
    /// Continue after a record that cannot be sealed. `seal` seals it as a whole, in its place:
    /// {"encrypted_record":".."}. A FILE gets a line of JSON with its source, line, code and
    /// encrypted_record, and the output does without it. Rows of tables need a FILE; give both to
    /// seal other records in their places. If not given, the run ends before such a record, except
    /// that a firewall's preset seals it in its place unless it is too large
    #[arg(long, value_name = "seal|FILE")]
    on_refused: Vec<OnRefused>,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    records: RecordArgs,
    #[command(flatten)]
    counting: CountArgs,
    #[command(flatten)]
    io: IoArgs,
}

/// The log. The two firewalls' presets seal the fields of either.
#[derive(Clone, Copy, ValueEnum)]
enum PresetName {
    /// ModSecurity 3 (nginx) and 2 (Apache), with `SecAuditLogFormat JSON`
    Modsecurity,
    /// Coraza, with `SecAuditLogFormat JSON`; the same fields as modsecurity
    Coraza,
    /// Logs or spans in OTLP-JSON: the fields of --field
    Otlp,
    /// The content of requests to language models in OTLP-JSON: messages, instructions, tools
    OtlpGenai,
    /// The content of HTTP requests and responses in OTLP-JSON: bodies, headers, and URLs except
    /// url.path
    OtlpHttp,
}

#[derive(Clone, Copy, ValueEnum)]
enum Also {
    /// The messages of rules, of which some name the header or argument that matched
    Message,
    /// The request: method, URI, headers and body, and in Coraza's logs the host that it names
    Request,
    /// The response: status, headers and body
    Response,
}

#[derive(Clone, PartialEq, Eq)]
enum OnRefused {
    Seal,
    File(Target),
}

impl Seal {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let recipient = Source::from(OsString::from(&self.recipient));
        let sources = [self.io.sources(), vec![recipient.clone()]].concat();
        one_stdin(sources.iter().chain(self.io.kafka_config()))?;
        let refused = self.refused_file()?;
        let (plan, outputs) = self.io.plan(&[("--on-refused", refused)])?;
        let (framing, limits) = self.records.framing(&plan)?;
        outputs.protect(slice::from_ref(&recipient))?;
        let recipient = recipient_or_calendar(&self.recipient, plan.is_endless())?;
        let rules = self.rules()?;
        let mut options = json!({
            "framing": framing.to_string(),
            "info": self.info.as_ref().map(|info| base64::encode(info.as_bytes())),
            "max_line": limits.record,
            "rules": rules.canonical(),
            "suite": self.suite.map(|suite| suite.of_key(recipient.kem())).transpose()?.map(typed),
            "to": recipient.name(),
        });
        // Earlier versions did not have the rest, so it is added only if it is given.
        if let Some(path) = &self.periods.time_from {
            options["time_from"] = path.to_string().into();
        }
        if !self.on_refused.is_empty() {
            options["on_refused"] = refused.map_or("seal", |_| "file").into();
        }
        let settings = ReportSettings {
            action: Action::Seal,
            keys: Vec::new(),
            fields: self.fields().iter().map(FieldPath::to_string).collect(),
            has_info: false,
            has_aad: false,
            again: false,
            stats: self.counting.stats,
            prometheus: None,
            failed_list: self.io.failed_list.clone(),
            letters: refused.cloned(),
            strict: self.counting.strict,
            allowed: self.counting.strict.then_some(0),
            to_screen: plan.is_to_screen(),
            json,
        };
        let sealer = self.sealer(recipient, plan.is_endless())?;
        let pipeline = Pipeline::new(sealer, rules, self.records.threads());
        let mut pipeline = pipeline.map_err(not_started)?.framed(framing, limits);
        if !self.on_refused.is_empty() {
            pipeline = pipeline.in_parts();
        }
        Run {
            pipeline: &pipeline,
            io: &self.io,
            outputs: &outputs,
            mode: 0o666,
            options: options.to_string(),
            keys: Vec::new(),
        }
        .run(&plan, settings, |ran| {
            pipeline.transform().warn_of_times();
            ran
        })
    }

    /// Returns the file for refused records.
    fn refused_file(&self) -> Result<Option<&Target>, Error> {
        let mut files = self.on_refused.iter().filter_map(|asked| match asked {
            OnRefused::Seal => None,
            OnRefused::File(target) => Some(target),
        });
        match (files.next(), files.next()) {
            (file, None) => Ok(file),
            _ => Err(Error::usage(
                "--on-refused takes one file; name only one, or the file and `seal`",
            )),
        }
    }

    fn fields(&self) -> Vec<FieldPath> {
        match self.fields.is_empty() && self.preset.is_none() {
            true => vec!["/Metadata/matched_data".parse().expect("this is a path")],
            false => self.fields.clone(),
        }
    }

    fn rules(&self) -> Result<Rules, Error> {
        let rules = match self.preset {
            Some(preset) => self.of_preset(preset)?,
            None => self.of_fields()?,
        };
        let whole = match self.on_refused.is_empty() {
            true => rules.whole,
            false => self.on_refused.contains(&OnRefused::Seal).then_some(WHOLE),
        };
        Ok(Rules {
            aad_from: self.aad_from.clone(),
            origin: self.periods.time_from.iter().cloned().collect(),
            max_fields: self.records.max_fields,
            whole,
            ..rules
        })
    }

    fn of_fields(&self) -> Result<Rules, Error> {
        let (fields, into) = (self.fields(), self.into.clone());
        let mut rules = FieldSelection::Named { fields, into }.rules()?;
        if self.into.is_empty() {
            for (rule, field) in rules.rules.iter_mut().zip(self.fields()) {
                let name = field.name().ok_or_else(|| {
                    Error::usage(
                        "the path of a field to seal must end in a name; give one that does",
                    )
                })?;
                rule.into = format!("encrypted_{name}");
            }
        }
        rules.mode = OnField::Drop;
        check_fields(&rules)?;
        Ok(rules)
    }

    fn of_preset(&self, preset: PresetName) -> Result<Rules, Error> {
        let preset = match preset {
            PresetName::Modsecurity | PresetName::Coraza => Some(Preset::AuditLog),
            PresetName::Otlp => None,
            PresetName::OtlpGenai => Some(Preset::OtlpGenai),
            PresetName::OtlpHttp => Some(Preset::OtlpHttp),
        };
        let selection = select(preset, self.fields.clone(), &self.into)?;
        if preset == Some(Preset::AuditLog) {
            let also: Vec<_> = self.also.iter().map(|part| part.part()).collect();
            return Ok(audit_log::to_seal(&also));
        }
        let rules = selection.rules()?;
        // Without --on-refused the run stops.
        let whole = None;
        match self.also.is_empty() {
            true => Ok(Rules { whole, ..rules }),
            false => Err(Error::usage(
                "--also is for the presets of firewalls; leave it out",
            )),
        }
    }

    fn sealer(&self, recipient: Recipient, lasts: bool) -> Result<RecipientSealer, Error> {
        let kem = recipient.kem();
        let suite = self.suite.map(|suite| suite.of_key(kem)).transpose()?;
        // An empty info counts as given, and asks for version 4.
        let asked = self.info.is_some().then_some(4);
        let info = self.info.clone().unwrap_or_default();
        let with_aad = self.aad_from.is_some();
        let policy = self.experimental.policy();
        let make = move |key: &AnyPublicKey, version: Option<u8>| {
            let options = SealOptions {
                version: version.or(asked),
                kdf: suite.map(|suite| suite.kdf),
                aead: suite.map(|suite| suite.aead),
                info: info.as_bytes(),
                with_aad,
                policy: policy.clone(),
            };
            Sealer::new(key, &options)
        };
        self.periods
            .sealing(&self.recipient, recipient, lasts, make)
    }
}

impl Also {
    const fn part(self) -> audit_log::Part {
        match self {
            Self::Message => audit_log::Part::Message,
            Self::Request => audit_log::Part::Request,
            Self::Response => audit_log::Part::Response,
        }
    }
}

impl From<OsString> for OnRefused {
    fn from(name: OsString) -> Self {
        match name == *"seal" {
            true => Self::Seal,
            false => Self::File(name.into()),
        }
    }
}

/// The time between two warnings that a calendar ends, in seconds.
const WARN_EVERY: u64 = 86_400;

/// The options for a calendar.
#[derive(Args)]
struct CalendarArgs {
    /// With a calendar: seal each record to the period of its own time, in this field (RFC 3339, or
    /// Unix seconds, milliseconds, microseconds or nanoseconds)
    #[arg(long, value_name = "PATH")]
    time_from: Option<FieldPath>,
    /// With --time-from: a record whose time is further from now, or is not a time, is sealed to
    /// the current period, and counted
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1h",
        value_parser = duration,
        requires = "time_from"
    )]
    skew: Duration,
    /// With a calendar: warn this many days before its end. No effect with a single key
    #[arg(long, value_name = "N", default_value_t = calendar::WARN_DAYS)]
    warn_days: u64,
}

/// Seals to one key, or to the periods of a calendar.
enum RecipientSealer {
    Key(Box<Sealer>),
    Calendar(Box<ReloadedCalendar>),
}

/// A calendar that a long run warns of each day, and reads again at SIGHUP.
struct ReloadedCalendar {
    file: String,
    sealer: CalendarSealer,
    warn_days: u64,
    /// The day of the last warning, since 1970. It is locked while the calendar is read again, so
    /// that no other thread seals to the old one in the meantime, which may have ended.
    warned: Mutex<u64>,
    is_asked: Arc<AtomicBool>,
}

impl CalendarArgs {
    /// Returns the transform for a recipient. `make` creates the sealer for a key, given the
    /// version that it must have. If the run `lasts`, SIGHUP reads the calendar again.
    ///
    /// # Errors
    /// If the options do not fit, or the calendar has no current period.
    fn sealing(
        &self,
        to: &str,
        recipient: Recipient,
        lasts: bool,
        make: impl Fn(&AnyPublicKey, Option<u8>) -> Result<Sealer, pqseal_matched_data::Error>
        + Send
        + Sync
        + 'static,
    ) -> Result<RecipientSealer, Error> {
        let calendar = match recipient {
            Recipient::Calendar(calendar) => calendar,
            Recipient::Key(_) if self.time_from.is_some() => {
                return Err(Error::usage(
                    "--time-from is for a calendar, and --to is a single key; leave --time-from out",
                ));
            }
            Recipient::Key(key) => {
                let sealer = make(&key, None).map_err(|error| unusable(&error))?;
                return Ok(RecipientSealer::Key(Box::new(sealer.precompute())));
            }
        };
        let period = calendar::now(to, &calendar)?;
        calendar::warn_of_end(to, &calendar, self.warn_days);
        let key = calendar::public_key(to, &calendar, period)?;
        make(&key, Some(4)).map_err(|error| unusable(&error))?;
        let make: MakeSealer = Box::new(move |key| Ok(make(key, Some(4))?.precompute()));
        let sealer = CalendarSealer::new(calendar, make, Box::new(seconds_now));
        let sealer = match self.time_from {
            Some(_) => sealer.with_skew(self.skew.as_secs()),
            None => sealer,
        };
        // Also for standard input, or the signal would end the run.
        let is_asked = match lasts {
            true => {
                signals::asked_to_reopen().map_err(|error| Error::io("wait for signals", &error))?
            }
            false => Arc::default(),
        };
        Ok(RecipientSealer::Calendar(Box::new(ReloadedCalendar {
            file: to.to_owned(),
            sealer,
            warn_days: self.warn_days,
            warned: (seconds_now() / WARN_EVERY).into(),
            is_asked,
        })))
    }
}

impl ReloadedCalendar {
    /// Reads the calendar again if a signal has asked for it, and gives the warning of the day. It
    /// is called before records are sealed.
    fn reload_if_asked(&self) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_asked.swap(false, Ordering::Relaxed) {
            match self.read_again() {
                Ok(calendar) => self.sealer.set_calendar(calendar),
                Err(error) => warn("not_reloaded", format_args!("{}", error.message)),
            }
            *warned = 0;
        }
        let today = seconds_now() / WARN_EVERY;
        if *warned != today {
            *warned = today;
            calendar::warn_of_end(&self.file, &self.sealer.calendar(), self.warn_days);
        }
    }

    /// Reads the calendar again. It must be the same one, whose id a state contains, and have a key
    /// for the current period.
    fn read_again(&self) -> Result<PublicCalendar, Error> {
        if !can_be_read_again(&self.file) {
            return Err(Error::refused(format!(
                "{} cannot be read again, so the calendar that was read stays in use; name a regular file",
                Source::from(OsString::from(&self.file))
            )));
        }
        match recipient_or_calendar(&self.file, true)? {
            Recipient::Calendar(new) if new.id() == self.sealer.calendar().id() => {
                calendar::public_key(&self.file, &new, calendar::now(&self.file, &new)?)?;
                Ok(new)
            }
            _ => Err(Error::refused(format!(
                "{} is not the calendar that this run seals to, which stays in use; start the run again to change it",
                self.file
            ))),
        }
    }
}

impl RecipientSealer {
    /// Warns of records that were sealed to another period than that of their time.
    fn warn_of_times(&self) {
        if let Self::Calendar(calendar) = self
            && calendar.sealer.other_times() > 0
        {
            warn(
                "other_time",
                format_args!(
                    "{} values were sealed to the current period, since the time of their records was missing, not a time, further from now than --skew, or of a period without a key",
                    calendar.sealer.other_times()
                ),
            );
        }
    }
}

impl Transform for RecipientSealer {
    fn chunk(&self, records: &[FieldValue<'_>]) -> Vec<Outcome> {
        match self {
            Self::Key(sealer) => sealer.chunk(records),
            Self::Calendar(calendar) => {
                calendar.reload_if_asked();
                calendar.sealer.chunk(records)
            }
        }
    }

    fn whole(&self, record: &[u8]) -> Outcome {
        match self {
            Self::Key(sealer) => sealer.whole(record),
            Self::Calendar(calendar) => {
                calendar.reload_if_asked();
                calendar.sealer.whole(record)
            }
        }
    }

    fn seals(&self) -> bool {
        true
    }

    fn uses_origins(&self) -> bool {
        match self {
            Self::Key(sealer) => sealer.uses_origins(),
            Self::Calendar(calendar) => calendar.sealer.uses_origins(),
        }
    }
}
