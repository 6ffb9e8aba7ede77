//! `pqseal jwe inspect`.

use std::fmt::Write;

use clap::Args;
use pqseal_formats::jwe::{self, Header, RecipientHeader, Serialization};
use serde_json::json;

use super::open::object;
use crate::{error::Error, escape, input::Source, message::failed, output::to_stdout};

/// Show the headers of a JWE, without any key
///
/// What is shown is not authenticated until the message is opened.
#[derive(Args)]
#[command(after_long_help = crate::examples::help(&crate::examples::JWE_INSPECT))]
pub(super) struct Inspect {
    /// The JWE, in any serialization
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

impl Inspect {
    pub(super) fn run(self, json: bool) -> Result<(), Error> {
        let bytes = self.input.read()?;
        let not_text = |_| failed(&pqseal_formats::Error::Malformed("it is not text"));
        let text = std::str::from_utf8(&bytes).map_err(not_text)?;
        to_stdout(show(text, json)?.as_bytes())
    }
}

/// Describes a JWE, in lines or as JSON.
pub(in crate::cmd) fn show(text: &str, json: bool) -> Result<String, Error> {
    let (serialization, recipients) = jwe::inspect(text).map_err(|error| failed(&error))?;
    Ok(match json {
        true => as_json(serialization, &recipients),
        false => as_text(serialization, &recipients),
    })
}

fn as_json(serialization: Serialization, recipients: &[RecipientHeader]) -> String {
    let recipients: Vec<_> = recipients
        .iter()
        .map(|one| json!({ "header": object(&one.header), "encrypted_key_bytes": one.encrypted_key_len }))
        .collect();
    let shown = json!({
        "format": "jwe",
        "serialization": serialization.to_string(),
        "recipients": recipients,
    });
    escape::json(&shown.to_string()) + "\n"
}

fn as_text(serialization: Serialization, recipients: &[RecipientHeader]) -> String {
    let mut text = line("format", "JWE") + &line("serialization", &serialization.to_string());
    for (number, one) in recipients.iter().enumerate() {
        text += &line("recipient", &number.to_string());
        members(&one.header, &mut text);
        let _ = writeln!(text, "  encrypted key:  {} bytes", one.encrypted_key_len);
    }
    text
}

/// Adds a line for each member. Names and values come from the sender, so control characters are
/// escaped. A long value, such as `ek`, is replaced by its length.
fn members(header: &Header, text: &mut String) {
    for (name, value) in header.iter() {
        let label = format!("{}:", escape::bytes(name.as_bytes()));
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = match value.len() {
            LONG.. => writeln!(text, "  {label:15} {} characters", value.len()),
            _ => writeln!(text, "  {label:15} {}", escape::bytes(value.as_bytes())),
        };
    }
}

/// The length in bytes from which a member's value is not shown.
const LONG: usize = 80;

/// Formats a label and a value as a line.
pub(in crate::cmd) fn line(label: &str, value: &str) -> String {
    format!("{:18}{value}\n", format!("{label}:"))
}
