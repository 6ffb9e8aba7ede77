//! Log records in bulk: the same records, with results beside their sealed fields.

use std::{fs::File, path::PathBuf};

use pqseal_pipeline::{Framing, Input, Limits, Observer, Opener, Pipeline, Stats};
use pqseal_records::{FieldPath, OnField, Preset, ResultFormat, Rule, Rules};
use pqseal_sealed::Kind;
use pyo3::{prelude::*, types::PyBytes};

use crate::{
    argument::{self, Buffer, bytes},
    error::Error,
    keyring::KeyRing,
};

/// The size in bytes up to which one thread is as quick as a pool of them.
const SMALL: usize = 1 << 18;

/// The records: their bytes, or a file.
#[derive(FromPyObject)]
pub(crate) enum Data {
    Bytes(Buffer),
    File(PathBuf),
}

/// The fields to open: those of a preset, or at these paths.
#[derive(FromPyObject)]
pub(crate) enum Selected {
    Preset(String),
    Paths(Vec<String>),
}

/// Opens the sealed fields of log records, as `pqseal logs open` does. Returns the same records
/// with the results, byte for byte, and the counters.
///
/// `data` is the bytes of NDJSON, JSON, CSV or TSV, or the path of such a file, also with gzip.
/// `rules` is a preset (`auto`, `cf-logpush`, `cf-events`, `cf-dlp`, `audit-log`, `ai-gateway`,
/// `agent-receipts`, `otlp-genai`, `otlp-http`), or a list of paths such as `.Metadata.name`. JSON
/// inside strings is searched too, except for OTLP. `into` gives each path the name of its result.
/// `mode` is `keep`, `replace` or `drop`, `form` is `string`, `json` or `base64`; OTLP has neither.
/// `aad_from` is the path of the field that version 4 blobs are bound to. `policy` is for matched
/// data. `sealed_as` is the kind of all values: `matched-data`, `ai-gateway`, `agent-receipt`,
/// `jwe` or `age`; without it, that of the preset, or detected for each value. `input_format` is
/// `auto`, `ndjson`, `json`, `csv` or `tsv`. A record that fails is in the output unchanged, with
/// its code beside the field and in the counters.
///
/// Runs on all cores without the interpreter's lock.
#[pyfunction]
#[pyo3(signature = (keyring, data, rules = Selected::Preset("auto".to_owned()), *, into = None, mode = None, form = None, aad_from = None, info = None, policy = "draft", sealed_as = None, input_format = "auto"), text_signature = "(keyring, data, rules='auto', *, into=None, mode=None, form=None, aad_from=None, info=None, policy='draft', sealed_as=None, input_format='auto')")]
#[allow(clippy::too_many_arguments, reason = "Python's keyword arguments")]
pub(crate) fn open_records<'py>(
    py: Python<'py>,
    keyring: &KeyRing,
    data: Data,
    rules: Selected,
    into: Option<Vec<String>>,
    mode: Option<&str>,
    form: Option<&str>,
    aad_from: Option<&str>,
    info: Option<Buffer>,
    policy: &str,
    sealed_as: Option<&str>,
    input_format: &str,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyAny>)> {
    let kind = match (sealed_as, &rules) {
        (Some(name), _) => Some(
            name.parse()
                .map_err(|error| Error::argument(format!("sealed_as must be {error}")))?,
        ),
        (None, Selected::Preset(name)) => preset(name).ok().and_then(Kind::of_preset),
        (None, Selected::Paths(_)) => None,
    };
    let mut rules = rules.rules(into)?;
    if rules.is_otlp() && (mode.is_some() || form.is_some() || sealed_as.is_some()) {
        return Err(Error::argument(
            "values of OTLP are restored as they were; leave mode, form and sealed_as out",
        )
        .into());
    }
    if rules.apart.is_some() && mode.is_some() {
        return Err(Error::argument(
            "agent receipts are replaced by their results; leave mode out",
        )
        .into());
    }
    rules.mode = mode.map(mode_of).transpose()?.unwrap_or(rules.mode);
    rules.form = form.map(form_of).transpose()?.unwrap_or(rules.form);
    rules.aad_from = aad_from.map(path).transpose()?;
    let framing = framing(input_format)?;
    let (info, policy) = (bytes(info.as_ref()).to_vec(), argument::policy(policy)?);
    let opened = py.detach(|| {
        keyring.with_others(
            kind,
            |ring, others, kind| -> Result<(Vec<u8>, String), pqseal_pipeline::Error> {
                let threads =
                    usize::from(matches!(&data, Data::Bytes(bytes) if bytes.len() <= SMALL));
                let opener = Opener::bound(ring, info, policy).with_others(others, kind);
                let names = opener.report_names();
                rules.json = Kind::json_values(kind);
                let pipeline = Pipeline::new(opener, rules, threads)?;
                let mut out = Vec::new();
                let stats = data.run(&pipeline.framed(framing, Limits::default()), &mut out)?;
                let stats = stats.merged(&names);
                Ok((out, stats.json(&names, 0.0).to_string()))
            },
        )
    })?;
    let (out, counters) = opened.map_err(|error: pqseal_pipeline::Error| match error {
        pqseal_pipeline::Error::Read(error) => PyErr::from(error),
        error => Error::of_code("bad_records", error.to_string()).into(),
    })?;
    let counters = py.import("json")?.call_method1("loads", (counters,))?;
    for timed in ["seconds", "records_per_second"] {
        counters.del_item(timed)?;
    }
    Ok((PyBytes::new(py, &out), counters))
}

