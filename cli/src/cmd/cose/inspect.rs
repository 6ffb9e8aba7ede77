//! `pqseal cose inspect`.

use clap::Args;
use pqseal_formats::{
    ALGORITHMS,
    cose::{self, ContentAlgorithm, Inspected, Structure},
};
use serde_json::{Map, Value, json};

use super::bytes;
use crate::{
    cmd::jwe::inspect::line, error::Error, escape, input::Source, message::failed,
    output::to_stdout,
};

/// Show the headers of a COSE message, without any key
///
/// What is shown is not authenticated until the message is opened.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::COSE_INSPECT))]
pub(super) struct Inspect {
    /// The COSE_Encrypt0 or COSE_Encrypt message, tagged or not
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

impl Inspect {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        to_stdout(show(&self.input.read()?, json)?.as_bytes())
    }
}

/// Describes a COSE message, in lines or as JSON.
pub(in crate::cmd) fn show(message: &[u8], json: bool) -> Result<String, Error> {
    let (structure, content, recipients) =
        cose::inspect(message).map_err(|error| failed(&error))?;
    let content = content.map(|id| (id, ContentAlgorithm::by_id(id)));
    let shown = match json {
        true => as_json(structure, content, &recipients),
        false => as_text(structure, content, &recipients),
    };
    Ok(shown)
}

/// The number of a content encryption algorithm, and the algorithm if it is known.
type Content = Option<(i64, Option<ContentAlgorithm>)>;

/// Lists the facts of a recipient, in order.
fn facts(one: &Inspected) -> Vec<(&'static str, Value)> {
    let known = ALGORITHMS.iter().find(|alg| Some(alg.cose()) == one.alg);
    let mut facts = Vec::new();
    facts.extend(one.alg.map(|alg| ("alg", json!(alg))));
    facts.extend(known.map(|alg| ("algorithm", json!(alg.name()))));
    facts.extend(one.kid.as_deref().map(|kid| bytes("kid", kid)));
    facts.extend(one.psk_id.as_deref().map(|id| bytes("psk_id", id)));
    facts.extend(one.ek_len.map(|len| ("ek_bytes", json!(len))));
    facts
}

fn as_json(structure: Structure, content: Content, recipients: &[Inspected]) -> String {
    let object = |one| {
        let members = facts(one).into_iter();
        Value::Object(Map::from_iter(
            members.map(|(name, value)| (name.to_owned(), value)),
        ))
    };
    let mut shown = json!({"format": "cose", "structure": structure.to_string()});
    if let Some((id, known)) = content {
        shown["content_alg"] = json!(id);
        shown["content_algorithm"] = json!(known.map(ContentAlgorithm::name));
    }
    shown["recipients"] = recipients.iter().map(object).collect();
    escape::json(&shown.to_string()) + "\n"
}

fn as_text(structure: Structure, content: Content, recipients: &[Inspected]) -> String {
    let mut text = line("format", "COSE") + &line("structure", &structure.to_string());
    if let Some((id, known)) = content {
        let name = known.map_or("unknown", ContentAlgorithm::name);
        text += &line("content", &format!("{name} ({id})"));
    }
    for (number, one) in recipients.iter().enumerate() {
        text += &line("recipient", &number.to_string());
        for (name, value) in facts(one) {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let name = name.replace('_', " ");
            text += &line(&format!("  {name}"), &escape::bytes(value.as_bytes()));
        }
    }
    text
}
