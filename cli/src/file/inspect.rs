//! `pqseal file inspect`.

use std::{fmt::Write as _, path::PathBuf};

use clap::Args;
use envelope::kem_by_id;
use files::{Extent, HPKE_KINDS, Header, Input, Payload, Stanza, pqseal_stanza_is_post_quantum};
use serde_json::{Value, json};

use super::{decrypt, failure};
use crate::{
    error::{Error, Exit},
    escape,
    input::Source,
    output::to_stdout,
};

/// Show the recipients' kinds and the sizes of encrypted files; needs no key
#[derive(Args)]
pub(super) struct Inspect {
    /// What to show; `-` or nothing for standard input
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

impl Inspect {
    pub(super) fn run(self, json: bool) -> Result<Exit, Error> {
        let mut exit = Exit::Done;
        for input in super::sources(&self.inputs) {
            match one(&input) {
                Ok(shown) => to_stdout(shown.write(json).as_bytes())?,
                Err(error) => {
                    error.report(json);
                    exit = error.exit;
                }
            }
        }
        Ok(exit)
    }
}

/// What is known of a file without a key.
struct Shown {
    name: String,
    armored: bool,
    header: Header,
    /// Of a file whose size is known.
    payload: Option<Result<Extent, files::PayloadError>>,
}

fn one(source: &Source) -> Result<Shown, Error> {
    let of_file = |error: files::Error| failure::of_file(&source.to_string(), &error);
    let mut input = decrypt::open(source)?;
    let header = Header::read(&mut input).map_err(of_file)?;
    let armored = matches!(input, Input::Armored(_));
    let before = (header.to_bytes().len() + Payload::NONCE) as u64;
    let payload = source
        .size()
        .filter(|_| !armored)
        .map(|size| Extent::of::<Payload>(size.saturating_sub(before)));
    Ok(Shown {
        name: source.to_string(),
        armored,
        header,
        payload,
    })
}

/// Whether a recipient withstands a quantum computer; `None` for a kind that is unknown here.
fn is_post_quantum(stanza: &Stanza) -> Option<bool> {
    match stanza.kind.as_str() {
        "scrypt" => Some(true),
        "pqseal" => pqseal_stanza_is_post_quantum(stanza),
        "X25519" | "ssh-ed25519" | "ssh-rsa" | "piv-p256" => Some(false),
        kind => HPKE_KINDS
            .iter()
            .find(|known| known.name == kind)
            .map(|known| known.post_quantum),
    }
}

impl Shown {
    /// One classical recipient is enough for a quantum computer. Stanzas that make room or noise are
    /// no recipients, but cannot be told from unknown ones.
    fn post_quantum(&self) -> Option<bool> {
        let stanzas = self.header.stanzas().iter();
        let mut known = stanzas
            .filter(|stanza| !is_filler(stanza))
            .map(is_post_quantum);
        match known.clone().any(|known| known == Some(false)) {
            true => Some(false),
            false => known.all(|known| known == Some(true)).then_some(true),
        }
    }

    fn write(&self, json: bool) -> String {
        match json {
            true => format!("{}\n", self.json()),
            false => self.text(),
        }
    }

    fn json(&self) -> Value {
        let stanzas = self.header.stanzas().iter();
        let stanzas: Vec<_> = stanzas.map(|stanza| stanza.kind.as_str()).collect();
        let extent = self.payload.as_ref().and_then(|found| found.as_ref().ok());
        json!({
            "file": self.name,
            "format": "age-encryption.org/v1",
            "armored": self.armored,
            "stanzas": stanzas,
            "post_quantum": self.post_quantum(),
            "header_bytes": self.header.to_bytes().len(),
            "plaintext_bytes": extent.map(|extent| extent.plaintext),
            "chunks": extent.map(|extent| extent.chunks),
            "complete": self.payload.as_ref().map(Result::is_ok),
        })
    }

    fn text(&self) -> String {
        let armored = if self.armored { ", armored" } else { "" };
        let mut text = format!("{}: age-encryption.org/v1{armored}\n", self.name);
        for stanza in self.header.stanzas() {
            let kind = escape::bytes(stanza.kind.as_bytes());
            let _ = writeln!(text, "  recipient: {kind}{}", note(stanza));
        }
        let quantum = match self.post_quantum() {
            Some(true) => "yes",
            Some(false) => "no: a quantum computer could open it through a classical recipient",
            None => "unknown: it has recipients of a kind that is unknown here",
        };
        let _ = writeln!(text, "  post-quantum: {quantum}");
        let _ = writeln!(text, "  header: {} bytes", self.header.to_bytes().len());
        match &self.payload {
            Some(Ok(extent)) => {
                let (plaintext, chunks) = (extent.plaintext, extent.chunks);
                let _ = writeln!(text, "  plaintext: {plaintext} bytes in {chunks} chunks");
            }
            Some(Err(error)) => _ = writeln!(text, "  payload: {error}"),
            None => {}
        }
        text
    }
}

fn is_filler(stanza: &Stanza) -> bool {
    stanza.kind == "pqseal-reserve" || stanza.kind.ends_with("-grease") || stanza.kind == "grease"
}

/// The KEM of four hexadecimal digits.
fn kem_name(id: &str) -> Option<&'static str> {
    let kem = kem_by_id(u16::from_str_radix(id, 16).ok()?)?;
    Some(kem.info().short_name)
}

fn note(stanza: &Stanza) -> String {
    match (stanza.kind.as_str(), &stanza.args[..]) {
        ("pqseal-reserve", _) => " (room for other recipients)".to_owned(),
        ("pqseal", [id, ..]) => kem_name(id).map_or_else(String::new, |name| format!(" ({name})")),
        ("scrypt", [_, work]) => {
            format!(
                " (a passphrase, 2^{} steps)",
                escape::bytes(work.as_bytes())
            )
        }
        _ => String::new(),
    }
}
