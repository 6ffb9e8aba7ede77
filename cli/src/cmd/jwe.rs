//! `pqseal jwe`: JSON Web Encryption with HPKE (JOSE-HPKE).

use std::fmt::Write;

use clap::{Args, Subcommand, ValueEnum};
use getrandom::SysRng;
use pqseal_formats::{
    Algorithm, PublicKey,
    jwe::{self, Enc, Header, Opened, Opener, Recipient, Sealer, Serialization},
};
use serde_json::{Map, Value, json};

use crate::{
    error::Error,
    escape,
    input::Source,
    message::{Answer, Known, OpenArgs, SealArgs, failed, one_of, text_or_base64},
    output::to_stdout,
};

/// The arguments of `pqseal jwe`.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A key for JOSE", "pqseal keygen --form jwk --alg HPKE-9 --kid 2026-11 -o key.jwk > public.jwk"),
    ("Encrypt a message", "echo hello | pqseal jwe seal --to public.jwk -o message.jwe"),
    ("Decrypt it", "pqseal jwe open -k key.jwk message.jwe"),
]))]
pub struct Jwe {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    Seal(Box<Seal>),
    Open(Box<Open>),
    Inspect(Inspect),
}

impl Jwe {
    /// Runs the subcommand.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn run(self, json: bool) -> Result<(), Error> {
        match self.action {
            Action::Seal(seal) => seal.run(),
            Action::Open(open) => open.run(json),
            Action::Inspect(inspect) => inspect.run(json),
        }
    }
}

/// Encrypt to one or several public keys
///
/// Writes one line: the Compact Serialization, the flattened one with --aad, or the general one for
/// several recipients.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("To a key that names its algorithm", "pqseal jwe seal --to public.jwk -o message.jwe message.txt"),
    ("To an X25519 key, with a type in the header", "pqseal jwe seal --to public.pem --alg HPKE-3 --header typ=JWT claims.json"),
    ("To two recipients", "pqseal jwe seal --to a.jwk --to b.jwk --alg HPKE-9-KE -o message.json message.txt"),
]))]
struct Seal {
    #[command(flatten)]
    common: SealArgs,
    /// How to write the message; if not given, it follows from --aad and the number of recipients
    #[arg(long, value_enum, value_name = "NAME")]
    serialization: Option<Form>,
    /// The content encryption of the -KE algorithms: A128GCM, A256GCM (if not given) or
    /// A128CBC-HS256
    #[arg(long, value_name = "NAME", value_parser = enc)]
    enc: Option<Enc>,
    /// Data that is sent in the clear and authenticated (the JWE AAD); the Compact Serialization
    /// cannot hold it
    #[arg(long, value_name = "TEXT", default_value = "")]
    aad: String,
    /// A member of the protected header, such as typ=JWT; repeat it to give several
    #[arg(long, value_name = "NAME=TEXT", value_parser = member)]
    header: Vec<(String, String)>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    /// Five parts with dots between them
    Compact,
    /// JSON for one recipient
    Flattened,
    /// JSON for several recipients
    General,
}

impl Seal {
    fn run(self) -> Result<(), Error> {
        self.common.check(&[])?;
        let keys = self.common.recipients()?;
        let known = self.common.shared.read()?;
        let mut sealer: Option<Sealer<'_>> = None;
        for (alg, key) in &keys {
            let recipient = recipient(*alg, key, &known).map_err(|error| failed(&error))?;
            sealer = Some(match sealer {
                None => Sealer::new(recipient),
                Some(sealer) => sealer.and(recipient),
            });
        }
        let sealer = sealer.ok_or_else(|| Error::usage("--to is missing"))?;
        let token = self.seal(sealer).map_err(|error| match error {
            SealError::Message(error) => failed(&error),
            SealError::Input(error) => error,
        })?;
        self.common.write((token + "\n").as_bytes())
    }

    fn seal(&self, sealer: Sealer<'_>) -> Result<String, SealError> {
        let mut sealer = sealer.aad(self.aad.as_bytes());
        if let Some(enc) = self.enc {
            sealer = sealer.enc(enc);
        }
        for (name, value) in &self.header {
            sealer = sealer.protected(name, value.as_str())?;
        }
        let plaintext = self.common.input.read().map_err(SealError::Input)?;
        let serialization = match self.serialization {
            Some(Form::Compact) => Serialization::Compact,
            Some(Form::Flattened) => Serialization::Flattened,
            Some(Form::General) => Serialization::General,
            None => sealer.serialization(),
        };
        Ok(sealer.seal(serialization, &plaintext, &mut SysRng)?)
    }
}