impl Data {
    fn run<R: std::borrow::Borrow<pqseal_matched_data::KeyRing> + Sync>(
        &self,
        pipeline: &Pipeline<Opener<R>>,
        out: &mut Vec<u8>,
    ) -> Result<Stats, pqseal_pipeline::Error> {
        let read = pqseal_pipeline::Error::Read;
        match self {
            Self::Bytes(bytes) => {
                let input = Input::decompressed(&**bytes).map_err(read)?;
                let framing = pipeline.framing();
                pipeline.run_framed(input, framing, out, "data", &mut Quiet)
            }
            Self::File(path) => {
                let framing = pipeline.framing().of(path);
                let file = File::open(path).map_err(read)?;
                let input = Input::decompressed(file).map_err(read)?;
                pipeline.run_framed(input, framing, out, &path.to_string_lossy(), &mut Quiet)
            }
        }
    }
}

/// An observer for runs whose counters are returned at the end.
struct Quiet;

impl Observer for Quiet {
    fn batch(&mut self, _stats: &Stats) {}
}

impl Selected {
    fn rules(self, into: Option<Vec<String>>) -> Result<Rules, Error> {
        let paths = match self {
            Self::Preset(_) if into.is_some() => {
                return Err(Error::argument("into is for a list of paths"));
            }
            Self::Preset(name) => return Ok(preset(&name)?.rules()),
            Self::Paths(paths) => paths,
        };
        let rules = paths.iter().map(|text| Ok(Rule::field(path(text)?)));
        let mut rules: Vec<_> = rules.collect::<Result<_, Error>>()?;
        if let Some(into) = into {
            if into.len() != rules.len() {
                return Err(Error::argument("into must have a name for each path"));
            }
            rules
                .iter_mut()
                .zip(into)
                .for_each(|(rule, into)| rule.into = into);
        }
        Ok(Rules {
            rules,
            named: true,
            ..Rules::default()
        })
    }
}

fn preset(name: &str) -> Result<Preset, Error> {
    Ok(match name {
        "auto" => Preset::Auto,
        "cf-logpush" => Preset::CfLogpush,
        "cf-events" => Preset::CfEvents,
        "cf-dlp" => Preset::CfDlp,
        "audit-log" => Preset::AuditLog,
        "ai-gateway" => Preset::AiGateway,
        "agent-receipts" => Preset::AgentReceipts,
        "otlp-genai" => Preset::OtlpGenai,
        "otlp-http" => Preset::OtlpHttp,
        _ => {
            return Err(Error::argument(
                "rules must be a list of paths, or auto, cf-logpush, cf-events, cf-dlp, audit-log, ai-gateway, agent-receipts, otlp-genai or otlp-http",
            ));
        }
    })
}

fn path(text: &str) -> Result<FieldPath, Error> {
    text.parse()
        .map_err(|error| Error::argument(format!("the path {text} is not valid: {error}")))
}

fn mode_of(name: &str) -> Result<OnField, Error> {
    match name {
        "keep" => Ok(OnField::Keep),
        "replace" => Ok(OnField::Replace),
        "drop" => Ok(OnField::Drop),
        _ => Err(Error::argument("mode must be keep, replace or drop")),
    }
}

fn form_of(name: &str) -> Result<ResultFormat, Error> {
    match name {
        "string" => Ok(ResultFormat::String),
        "json" => Ok(ResultFormat::Json),
        "base64" => Ok(ResultFormat::Base64),
        _ => Err(Error::argument("form must be string, json or base64")),
    }
}

fn framing(name: &str) -> Result<Framing, Error> {
    match name {
        "auto" => Ok(Framing::Auto),
        "ndjson" => Ok(Framing::Lines),
        "json" => Ok(Framing::Json),
        "csv" => Ok(Framing::CSV),
        "tsv" => Ok(Framing::TSV),
        _ => Err(Error::argument(
            "input_format must be auto, ndjson, json, csv or tsv",
        )),
    }
}
