//! `pqseal logs seal`: seals fields of log records, as the edge does.

use std::{ffi::OsString, slice};

use clap::{Args, ValueEnum};
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::base64;
use pqseal_matched_data::SealOptions;
use pqseal_pipeline::Sealer;
use pqseal_records::{FieldPath, OnField, Preset, Rules, audit_log};
use serde_json::json;

use super::{
    fields,
    refused::Refused,
    report::{Counting, Run},
    sealing::{CalendarOptions, Sealing},
    summary::{Action, Asked},
    transfer::{Manner, Transfer, Way},
    work::{DependsOn, Work},
};
use crate::{
    binding::AllowExperimental,
    error::{Error, Exit},
    input::{Source, one_stdin},
    recipient::{Recipient, recipient_or_calendar},
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
#[command(after_long_help = crate::examples::help(&crate::examples::LOGS_SEAL))]
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
    preset: Option<Named>,
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
    periods: CalendarOptions,
    #[command(flatten)]
    refused: Refused,
    #[command(flatten)]
    experimental: AllowExperimental,
    #[command(flatten)]
    frame: fields::Frame,
    #[command(flatten)]
    counting: Counting,
    #[command(flatten)]
    transfer: Transfer,
}

/// The log. The two firewalls' presets seal the fields of either.
#[derive(Clone, Copy, ValueEnum)]
enum Named {
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

impl Seal {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let recipient = Source::from(OsString::from(&self.recipient));
        let (inputs, config) = (self.transfer.sources(), self.transfer.kafka.config());
        one_stdin(inputs.iter().chain([&recipient]).chain(config))?;
        let refused = self.refused.file()?;
        let way = self
            .transfer
            .way(&self.frame, [("--on-refused", refused.cloned())])?;
        way.route.protect(slice::from_ref(&recipient))?;
        let lasts = !matches!(way.manner, Manner::Once);
        let recipient = recipient_or_calendar(&self.recipient, lasts)?;
        let mut rules = self.frame.limited(self.refused.apply(self.rules()?));
        rules.origin = self.periods.time_from.iter().cloned().collect();
        let depends_on = self.depends_on(&recipient, &way, &rules)?;
        let run = Run {
            action: Action::Seal,
            keys: Vec::new(),
            asked: self.asked(),
            failed_list: self.transfer.files.failed_list.clone(),
            to_screen: way.route.is_to_screen(),
            json,
        };
        let sealer = self.sealer(recipient, lasts)?;
        let mut pipeline = way.pipeline(sealer, rules, &self.frame)?;
        if self.refused.is_asked() {
            pipeline = pipeline.in_parts();
        }
        let work = Work {
            pipeline: &pipeline,
            transfer: &self.transfer,
            mode: 0o666,
            depends_on,
        };
        let report = way.report(&self.counting, run)?;
        let mut report = report.refused_to(refused)?;
        let ran = work.run(&way, &mut report);
        pipeline.transform().warn_of_times();
        report.finish(ran)
    }

    fn asked(&self) -> Asked {
        let fields = match self.preset {
            Some(_) => self.fields.clone(),
            None => self.fields(),
        };
        let fields = fields.iter().map(FieldPath::to_string).collect();
        Asked {
            fields,
            ..Asked::default()
        }
    }

    /// Returns everything that outputs depend on besides their inputs, in alphabetical order. The
    /// state file contains its hash: if this text changes, every file is processed again.
    fn depends_on(
        &self,
        recipient: &Recipient,
        way: &Way,
        rules: &Rules,
    ) -> Result<DependsOn, Error> {
        let kem = recipient.kem();
        let suite = self.suite.map(|suite| suite.of_key(kem)).transpose()?;
        let mut options = json!({
            "framing": way.framing.to_string(),
            "info": self.info.as_ref().map(|info| base64::encode(info.as_bytes())),
            "max_line": way.limits.record,
            "rules": rules.canonical(),
            "suite": suite.map(typed),
            "to": recipient.name(),
        });
        // Without the options, the text is that of earlier versions.
        if let Some(path) = &self.periods.time_from {
            options["time_from"] = path.to_string().into();
        }
        if self.refused.is_asked() {
            options["on_refused"] = self.refused.file()?.map_or("seal", |_| "file").into();
        }
        Ok(DependsOn {
            options: options.to_string(),
            keys: Vec::new(),
        })
    }

    fn fields(&self) -> Vec<FieldPath> {
        match self.fields.is_empty() {
            true => vec!["/Metadata/matched_data".parse().expect("this is a path")],
            false => self.fields.clone(),
        }
    }

    fn rules(&self) -> Result<Rules, Error> {
        if let Some(preset) = self.preset {
            return Ok(Rules {
                aad_from: self.aad_from.clone(),
                ..self.of_preset(preset)?
            });
        }
        let fields = self.fields();
        let mut rules = fields::named(&fields, &self.into)?;
        if self.into.is_empty() {
            for (rule, field) in rules.iter_mut().zip(&fields) {
                let name = field.name().ok_or_else(|| {
                    Error::usage(
                        "the path of a field to seal must end in a name; give one that does",
                    )
                })?;
                rule.into = format!("encrypted_{name}");
            }
        }
        let rules = Rules {
            rules,
            named: true,
            mode: OnField::Drop,
            aad_from: self.aad_from.clone(),
            ..Rules::default()
        };
        fields::check(&rules)?;
        Ok(rules)
    }

    fn of_preset(&self, preset: Named) -> Result<Rules, Error> {
        if !matches!(preset, Named::Otlp) && !self.fields.is_empty() {
            return Err(fields::two_ways());
        }
        if !self.into.is_empty() {
            return Err(fields::no_names());
        }
        let rules = match preset {
            Named::Modsecurity | Named::Coraza => {
                let also: Vec<_> = self.also.iter().map(|part| part.part()).collect();
                return Ok(audit_log::to_seal(&also));
            }
            Named::Otlp => fields::otlp_fields(&self.fields)?,
            Named::OtlpGenai => Preset::OtlpGenai.rules(),
            Named::OtlpHttp => Preset::OtlpHttp.rules(),
        };
        // Without --on-refused the run stops.
        let whole = None;
        match self.also.is_empty() {
            true => Ok(Rules { whole, ..rules }),
            false => Err(Error::usage(
                "--also is for the presets of firewalls; leave it out",
            )),
        }
    }

    fn sealer(&self, recipient: Recipient, lasts: bool) -> Result<Sealing, Error> {
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