enum SealError {
    Message(pqseal_formats::Error),
    Input(Error),
}

impl From<pqseal_formats::Error> for SealError {
    fn from(error: pqseal_formats::Error) -> Self {
        Self::Message(error)
    }
}

fn recipient<'k>(
    alg: Algorithm,
    key: &'k PublicKey,
    known: &'k Known,
) -> Result<Recipient<'k>, pqseal_formats::Error> {
    let recipient = Recipient::new(alg, key)?.info(&known.info);
    match known.psk() {
        Some((id, psk)) => recipient.psk(id, psk),
        None => Ok(recipient),
    }
}

fn enc(name: &str) -> Result<Enc, String> {
    Enc::by_name(name).ok_or_else(|| one_of(Enc::ALL.into_iter().map(Enc::name)))
}

fn member(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a member must be NAME=TEXT, such as typ=JWT")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Decrypt with a private key
///
/// Reads a JWE in any serialization. With --json the answer has the algorithm, the key, the header
/// and the aad.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("With a key that names its algorithm", "pqseal jwe open -k key.jwk message.jwe"),
    ("With any other key", "pqseal jwe open -k key.pem --alg HPKE-3 message.jwe"),
    ("From a pipe, with the header, as JSON", "cat message.jwe | pqseal --json jwe open -k key.jwk"),
]))]
struct Open {
    #[command(flatten)]
    common: OpenArgs,
}

impl Open {
    fn run(self, json: bool) -> Result<(), Error> {
        let keys = self.common.keys(&[])?;
        let allowed = self.common.allowed(&keys)?;
        let known = self.common.shared.read()?;
        let mut opener = Opener::new(&allowed).info(&known.info);
        for (_, key) in &keys {
            opener = opener.key(key);
        }
        if let Some((id, psk)) = known.psk() {
            opener = opener.psk(id, psk).require_psk();
        }
        let opened = opener.open(&self.common.text()?);
        let opened = opened.map_err(|error| failed(&error))?;
        let answer = answer(&keys[opened.key].0, &opened);
        self.common.write(&answer, json)
    }
}

fn answer<'a>(key: &'a Source, opened: &'a Opened) -> Answer<'a> {
    let mut others = vec![("header", object(&opened.header))];
    if !opened.aad.is_empty() {
        others.push(text_or_base64("aad", "aad_base64", &opened.aad));
    }
    Answer {
        alg: opened.algorithm,
        key,
        recipient: opened.recipient,
        others,
        plaintext: &opened.plaintext,
    }
}

/// Returns a header as a JSON object.
fn object(header: &Header) -> Value {
    let members = header.iter();
    let members = members.map(|(name, value)| (name.to_owned(), value.clone()));
    Value::Object(members.collect::<Map<_, _>>())
}

/// Show the headers of a JWE, without any key
///
/// What is shown is not authenticated until the message is opened.
#[derive(Args)]
#[command(after_long_help = crate::parse::help(&[
    ("A file", "pqseal jwe inspect message.jwe"),
    ("From a pipe", "echo \"$token\" | pqseal jwe inspect"),
    ("As JSON", "pqseal --json jwe inspect message.jwe"),
]))]
struct Inspect {
    /// The JWE, in any serialization
    #[arg(value_name = "FILE", default_value = "-")]
    input: Source,
}

impl Inspect {
    fn run(self, json: bool) -> Result<(), Error> {
        let bytes = self.input.read()?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| failed(&pqseal_formats::Error::Malformed("it is not text")))?;
        to_stdout(show(text, json)?.as_bytes())
    }
}

/// Describes a JWE, in lines or as JSON.
pub(super) fn show(text: &str, json: bool) -> Result<String, Error> {
    let (serialization, recipients) = jwe::inspect(text).map_err(|error| failed(&error))?;
    let serialization = serialization.to_string();
    if json {
        let recipients = recipients.iter().map(|one| {
            json!({ "header": object(&one.header), "encrypted_key_bytes": one.encrypted_key_len })
        });
        let shown = json!({
            "format": "jwe",
            "serialization": serialization,
            "recipients": recipients.collect::<Vec<_>>(),
        });
        return Ok(escape::json(&shown.to_string()) + "\n");
    }
    let mut text = line("format", "JWE") + &line("serialization", &serialization);
    for (number, one) in recipients.iter().enumerate() {
        text += &line("recipient", &number.to_string());
        members(&one.header, &mut text);
        let _ = writeln!(text, "  encrypted key:  {} bytes", one.encrypted_key_len);
    }
    Ok(text)
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
pub(super) fn line(label: &str, value: &str) -> String {
    format!("{:18}{value}\n", format!("{label}:"))
}
