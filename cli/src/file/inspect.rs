//! `pqseal file inspect`.

use std::{fmt::Write as _, io::BufRead, path::PathBuf};

use clap::Args;
use pqseal_age::{
    AnyHeader, Extent, Header, Input, Payload, Stanza,
    cobblestone::{Cipher, Cobblestone},
    object,
};
use pqseal_keys::kem_by_id;
use serde_json::{Value, json};

use super::{file_failed, open_encrypted};
use crate::{
    error::{Error, Exit},
    escape,
    input::Source,
    output::to_stdout,
    suite::typed,
};

/// Show the recipients' kinds and the sizes of encrypted files; needs no key
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A file", "pqseal file inspect report.age"),
    ("Several, as JSON, one per line", "pqseal --json file inspect report.age disk.age"),
    ("From a pipe", "cat report.age | pqseal file inspect -"),
]))]
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

/// Reports whether bytes begin as an encrypted file does.
pub fn detect(file: &[u8]) -> bool {
    const AGE: &[u8] = b"age-encryption.org/";
    const ARMOR: &[u8] = b"-----BEGIN AGE ENCRYPTED FILE-----";
    [AGE, ARMOR, &object::MAGIC]
        .iter()
        .any(|start| file.starts_with(start))
}

/// Describes a file in memory, without a key.
///
/// # Errors
/// If its header is malformed.
pub fn show(source: &Source, file: &[u8], json: bool) -> Result<String, Error> {
    let input = Input::new(file).map_err(|error| file_failed(source, &error.into()))?;
    let shown = shown(source, Some(file.len() as u64), input)?;
    Ok(shown.write(json))
}

/// The facts of a file that are known without a key.
struct Shown {
    name: String,
    armored: bool,
    header: AnyHeader,
    /// `None` if the size of the file is unknown.
    payload: Option<Result<Extent, pqseal_age::PayloadError>>,
}

fn one(source: &Source) -> Result<Shown, Error> {
    shown(source, source.size(), open_encrypted(source)?)
}

fn shown(
    source: &Source,
    size: Option<u64>,
    mut input: Input<impl BufRead>,
) -> Result<Shown, Error> {
    let header = AnyHeader::read(&mut input);
    let header = header.map_err(|error| file_failed(source, &error))?;
    let armored = matches!(input, Input::Armored(_));
    let before = header.to_bytes().len() as u64;
    let payload = size.filter(|_| !armored).map(|size| {
        let rest = size.saturating_sub(before);
        match header {
            AnyHeader::Age(_) => Extent::of::<Payload>(rest.saturating_sub(Payload::NONCE as u64)),
            AnyHeader::Object(_) => Extent::of::<Cobblestone>(rest),
        }
    });
    Ok(Shown {
        name: source.to_string(),
        armored,
        header,
        payload,
    })
}

impl Shown {
    fn format(&self) -> &'static str {
        match self.header {
            AnyHeader::Age(_) => "age-encryption.org/v1",
            AnyHeader::Object(_) => "pqseal-object/v1",
        }
    }

    fn write(&self, json: bool) -> String {
        match json {
            true => format!("{}\n", self.json()),
            false => self.text(),
        }
    }

    fn json(&self) -> Value {
        let extent = self.payload.as_ref().and_then(|found| found.as_ref().ok());
        let mut shown = json!({
            "file": self.name,
            "format": self.format(),
            "armored": self.armored,
            "post_quantum": self.header.post_quantum(),
            "header_bytes": self.header.to_bytes().len(),
            "plaintext_bytes": extent.map(|extent| extent.plaintext),
            "chunks": extent.map(|extent| extent.chunks),
            "valid_length": self.payload.as_ref().map(Result::is_ok),
        });
        match &self.header {
            AnyHeader::Age(header) => {
                let stanzas = header.stanzas().iter();
                let stanzas: Vec<_> = stanzas.map(|stanza| stanza.kind.as_str()).collect();
                shown["stanzas"] = json!(stanzas);
            }
            AnyHeader::Object(header) => {
                let entries = header.entries().iter();
                let entries: Vec<_> = entries
                    .map(|e| json!({ "suite": typed(e.suite), "key_id": e.key_id.to_string() }))
                    .collect();
                shown["cipher"] = json!(cipher(header));
                shown["recipients"] = json!(entries);
            }
        }
        shown
    }

    fn text(&self) -> String {
        let armored = if self.armored { ", armored" } else { "" };
        let mut text = format!("{}: {}{armored}\n", self.name, self.format());
        match &self.header {
            AnyHeader::Age(header) => stanzas(header, &mut text),
            AnyHeader::Object(header) => entries(header, &mut text),
        }
        let quantum = match self.header.post_quantum() {
            Some(true) => "yes",
            Some(false) => "no: a quantum computer could open it through a classical recipient",
            None => "unknown: it has recipients of an unknown kind",
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

fn stanzas(header: &Header, text: &mut String) {
    for stanza in header.stanzas() {
        let kind = escape::bytes(stanza.kind.as_bytes());
        let _ = writeln!(text, "  recipient: {kind}{}", note(stanza));
    }
}

fn entries(header: &object::Header, text: &mut String) {
    for entry in header.entries() {
        let (key, suite) = (entry.key_id, typed(entry.suite));
        let _ = writeln!(text, "  recipient: key {key} ({suite})");
    }
    let _ = writeln!(text, "  cipher: {}", cipher(header));
}

fn cipher(header: &object::Header) -> &'static str {
    match header.cipher() {
        Cipher::Aes128Gcm => "AES-128-GCM",
        Cipher::Aes256Gcm => "AES-256-GCM",
    }
}

fn note(stanza: &Stanza) -> String {
    match (stanza.kind.as_str(), &stanza.args[..]) {
        ("pqseal-reserve", _) => " (room for other recipients)".to_owned(),
        ("pqseal", [id, ..]) => {
            // The id has four hexadecimal digits.
            let id = u16::from_str_radix(id, 16).ok();
            id.and_then(kem_by_id)
                .map_or_else(String::new, |kem| format!(" ({})", kem.info().short_name))
        }
        ("scrypt", [_, work]) => {
            format!(
                " (a passphrase, 2^{} steps)",
                escape::bytes(work.as_bytes())
            )
        }
        _ => String::new(),
    }
}
